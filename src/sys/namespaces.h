// sys/namespaces.h: the namespaces that are not made with the process, because they are dear: beside other work.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "sys/fd.h"
#include "sys/process.h"

namespace pale::sys {

enum class Network { Shared, Own };

// A second process with the same memory makes the ipc and, if wanted, the network namespace, which takes the kernel longer
// than everything else of a sandbox. One at a time in a process.
class NamespaceErrand {
 public:
  static Result<NamespaceErrand> start(Network network);
  // Once they are made, this process is in them.
  Status enter();

 private:
  explicit NamespaceErrand(Fd process) : process_(std::move(process)) {}
  Fd process_;
};

// In a network namespace of one's own. It costs as much as ten mounts, and most commands never need it.
Status raise_loopback();

}  // namespace pale::sys
