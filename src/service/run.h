// service/run.h: the use cases of this machine's front ends: run a command, and look before one does.
#pragma once

#include "sandbox/launch.h"
#include "service/prepare.h"

namespace pale::service {

struct RunOutcome {
  sandbox::RunResult result;
  std::vector<Path> cleaned;  // appeared at protected paths in earlier runs that were killed, now in quarantine
  std::string quarantine;
  std::string stage;         // the stage that holds what was changed; else empty
  std::string kept;          // a temporary project that stays; else empty
  std::string why_landlock;  // the automatic choice fell on Landlock because of this; else empty
};

Result<RunOutcome> run(Request request, const Caller& caller);

// The caller's shell, if it is part of the system that exists inside, else /bin/bash.
std::string shell_inside(const Caller& caller);

// Whether this process could make the namespaces of a sandbox; asked of the kernel.
Status try_namespaces();

}  // namespace pale::service
