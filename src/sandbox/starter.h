// sandbox/starter.h: the process of a live sandbox that starts its commands. It is confined as they are, so that each is but a fork
// of it, and all stand under one watch.
#pragma once

#include "sandbox/standing.h"

namespace pale::sandbox {

struct Starter {
  sys::Pid pid = 0;
  sys::Fd listener;  // of its filter, if there is one
  sys::Fd line;      // the host's end: orders to run go in, and news of them come out
};

// A child of this process, confined as planned; it ends when nobody has the other end of its line.
Result<Starter> make_starter(const Standing& standing);

}  // namespace pale::sandbox
