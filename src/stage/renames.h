// stage/renames.h: a file that is gone and one that is new with the same contents are one that was renamed.
#pragma once

#include "stage/view.h"

namespace pale::stage {

ChangeSet join_renames(const View& view, ChangeSet changes);
bool same_bytes(const sys::Fd& left, const sys::Fd& right);

}  // namespace pale::stage
