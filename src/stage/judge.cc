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
    PALE_TRY(reason, reason_for(view, change));
    change.executes = std::move(reason);
  }
  mark_planted(changes);
  return {};
}

}  // namespace pale::stage
