// sys/unnamed.h: a file that has no name until it is whole: whoever is killed before that leaves nothing behind.
#pragma once

#include "base/error.h"
#include "sys/fd.h"

namespace pale::sys {

// For writing, on the filesystem of a directory. Not every filesystem has such files (is_unsupported).
Result<Fd> open_unnamed(int directory, const char* path, unsigned mode);
bool is_unsupported(const Error& error) noexcept;
// Its first name, where there is none yet (EEXIST).
Status give_name(const Fd& unnamed, int directory, const char* path);

}  // namespace pale::sys
