#include "stage/select.h"

#include <algorithm>

namespace pale::stage {
namespace {

bool any_covers(std::span<const std::string> paths, const Change& change) {
  return std::ranges::any_of(paths, [&](const std::string& path) {
    return covers(path, change.path) || (!change.from.empty() && covers(path, change.from));
  });
}

bool is_new_directory(const Change& change) {
  return change.after.kind == EntryKind::Directory && change.kind != ChangeKind::ModeChanged;
}

}  // namespace

bool takes_directory_away(const Change& change) {
  return change.before.kind == EntryKind::Directory && change.kind != ChangeKind::ModeChanged;
}

Selection select_changes(const ChangeSet& changes, std::span<const std::string> paths,
                         std::span<const std::string> allowed) {
  std::vector<bool> chosen(changes.size());
  for (std::size_t at = 0; at < changes.size(); ++at) chosen[at] = paths.empty() || any_covers(paths, changes[at]);
  // From the last on: a directory that comes along brings those above it.
  for (std::size_t at = changes.size(); at-- > 0;) {
    if (!chosen[at]) continue;
    for (std::size_t above = 0; above < at; ++above) {
      if (is_new_directory(changes[above]) && covers(changes[above].path, changes[at].path)) chosen[above] = true;
    }
  }
  Selection selection;
  for (std::size_t at = 0; at < changes.size(); ++at) {
    const Change& change = changes[at];
    if (!chosen[at]) continue;
    selection.items.push_back({change});
    if (change.conflict != Conflict::None) selection.conflicts.push_back(change);
    if (!change.executes.empty() && !any_covers(allowed, change)) selection.executes.push_back(change);
    if (!change.protected_by.empty()) selection.protections.push_back(change);
  }
  return selection;
}

std::vector<Item> without(std::vector<Item> items, const ChangeSet& left_out) {
  std::erase_if(items, [&](const Item& item) {
    return std::ranges::any_of(left_out, [&](const Change& change) {
      return item.change.path == change.path ||
             (takes_directory_away(item.change) && covers(item.change.path, change.path));
    });
  });
  return items;
}

}  // namespace pale::stage
