// service/run.h: the use cases of this machine's front ends: run a command, and look before one does.
#pragma once

#include "sandbox/launch.h"
#include "service/prepare.h"
#include "service/ref_report.h"
#include "service/run_times.h"
#include "service/visit_log.h"

namespace pale::service {

struct RunOutcome {
  sandbox::RunResult result;
  std::vector<Path> cleaned;       // appeared at protected paths in earlier runs that were killed, now in quarantine
  std::optional<Error> unsettled;  // why it could not be made sure that nothing is left of such a run
  std::string quarantine;
  std::string stage;              // the stage that holds what was changed; else empty
  bool stage_has_folders = true;  // something in the folders of the run is changed in it
  std::vector<RefReport> refs;    // of commits outside the scope: of this run, and of earlier ones that were killed
  std::vector<std::string>
      outside_file_scope;     // files that were changed in the project, and match none of its patterns
  std::string kept;           // a temporary project that stays; else empty
  std::string why_landlock;   // the automatic choice fell on Landlock because of this; else empty
  std::string why_unwatched;  // although somebody was to be told; else empty
  std::optional<sandbox::WatchedScope> watched;
  std::unique_ptr<VisitLog> visits;  // with an allow-list
  Path root = Path::root();
  Path pale_home = Path::root();
  std::string project;  // its id
  RunTimes times;
  std::string manifest_head;  // of a manifest for the project, if the run was to be learnt from
};

// `onlooker`: hears what the request's attention is for, while it happens.
Result<RunOutcome> run(Request request, const Caller& caller, sandbox::Onlooker* onlooker = nullptr);

// The caller's shell, if it is part of the system that exists inside, else /bin/bash.
std::string shell_inside(const Caller& caller);

// Whether this process could make the namespaces of a sandbox; asked of the kernel.
Status try_namespaces();

}  // namespace pale::service
