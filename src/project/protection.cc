#include "project/protection.h"

#include <fcntl.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "sys/file.h"
#include "sys/process.h"

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
  Finder(const Path& root, ConfiguredPaths configured, Repositories which)
      : root_(root), configured_(std::move(configured)), which_(which) {}

  Result<std::vector<Protection>> find() {
    PALE_TRY(named, configured_.of_user(root_));
    add_configured(named);
    PALE_CHECK(walk(root_, 0));
    return std::move(protections_);
  }

 private:
  static constexpr int kDeepest = 256;

  Status walk(const Path& directory, int depth) {
    const auto fd = sys::open_at(sys::kAbsolute, directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!fd) return leave_closed(directory);
    PALE_TRY(entries, sys::list_directory(*fd));
    if (is_git_directory(directory, entries)) PALE_CHECK(add_git_directory(directory, entries));
    for (const sys::Entry& entry : entries) {
      if (entry.name == ".git" && entry.kind != sys::FileKind::Directory) {
        PALE_CHECK(add_pointer(directory / ".git"));
      } else if (entry.kind == sys::FileKind::Directory && is_searched(directory, entry.name) && depth < kDeepest) {
        PALE_CHECK(walk(directory / entry.name, depth + 1));
      }
    }
    return {};
  }

  // What cannot be looked into now can be opened again inside by its owner, and gone into by who knows a name in there: it
  // stays as it is. What belongs to others and lets nobody in is out of reach inside as well.
  Status leave_closed(const Path& directory) {
    const auto info = sys::file_info(sys::kAbsolute, directory.c_str());
    if (!info && directory != root_) return leave_closed(directory.parent());
    if (info && info->kind != sys::FileKind::Directory) return {};  // It was one just before.
    const bool reachable = !info || info->owner == sys::user_id() || sys::may_execute(directory.c_str());
    if (!reachable) return {};
    if (directory == root_)
      return fail(ErrorKind::Refused, "cannot look for git repositories, whose hooks would be protected, in",
                  directory.text(), "chmod u+rx " + shell_word(directory.text()));
    std::erase_if(protections_, [&](const Protection& one) { return directory.covers(one.path); });
    protections_.push_back({directory, Match::Exact, "closed directory"});
    return {};
  }

  static bool has(const std::vector<sys::Entry>& entries, std::string_view name) {
    return std::ranges::find(entries, name, &sys::Entry::name) != entries.end();
  }

  // Also a bare repository, a submodule's under .git/modules, and a linked worktree's under .git/worktrees. By its name, or
  // by what is protected itself: whatever else makes it one can be moved away in one run and back in the next.
  static bool is_git_directory(const Path& directory, const std::vector<sys::Entry>& entries) {
    if (directory.name() == ".git" || has(entries, "commondir")) return true;
    if (has(entries, "HEAD") && has(entries, "objects") && has(entries, "refs")) return true;
    const auto config = std::ranges::find(entries, std::string_view("config"), &sys::Entry::name);
    return config != entries.end() && config->kind == sys::FileKind::File && is_repository_config(directory / "config");
  }

  bool is_searched(const Path& directory, std::string_view name) const {
    if (which_ == Repositories::AtTheRoot && directory == root_ && name != ".git") return false;
    // Thousands of directories in which nothing executes.
    return name != "objects" || !(directory.name() == ".git" || directory.name().ends_with(".git"));
  }

  // A link, too, which is refused then: what it leads to is somewhere else as soon as it is replaced.
  Status add_pointer(const Path& pointer) {
    protections_.push_back({pointer, Match::Exact, "git worktree or submodule"});
    const auto place = place_behind(pointer);
    return place ? add_place(*place) : Status();
  }

  Status add_git_directory(const Path& directory, const std::vector<sys::Entry>& entries) {
    PALE_CHECK(add_place({directory, has(entries, "commondir") ? common_directory(directory) : directory,
                          directory.name() == ".git" ? directory.parent() : directory}));
    if (directory == root_ / ".git") return {};  // in the default list
    for (const std::string_view part : kGitParts)
      protections_.push_back({directory / part, Match::Exact, "nested git repository"});
    return {};
  }

  Status add_place(const GitPlace& place) {
    PALE_TRY(named, configured_.of_repository(place));
    add_configured(named);
    return {};
  }

  void add_configured(const std::vector<Path>& named) {
    for (const Path& path : named) {
      if (root_.covers(path) && path != root_) protections_.push_back({path, Match::Exact, "git configuration"});
    }
  }

  const Path& root_;
  ConfiguredPaths configured_;
  Repositories which_;
  std::vector<Protection> protections_;
};

}  // namespace

Result<std::vector<Protection>> default_protections(const Path& root, const GitUser& user, Repositories which) {
  PALE_TRY(configured, ConfiguredPaths::read(user));
  PALE_TRY(protections, Finder(root, std::move(configured), which).find());
  const std::size_t found = protections.size();
  for (const Default& entry : kDefaults) {
    const Path path = root / entry.path;
    // Of a .git that is a file, or is closed, nothing beneath it can be looked at.
    const auto end = protections.begin() + static_cast<std::ptrdiff_t>(found);
    if (std::any_of(protections.begin(), end, [&](const Protection& one) { return one.covers(path); })) continue;
    protections.push_back({path, entry.match, "default"});
  }
  return protections;
}

}  // namespace pale::project
