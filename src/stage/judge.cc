#include "stage/judge.h"

#include <algorithm>

#include "stage/gate.h"

namespace pale::stage {
namespace {

Result<std::string> reason_for(const View& view, const Change& change) {
  GateView gate{.path = change.path};
  gate.existed = change.before.kind != EntryKind::Missing && change.from.empty();
  gate.exists = change.after.kind != EntryKind::Missing;
  gate.is_symlink = change.after.kind == EntryKind::Symlink;
  gate.mode_after = change.after.kind == EntryKind::File ? change.after.mode : 0;
  if (change.after.kind == EntryKind::Directory) return std::string();
  std::string before;
  std::string after;
  if (gate.exists && needs_text(change.path)) {
    PALE_TRY(then, gate.existed ? view.text_beneath(change.path) : Result<std::string>(std::string()));
    PALE_TRY(now, view.text_in_stage(change.path));
    before = std::move(then);
    after = std::move(now);
  }
  gate.text_before = before;
  gate.text_after = after;
  return gate_reason(gate);
}

bool is_git_directory(const View& view, const std::string& directory) {
  const auto has = [&](const char* name) {
    const auto place = sandbox::find_place(view.beneath(), directory.empty() ? name : directory + "/" + name);
    return place && place->directory.holder(place->name.c_str()) != nullptr;
  };
  return has("HEAD") && ((has("objects") && has("refs")) || has("commondir"));
}

// What a repository in the project executes or obeys, wherever it lies; found by the paths that changed, not by a search.
bool belongs_to_a_repository(const View& view, const Change& change) {
  constexpr std::string_view kParts[] = {"hooks", "config", "config.worktree", "commondir"};
  const std::string& path = change.path;
  if ((path == ".git" || path.ends_with("/.git")) && change.before.kind == EntryKind::File) return true;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const bool part = std::ranges::find(kParts, std::string_view(path).substr(begin, end - begin)) != std::end(kParts);
    if (part && is_git_directory(view, begin == 0 ? "" : path.substr(0, begin - 1))) return true;
    begin = end + 1;
  }
  return false;
}

void mark_planted(ChangeSet& changes) {
  std::vector<std::string_view> created;
  for (const Change& change : changes) {
    if (change.before.kind == EntryKind::Missing) created.push_back(change.path);
  }
  for (const std::string& repository : planted_repositories(created)) {
    for (Change& change : changes) {
      const bool inside = repository == "." || covers(repository, change.path);
      if (inside && change.before.kind == EntryKind::Missing && change.executes.empty())
        change.executes = "part of a new git repository, " + repository;
    }
  }
}

}  // namespace

Status judge(const View& view, const Path& root, std::span<const Protection> protections, ChangeSet& changes) {
  for (Change& change : changes) {
    for (const std::string& path : {change.path, change.from}) {
      const auto covered = [&](const Protection& protection) {
        // A file or a link where a directory would be above it brings its own along.
        const bool passage = change.after.kind != EntryKind::Missing && change.after.kind != EntryKind::Directory;
        return protection.covers(root / path) || (passage && protection.is_below(root / path));
      };
      const auto found = path.empty() ? protections.end() : std::ranges::find_if(protections, covered);
      if (found != protections.end()) change.protected_by = found->path.text() + " (" + found->origin + ")";
    }
    if (change.protected_by.empty() && belongs_to_a_repository(view, change))
      change.protected_by = "a git repository in the project";
    PALE_TRY(reason, reason_for(view, change));
    change.executes = std::move(reason);
  }
  mark_planted(changes);
  return {};
}

}  // namespace pale::stage
