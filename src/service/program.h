// service/program.h: where a program of the user's is installed, and what must be shown of that for it to start inside.
#pragma once

#include <span>

#include "project/guard.h"
#include "service/request.h"

namespace pale::service {

struct Program {
  std::string path;               // what is executed
  std::vector<Path> places;       // outside the system: what it consists of, to be granted for reading
  std::vector<Path> directories;  // for PATH: where its interpreter is found
};

// On the caller's PATH, unless it has a '/' in it. An error if there is none.
Result<std::string> find_program(const std::string& name, const Caller& caller);

// Follows links, "#!" lines and "env": a script in a package of npm's under the user's prefix, a virtual environment, or a
// plain file. What lies in a place that agents may write leads nowhere: it could name anything.
Result<Program> look_into_program(const std::string& path, const Caller& caller, const project::Surroundings& around,
                                  std::span<const Path> writable);

}  // namespace pale::service
