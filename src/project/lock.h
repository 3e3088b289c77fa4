// project/lock.h: files of PALE_HOME are changed by one process at a time.
#pragma once

#include <string>

#include "base/error.h"
#include "sys/fd.h"

namespace pale::project {

// Waits for its turn, a minute at most: fifty others may come first, each with its flushes to disk. Goes with the descriptor.
// `what` is locked, for the error.
Result<sys::Fd> take_lock(const std::string& file, const std::string& what);

}  // namespace pale::project
