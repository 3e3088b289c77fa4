// sys/copy.h: the contents of a file, copied as they lie: shared blocks where the filesystem can, holes stay holes.
#pragma once

#include "base/error.h"
#include "sys/fd.h"

namespace pale::sys {

// From the beginning of one to the beginning of the other, which is empty.
Status copy_contents(const Fd& from, const Fd& to);
// Sets both times of a file.
Status set_modified(const Fd& fd, long long nanoseconds);

}  // namespace pale::sys
