// sandbox/serve.h: the first process of a live sandbox: commands as they are ordered, one at a time. What a command leaves running
// stays, as on any machine, until the sandbox ends.
#pragma once

#include "sandbox/standing.h"

namespace pale::sandbox {

// Returns when the host is gone, or a protected path appeared.
Status serve_commands(Standing& standing);

}  // namespace pale::sandbox
