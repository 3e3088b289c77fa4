// stage/apply.h: a stage's changes go into what lies beneath it; an apply is undone; what a kill interrupted goes on.
#pragma once

#include "stage/progress.h"
#include "stage/select.h"
#include "stage/store.h"
#include "stage/transaction.h"

namespace pale::stage {

// For whoever changes the project: one at a time.
Result<sys::Fd> lock_history(const Store& store);

// Whether something was interrupted, or is going on now; costs one look.
bool is_under_way(const Store& store);
// Finishes, or takes back, what was interrupted. With the history locked.
Status recover(const Store& store);

// All of them or none. The stage must be locked. Nothing if there was nothing to do.
Result<std::optional<Journal>> apply(const Store& store, const Stage& stage, const std::vector<Item>& items,
                                     Progress* progress);

// Puts back what an apply, or an undo, has changed. Refuses if any of it changed since.
Result<Journal> undo(const Store& store, const Journal& journal);

// Whether a path can be taken out of a stage so that what lies beneath shows again: not out of a directory that was made anew.
Result<bool> can_forget(const sys::Fd& upper, const std::string& path);
// Takes paths out of a stage, so that what lies beneath shows again.
Status forget_paths(const Stage& stage, const std::vector<std::string>& paths);

// What was applied, the latest last; without those that are under way.
Result<std::vector<Journal>> read_history(const Store& store);

}  // namespace pale::stage
