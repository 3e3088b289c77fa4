// project/protection.h: what is protected in every writable workspace, asked or not.
#pragma once

#include <vector>

#include "boundary/boundary.h"

namespace pale::project {

// The default list, and what the git repositories in the workspace add: their hooks, configuration and pointers, at any
// depth, and what their configuration names besides. Looks at the disk; follows no symlink.
Result<std::vector<Protection>> default_protections(const Path& root, const Path& user_home);

}  // namespace pale::project
