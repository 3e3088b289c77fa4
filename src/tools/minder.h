// tools/minder.h: the process between the tools and a command: starts it, adopts what it leaves behind, ends all of it when told.
#pragma once

#include "sys/fd.h"
#include "tools/job.h"

namespace pale::tools {

// What it says once, when the command has ended or could not be started.
struct Discharge {
  int status = 0;  // as the kernel has it
  int exec_error = 0;
};

// Never returns. SIGTERM: the command is asked to end, then everything it started is ended.
[[noreturn]] void mind(const JobRequest& request, const sys::Fd& line, sys::Fd output);

}  // namespace pale::tools
