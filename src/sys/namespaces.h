// sys/namespaces.h: the dear namespaces, made beside other work.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "sys/fd.h"
#include "sys/process.h"

namespace pale::sys {

// A second process with the same memory makes an ipc namespace and, if wanted, a network namespace. These two take the kernel
// longer than everything else of a sandbox. One at a time in a process.
class NamespaceErrand {
 public:
  enum class Network { Kept, Own };
  static Result<NamespaceErrand> start(Network network);
  // Once they are made, this process is in them.
  Status enter();

 private:
  NamespaceErrand(Fd process, int flags) : process_(std::move(process)), flags_(flags) {}
  Fd process_;
  int flags_;
};

// A hold on the mount namespace of a process; none before Linux 6.11.
Fd mount_namespace_of(const Fd& process) noexcept;

// In a network namespace of one's own. It costs as much as ten mounts, and most commands never need it.
Status raise_loopback();

}  // namespace pale::sys
