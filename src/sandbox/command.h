// sandbox/command.h: the last steps before exec: the process that becomes the command confines itself and looks.
#pragma once

#include <optional>
#include <span>
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
};

struct Command {
  std::vector<std::string> arguments;  // as typed; the first is looked up in PATH if it has no '/'
  Path directory = Path::root();       // where it starts, inside
  // Executed instead of looking one up: an open file of the host's, which need not exist inside. Borrowed.
  const sys::Fd* program = nullptr;
  // A descriptor beside its streams that it keeps, under the number that it has here. Borrowed.
  const sys::Fd* line = nullptr;
  // Another one, if there is a watch: what it tells.
  const sys::Fd* watch = nullptr;
};

// What the new process does to itself; it shares this memory until its exec.
struct Confinement {
  const Boundary& boundary;
  const plan::Plan& plan;
  const sys::LandlockRules* landlock;
  Shared& shared;
  TerminalUse terminal;
  sys::SignalSet signals;  // the mask the command starts with
  std::optional<std::uint64_t> data_limit;
  std::optional<std::uint64_t> process_limit;
  sys::Fd listener;
};

// Starts the command as a child of this process; where even an exec is asked about, that is still to be answered. On success `confinement.listener` is the filter's listener, if it has one.
Result<sys::Pid> start_command(Confinement& confinement, const Command& command);

// For a process that is not to become a command itself, but to start commands. On failure `confinement.shared` says why.
bool confine_self(Confinement& confinement);
// Starts a command as a child of this process, which is confined, with three descriptors for its input and outputs. If it cannot
// be exec'ed, `confinement.shared` says why.
Result<sys::Pid> start_confined(Confinement& confinement, const Command& command, std::span<const sys::Fd> streams);

}  // namespace pale::sandbox
