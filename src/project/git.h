// project/git.h: the little that Pale reads of git repositories, without running git.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/path.h"

namespace pale::project {

// Whose configuration counts in every repository.
struct GitUser {
  Path home;
  std::optional<Path> config_home;  // XDG_CONFIG_HOME, if it is set
};

// One repository, from where somebody works in it.
struct GitPlace {
  Path directory;  // .git, or what a file of that name points to
  Path common;     // where the configuration lies that linked worktrees share; mostly the same
  Path worktree;   // what relative paths are relative to
};

// What the `.git` file of a linked worktree or a submodule leads to; nothing if it is no such file.
std::optional<GitPlace> place_behind(const Path& pointer);
// What the file `commondir` of a git directory names; without one the directory itself.
Path common_directory(const Path& git_directory);
// Whether a file called `config` is a repository's: there are others of that name.
bool is_repository_config(const Path& file);

// What git obeys besides a repository itself, because a configuration says so: the folder of core.hooksPath, and included
// files. Wherever they lie. A hook folder that holds the worktree is no folder of hooks alone: there it is the hooks by name.
class ConfiguredPaths {
 public:
  // With the user's and the system's configuration.
  static Result<ConfiguredPaths> read(GitUser user);

  // Of that configuration, what depends on no repository. `worktree`: as if somebody worked there.
  Result<std::vector<Path>> of_user(const Path& worktree);
  Result<std::vector<Path>> of_repository(const GitPlace& place);

 private:
  struct Said {
    std::vector<std::string> hooks;  // as written, as the next
    std::vector<std::string> worktrees;
    std::vector<Path> included;
  };
  // Of all files that are read for one project: whoever makes a repository in it must not make the next run endless.
  struct Budget {
    std::size_t bytes;
    std::size_t names;
  };

  explicit ConfiguredPaths(GitUser user);
  Status add(Said& said, const Path& file);
  Status add_one(Said& said, const Path& file);
  Status add_hooks(std::vector<Path>& paths, const std::string& value, const GitPlace& place);
  Status spend_name(const Path& file);

  GitUser user_;
  Budget budget_;
  Said general_;
};

}  // namespace pale::project
