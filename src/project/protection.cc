#include "project/protection.h"

#include <fcntl.h>

#include <algorithm>
#include <string_view>

#include "project/git.h"
#include "sys/file.h"

namespace pale::project {
namespace {

struct Default {
  std::string_view path;
  Match match = Match::Exact;
};
// Things that a tool on the host executes or obeys as soon as somebody opens the folder; Pale itself is one.
constexpr Default kDefaults[] = {{".git/hooks"},
                                 {".git/config"},
                                 {".git/config.worktree"},
                                 {".git/commondir"},
                                 {".pale"},
                                 {".vscode"},
                                 {".idea"},
                                 {".mcp.json"},
                                 {".envrc"},
                                 {".claude/settings*.json", Match::Glob},
                                 {".codex"},
                                 {"golem-forge.config.yaml"},
                                 {"golem-forge.config.yml"}};

constexpr std::string_view kGitParts[] = {"hooks", "config", "config.worktree", "commondir"};

class Finder {
 public:
  Finder(const Path& root, const Path& user_home, Repositories which)
      : root_(root), configured_(user_home), which_(which) {}

  Status walk(const Path& directory, int depth) {
    const auto fd = sys::open_at(sys::kAbsolute, directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!fd) return {};  // Unreadable for this user: unreadable and unwritable inside too.
    PALE_TRY(entries, sys::list_directory(*fd));
    if (is_git_directory(entries)) add_git_directory(directory);
    for (const sys::Entry& entry : entries) {
      if (entry.name == ".git" && entry.kind == sys::FileKind::File) {
        protections.push_back({directory / ".git", Match::Exact, "git worktree or submodule"});
      } else if (entry.kind == sys::FileKind::Directory && is_searched(directory, entry.name) && depth < kDeepest) {
        PALE_CHECK(walk(directory / entry.name, depth + 1));
      }
    }
    return {};
  }

  std::vector<Protection> protections;

 private:
  static constexpr int kDeepest = 256;

  static bool has(const std::vector<sys::Entry>& entries, std::string_view name) {
    return std::ranges::find(entries, name, &sys::Entry::name) != entries.end();
  }

  // Also a bare repository, a submodule's under .git/modules, and a linked worktree's under .git/worktrees.
  static bool is_git_directory(const std::vector<sys::Entry>& entries) {
    return has(entries, "HEAD") && ((has(entries, "objects") && has(entries, "refs")) || has(entries, "commondir"));
  }

  bool is_searched(const Path& directory, std::string_view name) const {
    if (which_ == Repositories::AtTheRoot && directory == root_ && name != ".git") return false;
    // Thousands of directories in which nothing executes.
    return name != "objects" || !(directory.name() == ".git" || directory.name().ends_with(".git"));
  }

  void add_git_directory(const Path& directory) {
    add_configured(directory, directory.name() == ".git" ? directory.parent() : directory);
    if (directory == root_ / ".git") return;  // in the default list
    for (const std::string_view part : kGitParts)
      protections.push_back({directory / part, Match::Exact, "nested git repository"});
  }

  void add_configured(const Path& git_directory, const Path& worktree) {
    for (const Path& path : configured_.of_repository(git_directory, worktree)) {
      if (root_.covers(path) && path != root_) protections.push_back({path, Match::Exact, "git configuration"});
    }
  }

  const Path& root_;
  ConfiguredPaths configured_;
  Repositories which_;
};

}  // namespace

Result<std::vector<Protection>> default_protections(const Path& root, const Path& user_home, Repositories which) {
  Finder finder(root, user_home, which);
  PALE_CHECK(finder.walk(root, 0));
  std::vector<Protection> protections = std::move(finder.protections);
  const bool git_is_file =
      std::ranges::any_of(protections, [&](const Protection& found) { return found.path == root / ".git"; });
  for (const Default& entry : kDefaults) {
    if (git_is_file && entry.path.starts_with(".git/")) continue;
    protections.push_back({root / entry.path, entry.match, "default"});
  }
  return protections;
}

}  // namespace pale::project
