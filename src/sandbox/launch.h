// sandbox/launch.h: a plan carried out for one command: starts the sandbox, waits for it outside, and sees to it that nothing
// is left.
#pragma once

#include "sandbox/command.h"
#include "sandbox/outside.h"

namespace pale::sandbox {

Result<RunResult> run(const SandboxRequest& request, const Command& command);

}  // namespace pale::sandbox
