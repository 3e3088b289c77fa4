// service/system.h: what of the host is the system, shown in every boundary: programs, a small /etc, and the variables that go
// with them.
#pragma once

#include "service/compose.h"

namespace pale::service {

inline constexpr std::string_view kSystemDirectories[] = {"/usr",   "/bin",   "/sbin",  "/lib",
                                                          "/lib32", "/lib64", "/libx32"};

struct System {
  std::vector<Grant> grants;
  sys::Fd etc_in_use;  // to be held for as long as a boundary with them is in force
};
Result<System> show_system(const Layout& layout, const Path& inside_home);

std::vector<Variable> usual_environment(const Caller& caller, const Path& home, const Path& temporary);

// PALE_HOME could not be written.
Error home_error(Error error, const Path& pale_home);

}  // namespace pale::service
