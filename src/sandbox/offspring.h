// sandbox/offspring.h: all that a command started, and nothing else, inside a sandbox that goes on.
#pragma once

#include <cstdint>

#include "sys/process.h"

namespace pale::sandbox {

// Ends the command and everyone who came after it, but for those who descend from somebody older: they are of commands that
// went before. A process that hides from its parents is found by its age.
void end_offspring(sys::Pid command, std::uint64_t started_at);
// Everyone but this process and one other.
void end_everyone_but(sys::Pid spared);

}  // namespace pale::sandbox
