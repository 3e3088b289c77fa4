// sys/message.h: sockets of this machine that carry whole messages, and descriptors with them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "sys/fd.h"

namespace pale::sys {

struct Message {
  std::string text;
  std::vector<Fd> descriptors;
};

// What one message may hold: the kernel keeps it whole in its own memory.
inline constexpr std::size_t kMostMessage = 160UL << 10U;

struct MessagePair {
  Fd first;
  Fd second;
};
Result<MessagePair> make_message_pair();
// Of a stream of bytes, as a pipe is, in both directions. Neither end waits.
Result<MessagePair> make_stream_pair();

enum class Waiting { Yes, No };

// A name in a directory, whose whole path may be longer than the kernel takes for a socket. Only this user can connect to it.
Result<Fd> listen_at(const Fd& directory, const char* name);
// Where too many wait to be let in, it waits with them, or fails with EAGAIN.
Result<Fd> connect_to(const Fd& directory, const char* name, Waiting waiting = Waiting::Yes);
// The same for bytes instead of messages, which any program can speak; at a path that is short enough.
Result<Fd> listen_for_streams(const char* path);
Result<Fd> connect_stream(const char* path);
// Nothing if nobody waits.
Result<std::optional<Fd>> accept_next(const Fd& listener);
// Whoever listens or connected at the other end.
struct Peer {
  int process = 0;
  unsigned user = 0;
};
Result<Peer> peer_of(const Fd& socket);

// False: there is no room for it now. Waits for room only if told to.
Result<bool> send_message(const Fd& socket, std::string_view text, std::span<const int> descriptors, Waiting waiting);

// Nothing: the other end is closed, or with Waiting::No, there is none now; `closed` tells them apart.
struct Received {
  std::optional<Message> message;
  bool closed = false;
};
Result<Received> receive_message(const Fd& socket, Waiting waiting);

}  // namespace pale::sys
