// project/git.h: the little that Pale reads of git's configuration, without running git.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"

namespace pale::project {

// Values of one key, "core.hookspath", in a git configuration text, in order; section and key compare without case.
std::vector<std::string> config_values(std::string_view text, std::string_view section, std::string_view key);

// Folders inside the root that git would take hooks from: core.hooksPath in the repository's, the user's and the system's
// configuration and in what those include.
std::vector<Path> hook_folders(const Path& root, const Path& user_home);

}  // namespace pale::project
