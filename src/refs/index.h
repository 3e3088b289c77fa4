// refs/index.h: what is staged outside some folders: the next commit of the user would take it along.
#pragma once

#include "base/path.h"

namespace pale::refs {

// As bytes of its file; empty if there is none. Fails if it is of a kind that cannot be read.
Result<std::string> read_index(const Path& git_directory);

// Paths outside the folders whose entries are not as they were, the first few of them.
Result<std::vector<std::string>> staged_outside(const Path& git_directory, const std::string& before,
                                                const std::vector<Path>& folders);

// Outside the folders, the entries are as they were before; where that cannot be done, the whole index is.
Status put_index_back(const Path& git_directory, const std::string& before, const std::vector<Path>& folders);

}  // namespace pale::refs
