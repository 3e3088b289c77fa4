#include "sys/message.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "sys/file.h"

namespace pale::sys {
namespace {

constexpr int kKind = SOCK_SEQPACKET | SOCK_CLOEXEC;
constexpr int kStream = SOCK_STREAM | SOCK_CLOEXEC;
constexpr int kMostWaiting = 64;
constexpr std::size_t kMostDescriptors = 4;

struct Address {
  sockaddr_un name = {};
  socklen_t length = 0;
};

Result<Address> address_of(std::string_view path) {
  Address address;
  if (path.size() >= sizeof address.name.sun_path) return fail_errno(ENAMETOOLONG, "name a socket", std::string(path));
  address.name.sun_family = AF_UNIX;
  std::memcpy(address.name.sun_path, path.data(), path.size());
  address.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() + 1);
  return address;
}

Result<Address> address_of(const Fd& directory, const char* name) {
  return address_of("/proc/self/fd/" + std::to_string(directory.borrow()) + "/" + name);
}

Result<Fd> make_socket(int kind) {
  const long fd = call(SYS_socket, AF_UNIX, kind, 0);
  if (failed(fd)) return fail_errno(static_cast<int>(-fd), "make a socket", "");
  return Fd(fd);
}

Result<Fd> listen_with(int kind, const Address& address, const char* name) {
  PALE_TRY(socket, make_socket(kind | SOCK_NONBLOCK));
  const long bound = call(SYS_bind, socket.borrow(), &address.name, address.length);
  if (failed(bound)) return fail_errno(static_cast<int>(-bound), "bind", name);
  const long listening = call(SYS_listen, socket.borrow(), kMostWaiting);
  if (failed(listening)) return fail_errno(static_cast<int>(-listening), "listen at", name);
  return socket;
}

Result<Fd> connect_with(int kind, const Address& address, const char* name) {
  PALE_TRY(socket, make_socket(kind));
  const long result = call(SYS_connect, socket.borrow(), &address.name, address.length);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "connect to", name);
  return socket;
}

// Room for a few descriptors beside a message.
union Control {
  std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> space;
  cmsghdr alignment;
};

void put_descriptors(msghdr& header, Control& control, std::span<const int> descriptors) {
  if (descriptors.empty()) return;
  header.msg_control = control.space.data();
  header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* part = CMSG_FIRSTHDR(&header);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(part), descriptors.data(), descriptors.size_bytes());
}

std::vector<Fd> take_descriptors(const msghdr& header) {
  std::vector<Fd> taken;
  const cmsghdr* part = header.msg_controllen == 0 ? nullptr : CMSG_FIRSTHDR(&header);
  if (part == nullptr || part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) return taken;
  std::array<int, kMostDescriptors> raw = {};
  const std::size_t count = std::min((part->cmsg_len - CMSG_LEN(0)) / sizeof(int), raw.size());
  std::memcpy(raw.data(), CMSG_DATA(part), count * sizeof(int));
  for (std::size_t at = 0; at < count; ++at) taken.emplace_back(raw[at]);
  return taken;
}

Result<MessagePair> make_pair(int kind) {
  std::array<int, 2> ends = {};
  const long result = call(SYS_socketpair, AF_UNIX, kind, 0, ends.data());
  if (failed(result)) return fail_errno(static_cast<int>(-result), "make a socket", "");
  return MessagePair{Fd(ends[0]), Fd(ends[1])};
}

}  // namespace

Result<MessagePair> make_message_pair() { return make_pair(kKind); }
Result<MessagePair> make_stream_pair() { return make_pair(kStream | SOCK_NONBLOCK); }

Result<Fd> listen_at(const Fd& directory, const char* name) {
  PALE_TRY(address, address_of(directory, name));
  const unsigned umask = set_umask(0177);
  auto socket = listen_with(kKind, address, name);
  (void)set_umask(umask);
  return socket;
}

Result<Fd> connect_to(const Fd& directory, const char* name, Waiting waiting) {
  PALE_TRY(address, address_of(directory, name));
  return connect_with(waiting == Waiting::No ? kKind | SOCK_NONBLOCK : kKind, address, name);
}

Result<Fd> listen_for_streams(const char* path) {
  PALE_TRY(address, address_of(path));
  return listen_with(kStream, address, path);
}

Result<Fd> connect_stream(const char* path) {
  PALE_TRY(address, address_of(path));
  return connect_with(kStream, address, path);
}

Result<std::optional<Fd>> accept_next(const Fd& listener) {
  const long fd = call(SYS_accept4, listener.borrow(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd == -EAGAIN || fd == -ECONNABORTED) return std::nullopt;
  if (failed(fd)) return fail_errno(static_cast<int>(-fd), "accept", "");
  return Fd(fd);
}

Result<Peer> peer_of(const Fd& socket) {
  struct Credentials {  // struct ucred
    int process;
    unsigned user;
    unsigned group;
  } peer = {};
  socklen_t size = sizeof peer;
  const long result = call(SYS_getsockopt, socket.borrow(), SOL_SOCKET, SO_PEERCRED, &peer, &size);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "look at the other end", "");
  return Peer{peer.process, peer.user};
}

Result<bool> send_message(const Fd& socket, std::string_view text, std::span<const int> descriptors, Waiting waiting) {
  iovec part = {const_cast<char*>(text.data()), text.size()};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  Control control = {};
  put_descriptors(header, control, descriptors);
  for (;;) {
    const long sent =
        call(SYS_sendmsg, socket.borrow(), &header, MSG_NOSIGNAL | (waiting == Waiting::No ? MSG_DONTWAIT : 0));
    if (sent == -EINTR) continue;
    if (sent == -EAGAIN) return false;
    if (failed(sent)) return fail_errno(static_cast<int>(-sent), "send", "");
    return true;
  }
}

Result<Received> receive_message(const Fd& socket, Waiting waiting) {
  const int wait = waiting == Waiting::No ? MSG_DONTWAIT : 0;
  // First its length alone: most are small, and the room for a large one costs more than to ask.
  long length = -EINTR;
  // That the peer closed without having read everything is said once, before what it had sent.
  while (length == -EINTR || length == -ECONNRESET)
    length = call(SYS_recvfrom, socket.borrow(), nullptr, 0, MSG_PEEK | MSG_TRUNC | wait, nullptr, nullptr);
  if (length == -EAGAIN) return Received{};
  if (length == 0) return Received{std::nullopt, true};
  if (failed(length)) return fail_errno(static_cast<int>(-length), "receive", "");
  if (static_cast<std::size_t>(length) > kMostMessage) return fail_errno(EMSGSIZE, "receive", "");
  Message message;
  message.text.resize(static_cast<std::size_t>(length));
  iovec part = {message.text.data(), message.text.size()};
  Control control = {};
  msghdr header = {};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.space.data();
  header.msg_controllen = control.space.size();
  const long got = call(SYS_recvmsg, socket.borrow(), &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
  if (failed(got)) return fail_errno(static_cast<int>(-got), "receive", "");
  message.descriptors = take_descriptors(header);
  return Received{std::move(message), false};
}

}  // namespace pale::sys
