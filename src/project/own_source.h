// project/own_source.h: Pale's own source tree, or any other copy of it, told by what only such a tree has.
#pragma once

#include "base/path.h"

namespace pale::project {

// Whether a directory is one, or lies in one.
bool is_own_source(const Path& directory);

}  // namespace pale::project
