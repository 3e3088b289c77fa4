// stage/changes.h: finds what a stage changes, by walking what it holds; only what was touched costs time.
#pragma once

#include "stage/progress.h"
#include "stage/view.h"

namespace pale::stage {

// `progress` may be null.
Result<ChangeSet> find_changes(const View& view, Progress* progress);

// Whether there is any; looks no further than the first.
Result<bool> has_changes(const View& view);

}  // namespace pale::stage
