// service/home.h: the private home of a project, and what of the user's own is copied into it.
#pragma once

#include <span>
#include <string>

#include "base/path.h"

namespace pale::service {

struct Homes {
  const Path& user;
  const Path& inside;  // agents write there: nothing in it is trusted, no link in it is followed
};

// Files and directories of the user's home, named relative to it, that are missing in the private one. What the user does not
// have is left out.
Status copy_home_files(const Homes& homes, std::span<const std::string> names);

// The name and address the user commits under, and nothing else of his git configuration: without them nobody can commit
// inside. Written once; a repository's own configuration counts before it.
Status introduce_to_git(const Homes& homes);

}  // namespace pale::service
