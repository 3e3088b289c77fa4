// sys/tree.h: a file, or a directory with all that is in it, removed, moved or copied as a whole. No symlink is followed.
#pragma once

#include <cstdint>
#include <optional>

#include "base/error.h"
#include "sys/fd.h"

namespace pale::sys {

// Nothing there is fine.
Status remove_tree(int directory, const char* path);
// `removed` becomes the number of files and directories that are gone, also if it fails on the way.
Status remove_tree(int directory, const char* path, std::uint64_t& removed);
// Rename, or across filesystems copy and remove. It may be closed to its owner. If it fails, nothing of it is at the new place.
Status move_tree(int from, const char* old_path, int to, const char* new_path);
enum class Copy {
  Usable,  // contents, and whether they can be executed; sockets, pipes and devices are left out
  Whole,   // also permissions and times; what has no content to copy is an error
};
// An error, too, if directories lie in one another too deep.
Status copy_tree(int from, const char* old_path, int to, const char* new_path, Copy how = Copy::Usable);

// A directory of this user's that a program of his closed to him is open to him again. Its mode before, if that is another one.
std::optional<unsigned> open_to_owner(const Fd& directory);
// The mode of what a descriptor stands for that is not open for anything (O_PATH).
Status set_mode_of(const Fd& place, unsigned mode);

}  // namespace pale::sys
