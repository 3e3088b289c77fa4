// refs/read.h: every ref of a repository, read from its files: also those that git would pass over in silence.
#pragma once

#include "base/path.h"
#include "refs/ref.h"

namespace pale::refs {

// Of a git directory; sorted. Through no link.
Result<std::vector<Ref>> read_refs(const Path& git_directory);

}  // namespace pale::refs
