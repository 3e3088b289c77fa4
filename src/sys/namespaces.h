// sys/namespaces.h: the namespaces that are not made with the process, because they are dear: beside other work.
#pragma once

#include <array>
#include <cstdint>

#include "base/error.h"
#include "sys/fd.h"
#include "sys/process.h"

namespace pale::sys {

// A second process with the same memory makes the network namespace, which takes the kernel longer than everything else of a
// sandbox. One at a time in a process.
class NetworkErrand {
 public:
  static Result<NetworkErrand> start();
  // Once it is made, this process is in it.
  Status enter();

 private:
  explicit NetworkErrand(Fd process) : process_(std::move(process)) {}
  Fd process_;
};

Status make_ipc_namespace();

// In a network namespace of one's own. It costs as much as ten mounts, and most commands never need it.
Status raise_loopback();

// An address of the internet, in the order of the wire.
struct InternetAddress {
  enum class Family { V4, V6 } family = Family::V4;
  std::array<std::uint8_t, 16> bytes = {};  // V4: the first four
  std::uint16_t port = 0;
};
// All addresses that begin with these bits are this machine's own, on loopback.
Status add_local_range(const InternetAddress& first, unsigned bits);

enum class Transport { Stream, Datagram };
// Where others can connect, or send something to.
Result<Fd> listen_on(const InternetAddress& address, Transport transport);

}  // namespace pale::sys
