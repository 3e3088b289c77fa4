// service/compose.h: folds defaults, terms and flags into the one value that decides.
#pragma once

#include "project/git.h"
#include "service/terms.h"
#include "sys/fd.h"

namespace pale::service {

// PATH inside.
inline constexpr std::string_view kSearchPath = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

struct Layout {
  plan::Backend backend;
  project::GitUser user;
  Path pale_home;
  bool nested = false;
  Path workspace;             // where the root appears inside: at its own place, but for a tenant's
  std::optional<Path> start;  // inside, of a tenant: where commands start, which is a workspace of its own
  std::vector<Path> layers;   // of the stage over the project; empty: there is none
  const std::vector<plan::Link>& system_links;
  bool own_names = false;  // names are answered inside
};

struct Composed {
  Boundary boundary;
  sys::Fd etc_in_use;  // to be held for as long as the boundary is in force
};

// Makes what the boundary needs under PALE_HOME: the project's private home, the small /etc.
Result<Composed> compose_boundary(const Request& request, const Caller& caller, const Path& root, const Terms& terms,
                                  const Layout& layout);

// Where a project's private home lies, and where its stages do.
Path private_home(const Path& pale_home, const Path& root);
Path stages_of(const Path& pale_home, const Path& root);

}  // namespace pale::service
