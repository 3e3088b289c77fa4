// sandbox/gate.h: makes the sockets of an allow-list in the network that this process is in, and hands them out.
#pragma once

#include "plan/gate.h"
#include "sys/fd.h"

namespace pale::sandbox {

// The last message along a gate's line: all sockets have been sent.
inline constexpr std::string_view kGateStands = "all";

// For the first process inside, while it may still shape its network. A message for each socket, with its kind as text. Nothing
// of them stays open here: nobody inside ever answers at them.
Status open_gate(const plan::Gate& gate, const sys::Fd* line);

}  // namespace pale::sandbox
