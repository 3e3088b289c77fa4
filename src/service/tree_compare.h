// service/tree_compare.h: whether a copy of a directory is still as its original.
#pragma once

#include <string>
#include <vector>

#include "base/path.h"
#include "sys/fd.h"

namespace pale::service {

// Paths below either that are not the same in both: missing in one, of another kind, with other contents, or executable in one
// only. What sys::copy_tree leaves out does not count. The first hundred. Refuses a copy in which something is mounted.
Result<std::vector<std::string>> compare_trees(const Path& original, const sys::Fd& copy);

// A number for what is in a tree: names, kinds, sizes, modes, inodes and times. Whoever changes something changes it.
std::uint64_t state_of_tree(const sys::Fd& directory);

}  // namespace pale::service
