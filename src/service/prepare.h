// service/prepare.h: a request made into one Boundary, and that into a Plan. Nothing is started.
#pragma once

#include "project/root.h"
#include "service/request.h"
#include "sys/fd.h"

namespace pale::service {

struct Prepared {
  project::Root root;
  Boundary boundary;
  plan::Plan plan;
  plan::Facts facts;
  std::string pale_home;
  sys::Fd etc_in_use;
  Path start_directory;  // the caller's working directory if it lies in the project, else the root
};

// An automatic choice of backend assumes that namespaces can be made; `run` finds out and comes back with Landlock.
Result<Prepared> prepare(const Request& request, const Caller& caller);

// PALE_HOME, else ~/.pale.
Result<Path> pale_home_of(const Caller& caller);
Result<Path> user_home_of(const Caller& caller);

}  // namespace pale::service
