// sys/namespaces.h: the namespaces that are not made with the process; the dear one beside other work.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "sys/fd.h"
#include "sys/process.h"

namespace pale::sys {

// A second process with the same memory makes a network namespace, which takes the kernel longer than everything else of a
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

Status new_ipc_namespace();

// In a network namespace of one's own. It costs as much as ten mounts, and most commands never need it.
Status raise_loopback();

}  // namespace pale::sys
