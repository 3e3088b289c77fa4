// project/here.h: the one place that knows the current directory. Whatever a user names relative to it becomes an absolute
// path here, once; nothing else of Pale asks where it stands (scripts/check-modules sees to that).
#pragma once

#include <string>

#include "base/path.h"

namespace pale::project {

// Where the user stands.
Result<Path> here();

// As written if absolute, else below the current directory. Not resolved: "..", links and all are left to the kernel.
Result<std::string> from_here(const std::string& given);

}  // namespace pale::project
