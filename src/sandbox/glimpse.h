// sandbox/glimpse.h: which file a call leads to that is only told of: one that reads a file, executes it, or changes its mode. Asked
// for each file that is read, so it takes as few calls as can be.
#pragma once

#include <optional>
#include <string>

#include "sandbox/seen_before.h"
#include "sandbox/sighting.h"
#include "sandbox/standpoints.h"
#include "sys/file.h"
#include "sys/seccomp.h"

namespace pale::sandbox {

class Witness;

struct Glimpse {
  Path path;  // free of links
  Act act;
  Found found;
};

class Glimpses {
 public:
  // Nothing: there is no such file, or none that the witness cares for.
  std::optional<Glimpse> look(const sys::Notification& call, const Witness& witness);
  // A name may lead elsewhere from now on.
  void forget() {
    plain_.forget();
    standpoints_.forget();
  }
  // A thread's own paths will begin elsewhere.
  void leaves(sys::Pid thread) { standpoints_.leaves(thread); }

 private:
  Standpoints standpoints_;
  SeenBefore plain_;  // directories that lie where their paths say, no link on the way
};

// Who a call connects to, if that is neither on this machine nor nobody: "192.0.2.7 port 443".
std::optional<std::string> foreign_address(const sys::Notification& call);

Found found_of(sys::FileKind kind) noexcept;

}  // namespace pale::sandbox
