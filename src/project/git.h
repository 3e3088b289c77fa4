// project/git.h: the little that Pale reads of git's configuration, without running git.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"

namespace pale::project {

// Values of one key, "core.hookspath", in a git configuration text, in order; section and key compare without case.
std::vector<std::string> config_values(std::string_view text, std::string_view section, std::string_view key);

// What a repository's configuration makes git obey besides itself: the folder of core.hooksPath, also from the user's and the
// system's configuration, and the files it includes. Wherever they lie.
class ConfiguredPaths {
 public:
  explicit ConfiguredPaths(Path user_home);
  // `worktree`: what relative paths in it are relative to.
  std::vector<Path> of_repository(const Path& git_directory, const Path& worktree) const;

 private:
  Path user_home_;
  std::vector<std::string> general_hooks_;  // core.hooksPath outside the repository, as written
};

}  // namespace pale::project
