// sandbox/attend.h: the first process while the one command lives that the sandbox was made for.
#pragma once

#include "sandbox/standing.h"

namespace pale::sandbox {

// Returns when the command has ended, and with it everything it started.
Status attend_command(Standing& standing, const Command& command);

}  // namespace pale::sandbox
