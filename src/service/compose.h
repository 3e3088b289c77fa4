// service/compose.h: folds defaults and flags into the one value that decides.
#pragma once

#include "project/root.h"
#include "service/request.h"
#include "sys/fd.h"

namespace pale::service {

struct Layout {
  plan::Backend backend;
  Path user_home;
  Path pale_home;
  bool nested = false;
  const std::vector<plan::Link>& system_links;
};

struct Composed {
  Boundary boundary;
  sys::Fd etc_in_use;  // to be held for as long as the boundary is in force
};

// Makes what the boundary needs under PALE_HOME: the project's private home, the small /etc.
Result<Composed> compose_boundary(const Request& request, const Caller& caller, const project::Root& root,
                                  const Layout& layout);

}  // namespace pale::service
