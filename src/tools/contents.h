// tools/contents.h: all that a file, a link or a directory consists of: shown to whoever allows it to be moved or deleted, and told
// from anything else by a hash.
#pragma once

#include <string>

#include "base/error.h"

namespace pale::tools {

struct Contents {
  std::string list;  // of a directory, a line each: every name in it, with its size
  std::string hash;  // SHA-256 of names, kinds, permissions and bytes
};

// An error if it is more than anybody can be shown, or cannot be looked into: then nobody can allow it. A file that cannot be read
// is told from another by its size, and by the time of its last change, which nobody sets back.
Result<Contents> contents_of(int root, const std::string& path);

}  // namespace pale::tools
