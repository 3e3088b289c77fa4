// tests/support/tracer.h: runs a process and its family under ptrace, and kills one of them at a chosen moment.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <vector>

#include "support/host.h"

namespace pale::test {

// Who of the family, in the order of birth: 0 is the process itself, 1 its first child…
struct Victim {
  std::size_t member = 0;
  int stop = 0;  // the number of times it stops before it is killed, twice a system call; 0: it is let be
};

struct Family {
  bool killed = false;           // the victim got that far
  bool went_on = false;          // the others did without it
  std::vector<int> stops;        // of each member, until the victim was killed or all were at rest
  std::vector<pid_t> members;    // by birth
  std::vector<pid_t> survivors;  // were still there a while after the process itself was killed
};

// Runs it until the victim is due, kills that one alone, and waits for the others to end by themselves. If they go on without
// it, or all come to rest before it is due, the process itself is killed. Survivors are ended at last.
Family run_and_kill(const Process& process, Victim victim);

}  // namespace pale::test
