// worker/declaration.h: what a project says of zones and workers, in either of its two formats, before anything is decided.
#pragma once

#include "project/settings.h"
#include "worker/worker_file.h"

namespace pale::worker {

using project::ApprovalMode;
using project::SandboxMode;

struct DeclaredZone {
  std::string name;
  std::string path;             // as written
  std::optional<Path> settled;  // instead, of one that an enclosing project declares: where it is
  Access access = Access::Write;
  ZoneApproval approval;
  std::string where;
};

struct Declaration {
  std::string file;        // for people: which of the formats this is
  SandboxMode usual_mode;  // if it says none
  std::optional<SandboxMode> mode;
  std::optional<std::string> root;
  std::vector<DeclaredZone> zones;
  std::optional<ApprovalMode> approval;
  std::optional<std::uint64_t> max_depth;
  std::optional<std::uint64_t> max_calls;
  std::optional<std::uint64_t> call_seconds;
  std::vector<project::Said<std::string>> worker_paths;
  std::vector<OtherKey> other;
};

// A manifest's: [sandbox], [zones.NAME], [approval], [delegation], [workers].
Declaration declared_by(const project::Settings& settings);
// Where in a manifest the first of these stands; empty if there is none.
std::string first_place(const project::Settings& settings);

}  // namespace pale::worker
