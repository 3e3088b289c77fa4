// stage/judge.h: which changes may not be applied, and which something on the host would execute.
#pragma once

#include <span>

#include "boundary/boundary.h"
#include "stage/view.h"

namespace pale::stage {

// Fills in `protected_by` and `executes`. Runs nothing of the project: it looks at names, modes and texts.
Status judge(const View& view, const Path& root, std::span<const Protection> protections, ChangeSet& changes);

}  // namespace pale::stage
