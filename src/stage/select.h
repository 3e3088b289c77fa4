// stage/select.h: which changes an apply is about, and which of them stand in its way. Pure.
#pragma once

#include <optional>
#include <span>

#include "stage/change.h"

namespace pale::stage {

// A change to be applied.
struct Item {
  Change change;
  std::optional<std::string> text;  // these contents instead of the stage's: merged, or some of its hunks
  bool stays = false;               // in the stage, since the rest of it was not wanted
};

struct Selection {
  std::vector<Item> items;
  // Of these, what must be settled first.
  ChangeSet conflicts;
  ChangeSet executes;
  ChangeSet protections;
};

// Those at or below `paths`; all, if none are given. The new directories that they lie in come along. `allowed`: paths whose
// execution on the host is allowed.
Selection select_changes(const ChangeSet& changes, std::span<const std::string> paths,
                         std::span<const std::string> allowed);

// With all that it holds.
bool takes_directory_away(const Change& change);

// Without some of them. A directory that holds one of those stays.
std::vector<Item> without(std::vector<Item> items, const ChangeSet& left_out);

}  // namespace pale::stage
