// project/guard.h: which directories can never be a project's root, however they are spelled, linked or mounted.
#pragma once

#include "base/path.h"

namespace pale::project {

// What a project must not hold.
struct Surroundings {
  Path user_home;
  Path pale_home;
  Path program;  // the directory of the running program
};

// Refuses "/", system directories, the user's home directory itself and what holds it, PALE_HOME, the directory of the
// running program, and the source tree of Pale, its own or any other copy. `root` is resolved: it leads through no link.
Status check_root(const Path& root, const Surroundings& around);

}  // namespace pale::project
