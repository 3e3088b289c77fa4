// sandbox/standpoints.h: where threads stand, so that the kernel need not be asked at every path that begins there. For what is
// told, never for what is decided: a thread that shares its directory with another process is not known to go where that one goes.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "sys/process.h"

namespace pale::sandbox {

class Standpoints {
 public:
  // Nothing if the kernel does not say. Valid until the next call.
  const std::string* of(sys::Pid thread);
  // It is about to go elsewhere, and its process with it.
  void leaves(sys::Pid thread);
  // It becomes another program: its number may have been somebody else's before.
  void begins_anew(sys::Pid thread);
  // Names may lead elsewhere from now on.
  void forget();

 private:
  struct Standpoint {
    sys::Pid thread = 0;
    std::string directory;
  };
  Standpoint& place_of(sys::Pid thread) { return known_[static_cast<std::size_t>(thread) % known_.size()]; }

  static constexpr sys::Pid kNobody = 0, kSeveral = -1;
  std::array<Standpoint, 64> known_;
  // Who was about to go, and has threads beside it: until it is heard of again, nobody knows whether it has gone.
  sys::Pid leaving_ = kNobody;
};

}  // namespace pale::sandbox
