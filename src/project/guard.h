// project/guard.h: which directories can never be a project's root, however they are spelled, linked or mounted.
#pragma once

#include <optional>

#include "base/path.h"

namespace pale::project {

// The user's and Pale's own places: what a project must not hold, and where the user's configuration lies.
struct Surroundings {
  Path user_home;
  Path pale_home;
  Path program;                     // the directory of the running program
  std::optional<Path> config_home;  // XDG_CONFIG_HOME, if it is set
};

// Refuses "/", system directories, the user's home directory itself and what holds it, PALE_HOME, the directory of the
// running program, and the source tree of Pale, its own or any other copy. `root` is resolved: it leads through no link.
Status check_root(const Path& root, const Surroundings& around);

}  // namespace pale::project
