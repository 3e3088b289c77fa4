// tools/put.h: new contents for a file, whole or not at all.
#pragma once

#include <string>
#include <string_view>

#include "tools/tool.h"

namespace pale::tools {

struct Put {
  bool created = false;
  // Not where the file alone may be written and nothing beside it, or nothing renamed: then it was written in its place.
  bool atomic = true;
};

// Written beside it, where the filesystem can without a name, and renamed over it; its permissions stay. A link stays a link, and
// what it leads to gets the contents.
Result<Put> put_file(const Call& call, const std::string& path, std::string_view content);

// Contents are for files, and for what is to become one.
Status check_kind(const std::string& path, sys::FileKind kind);

// A name that nobody has, in the same directory.
Result<std::string> name_beside(const std::string& path);

}  // namespace pale::tools
