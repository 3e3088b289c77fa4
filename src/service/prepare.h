// service/prepare.h: a request made into one Boundary, and that into a Plan. Nothing is started.
#pragma once

#include "sandbox/sighting.h"
#include "service/staging.h"
#include "service/terms.h"
#include "service/tool_terms.h"
#include "sys/fd.h"

namespace pale::service {

struct Prepared {
  project::Resolved resolved;
  Terms terms;
  Boundary boundary;
  plan::Plan plan;
  plan::Facts facts;
  std::string pale_home;
  sys::Fd etc_in_use;
  Path start_directory;
  std::optional<Staging> staging;
  ToolTerms tools;                               // if it is tools that run
  std::optional<sandbox::WatchedScope> watched;  // if somebody is to be told

  const Path& root() const noexcept { return resolved.project.root(); }
};

// An automatic choice of backend assumes that namespaces can be made; `run` finds out and comes back with Landlock.
Result<Prepared> prepare(const Request& request, const Caller& caller);

// The same for a project as somebody imagines it, such as with another manifest. Nothing that is on disk as its own is read again.
Result<Prepared> prepare_imagined(const Request& request, const Caller& caller, project::Resolved resolved);

// PALE_HOME, else ~/.pale.
Result<Path> pale_home_of(const Caller& caller);
Result<Path> user_home_of(const Caller& caller);
Result<project::Surroundings> surroundings_of(const Caller& caller);

}  // namespace pale::service
