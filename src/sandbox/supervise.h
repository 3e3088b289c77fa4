// sandbox/supervise.h: outside, while the sandbox lives: signals, job control, the clock.
#pragma once

#include "sandbox/outside.h"

namespace pale::sandbox {

// Waits until nothing inside runs any more but, perhaps, the first process on its way out; and for everything the user does meanwhile. `news` is read when what it
// shares with the first process changed.
Result<Ending> supervise(Outside& outside, const sys::Fd& news, TerminalUse terminal);

}  // namespace pale::sandbox
