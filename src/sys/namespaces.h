// sys/namespaces.h: the dear namespaces, made beside other work.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "sys/fd.h"
#include "sys/process.h"

namespace pale::sys {

// A second process with the same memory and descriptors, which goes ahead into new user, ipc and, if wanted, network
// namespaces, the one user mapped to itself. These take the kernel longer than everything else of a sandbox. Then it waits to
// make the first process of the sandbox, a child of this one. One at a time in a process.
class Vanguard {
 public:
  enum class Network { Kept, Own };
  static Result<Vanguard> send(Network network, unsigned user, unsigned group);
  Vanguard(Vanguard&& other) noexcept;
  Vanguard& operator=(Vanguard&&) = delete;
  ~Vanguard();

  // Once: a copy of this process in the vanguard's namespaces and in more of its own. It runs `body`, which never returns.
  Result<Child> fork(std::uint64_t more_namespaces, int (*body)(void*), void* argument);

 private:
  Vanguard(Pid pid, Fd process) : pid_(pid), process_(std::move(process)) {}
  Pid pid_;
  Fd process_;
};

// In a network namespace of one's own. It costs as much as a mount or ten, and most commands never need it.
Status raise_loopback();

}  // namespace pale::sys
