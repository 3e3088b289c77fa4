// sandbox/supervise.h: outside, while the sandbox lives: signals, job control, the clock.
#pragma once

#include "sandbox/init.h"
#include "sandbox/launch.h"

namespace pale::sandbox {

// Waits until nothing inside runs any more but, perhaps, the first process on its way out; and for everything the user does meanwhile. `news` is read when `shared` changed.
Result<Ending> supervise(const RunRequest& request, const LimitPlan& limits, Shared& shared, const sys::Child& init,
                         const sys::Fd& news, TerminalUse terminal);

}  // namespace pale::sandbox
