// sandbox/command.h: the last steps before exec: the process that becomes the command confines itself and looks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "boundary/boundary.h"
#include "plan/plan.h"
#include "sandbox/shared.h"
#include "sys/event.h"
#include "sys/landlock.h"

namespace pale::sandbox {

enum class TerminalUse {
  None,
  Foreground,
  Background,
  Apart,  // a session of its own, which has no terminal
};

struct Command {
  std::vector<std::string> arguments;  // as typed; the first is looked up in PATH if it has no '/'
  Path directory = Path::root();       // where it starts, inside
};

// Everything the new process needs; it shares this memory until its exec.
struct Confinement {
  const Boundary& boundary;
  const plan::Plan& plan;
  const Command& command;
  const sys::LandlockRules* landlock;
  Shared& shared;
  TerminalUse terminal;
  sys::SignalSet signals;  // the mask the command starts with
  std::optional<std::uint64_t> data_limit;
  std::optional<std::uint64_t> process_limit;
  sys::Fd listener;
};

// Starts the command as a child of this process. On success `confinement.listener` is the filter's listener, if it has one.
Result<sys::Pid> start_command(Confinement& confinement);

// All of it but the exec, in a process that ends at once: whether commands will be confined as planned.
Status rehearse(Confinement& confinement);

}  // namespace pale::sandbox
