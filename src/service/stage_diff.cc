#include "service/stage_diff.h"

#include <algorithm>

#include "base/line_diff.h"
#include "base/text.h"
#include "stage/colour.h"
#include "stage/merge.h"

namespace pale::service {
namespace {

stage::Version version_of(const stage::EntryState& state, std::string_view text) {
  switch (state.kind) {
    case stage::EntryKind::File: return {stage::VersionKind::File, state.mode, text};
    case stage::EntryKind::Symlink: return {stage::VersionKind::Symlink, state.mode, text};
    default: return {};
  }
}

std::string commented(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    out += "# " + text.substr(at, end - at) + "\n";
    at = end + 1;
  }
  return out;
}

// Only the conflicts themselves, with a few lines around each.
std::string around_markers(const std::string& text) {
  constexpr std::size_t kAround = 3;
  const auto lines = split_lines(text);
  std::vector<bool> kept(lines.size());
  bool inside = false;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    inside = inside || lines[at].starts_with("<<<<<<< ");
    if (!inside) continue;
    for (std::size_t near = at - std::min(at, kAround); near <= std::min(at + kAround, lines.size() - 1); ++near)
      kept[near] = true;
    if (lines[at].starts_with(">>>>>>> ")) inside = false;
  }
  std::string shown;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (kept[at]) shown += lines[at];
    if (!kept[at] && at > 0 && kept[at - 1]) shown += "...\n";
  }
  return shown;
}

std::string conflict_reason(const stage::Change& change) {
  if (change.after.kind == stage::EntryKind::Missing) return "(deleted in the stage)";
  if (change.before.kind == stage::EntryKind::Missing) return "(changed in the stage)";
  return "(the three versions cannot be shown: binary, too large, or no original was kept)";
}

Result<std::string> conflict_text(const stage::View& view, const stage::Change& change) {
  PALE_TRY(merged, three_way(view, change));
  const std::string text = "# Conflict in " + printable(change.path) + ": " + std::string(to_text(change.conflict)) +
                           " beneath the stage since it began\n";
  if (!merged) return text + commented(conflict_reason(change));
  if (merged->conflicts == 0) return text + commented("(the two changes do not touch: --merge puts them together)");
  return text + commented(around_markers(merged->text));
}

Result<FileDiff> diff_of(const stage::View& view, const stage::Change& change) {
  PALE_TRY(before, view.text_beneath(change.from.empty() ? change.path : change.from));
  PALE_TRY(after, view.text_in_stage(change.path));
  const stage::Version then = version_of(change.before, before);
  const stage::Version now = version_of(change.after, after);
  FileDiff diff{&change, {}, stage::count_lines(then, now)};
  if (change.conflict == stage::Conflict::None) {
    diff.patch = stage::patch_of(change.path, then, now, change.from);
  } else {
    PALE_TRY(text, conflict_text(view, change));
    diff.patch = std::move(text);
  }
  return diff;
}

}  // namespace

Result<std::vector<FileDiff>> diff_changes(const Stages& stages, const stage::Stage& stage,
                                           const stage::ChangeSet& changes) {
  PALE_TRY(view, stages.view(stage));
  std::vector<FileDiff> diffs;
  for (const stage::Change& change : changes) {
    PALE_TRY(diff, diff_of(view, change));
    if (!diff.patch.empty()) diffs.push_back(std::move(diff));
  }
  return diffs;
}

std::string for_terminal(std::string_view patch) { return stage::coloured_patch(patch); }

Result<std::optional<HunkedFile>> HunkedFile::open(const stage::View& view, const stage::Change& change) {
  const bool files = change.before.kind == stage::EntryKind::File && change.after.kind == stage::EntryKind::File;
  if (!files || change.kind != stage::ChangeKind::Changed) return std::nullopt;
  HunkedFile file;
  PALE_TRY(before, view.text_beneath(change.path));
  PALE_TRY(after, view.text_in_stage(change.path));
  if (stage::is_binary(before) || stage::is_binary(after)) return std::nullopt;
  file.before_ = std::move(before);
  file.after_ = std::move(after);
  const auto old_lines = split_lines(file.before_);
  const auto new_lines = split_lines(file.after_);
  file.hunks_ = hunks_of(diff_lines(old_lines, new_lines), old_lines.size(), new_lines.size());
  return file;
}

std::string HunkedFile::text(std::size_t at) const {
  return hunk_text(split_lines(before_), split_lines(after_), hunks_[at]);
}

std::string HunkedFile::with(const std::vector<std::size_t>& chosen) const {
  std::vector<Hunk> hunks;
  for (const std::size_t at : chosen) hunks.push_back(hunks_[at]);
  return with_hunks(split_lines(before_), split_lines(after_), hunks);
}

}  // namespace pale::service
