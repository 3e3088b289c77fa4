// sys/landlock.h: Landlock rulesets. Rules only add and reach everything beneath; they cannot take a subpath back.
#pragma once

#include <cstdint>

#include "base/error.h"
#include "sys/fd.h"

namespace pale::sys {

// The version of this kernel's Landlock; 0 where it has none.
int landlock_abi() noexcept;

// Read includes execute; each includes those before it. Keeping: nothing that lies there is removed, or moved, or renamed.
enum class LandlockAccess { List, Read, WriteKeeping, Write };
enum class LandlockTcp { Free, Denied };

class LandlockRules {
 public:
  // Handles every right that this ABI knows, but for ioctl on devices (a terminal needs those); and, from ABI 6 on,
  // forbids signals and abstract sockets that leave the sandbox.
  static Result<LandlockRules> make(int abi, LandlockTcp tcp);
  // A path that is a file gets the rights that a file can have. Does not follow a symlink.
  Status allow(const char* path, LandlockAccess access);
  Status allow(const Fd& place, LandlockAccess access);
  // A terminal, /dev/null or a file that is open here may be opened again, as /dev/stdin is, for what its descriptor can do already and
  // nothing else. Not a file that it only appends to: opening it again could cut it short.
  Status allow_again(int descriptor);
  // For this thread and all its children, for good. no_new_privs must be set.
  Status enforce() const;

 private:
  LandlockRules(Fd ruleset, std::uint64_t handled) : ruleset_(std::move(ruleset)), handled_(handled) {}
  long add(int place, std::uint64_t rights) const;
  Fd ruleset_;
  std::uint64_t handled_;
};

}  // namespace pale::sys
