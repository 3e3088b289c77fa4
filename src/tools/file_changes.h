// tools/file_changes.h: what make_directory, move and delete would change. Nothing, where the tool will say
// that it cannot be done.
#pragma once

#include "tools/tool.h"

namespace pale::tools {

Result<Change> change_by_making(const Call& call);
Result<Change> change_by_moving(const Call& call);
Result<Change> change_by_deleting(const Call& call);

// Of "." and "..", all in it would be gone before the kernel says that there is no such name to delete.
Status check_named(const std::string& path);

}  // namespace pale::tools
