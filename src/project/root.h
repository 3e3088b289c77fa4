// project/root.h: which directory may be a project's root.
#pragma once

#include <string>

#include "base/path.h"
#include "project/guard.h"

namespace pale::project {

// Resolved once, symlinks and all; from then on only this path is used.
struct Root {
  Path path;
  bool through_link = false;  // what was given led here through a symlink
};

// Where a directory really is: through no link. What is missing of it is left as it is written.
Result<Path> real_path(const Path& path);

// Where a path leads, as the kernel would go: through links, and up with "..". `full` begins with '/'; what is missing of it is
// taken as it is written, also behind a link that leads to nothing. For explanations: what lies there may change at once.
Result<Path> leads_to(const std::string& full);

// Refuses what is missing, unreadable or no directory, and what the guard refuses.
Result<Root> resolve_root(const std::string& given, const Surroundings& surroundings);

}  // namespace pale::project
