// sandbox/sighting.h: what a watch saw, and what that is to somebody who cares about a scope. Values, pure: nothing is decided
// by them, only told.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "boundary/explain.h"

namespace pale::sandbox {

enum class Act { Read, Write, Create, Remove, Rename, Link, Chmod, Execute, Connect };
std::string_view to_text(Act act) noexcept;
// What a boundary says of it; of a connection it says nothing.
Operation operation_of(Act act) noexcept;

// The folders a run is about.
struct WatchedScope {
  enum class Mode {
    Whole,       // none are named: all that happens in the workspace is told
    Permissive,  // what happens outside them is told
    Strict,      // what is tried outside them is told
  } mode = Mode::Whole;
  std::vector<Path> folders;  // inside, free of links
};

struct Sighting {
  enum class Kind {
    Used,     // in the workspace, and nothing against it
    Outside,  // outside the folders, and let
    Blocked,  // outside the folders, and not let
    Denied,   // another rule of the boundary is against it
    Reached,  // somebody who is not on this machine; `path` is an address
  } kind = Kind::Used;
  Act act = Act::Read;
  std::string path;  // any bytes

  bool operator==(const Sighting&) const = default;
};

// What was there when somebody came.
enum class Found { Nothing, File, Directory };

struct Attempt {
  const Path& path;  // inside, free of links
  Act act;
  Found found;
};

// Whoever wants to hear of what is seen. The same object on both sides of the fork that makes a sandbox: each side has its own
// copy from then on.
class Onlooker {
 public:
  Onlooker() = default;
  Onlooker(const Onlooker&) = delete;
  Onlooker& operator=(const Onlooker&) = delete;
  virtual ~Onlooker() = default;
  // Inside, in the first process, before the call in question is let through: whoever reads along sees this before what the
  // command makes of it. Everything waits meanwhile, so it must not wait for anybody. False: it has to be told later.
  virtual bool tell_now(const WatchedScope& scope, const Boundary& boundary, const Sighting& sighting) = 0;
  // Inside, too: each attempt that the scope is against, also one that was told before.
  virtual void tried(const Sighting& /*sighting*/) {}
  // Outside, when the run is over: all of it, in its order.
  virtual void hear(const WatchedScope& scope, const Boundary& boundary, const Sighting& sighting, bool told) = 0;
};

// Whether the scope and the boundary make anything of what happens at a path. False for all of the system, for a private home,
// for what is in scope.
bool is_told(const Boundary& boundary, const WatchedScope& scope, const Path& path);

// An attempt as it is told; nothing: it is no access (a name is looked at, a directory listed), or nobody's business.
std::optional<Sighting> judge(const Boundary& boundary, const WatchedScope& scope, const Attempt& attempt);

}  // namespace pale::sandbox
