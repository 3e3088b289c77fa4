// project/protection.h: what is protected in every writable workspace, asked or not.
#pragma once

#include <vector>

#include "boundary/boundary.h"
#include "project/git.h"

namespace pale::project {

// Which git repositories count. To look for all of them takes time for every directory there is. In a stage nothing on the
// host is changed: whoever applies it looks at the paths that changed.
enum class Repositories { All, AtTheRoot };

// The default list, and what the git repositories in the workspace add: their hooks, configuration and pointers, and what
// their configuration names besides. A directory that cannot be searched for them is protected as a whole. Looks at the disk;
// follows no symlink.
Result<std::vector<Protection>> default_protections(const Path& root, const GitUser& user, Repositories which);

}  // namespace pale::project
