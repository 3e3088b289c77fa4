// sandbox/init.h: the first process inside: it builds the sandbox, starts what is to run there, answers for it, and ends with
// it.
// Without namespaces it is the same process with less to build.
#pragma once

#include <optional>

#include "sandbox/command.h"
#include "sandbox/limits.h"
#include "sandbox/originals.h"
#include "sandbox/shared.h"
#include "sandbox/sighting_log.h"
#include "sys/event.h"

namespace pale::sandbox {

struct Launch {
  const Boundary& boundary;
  const plan::Plan& plan;
  const plan::Facts& facts;
  const Command* command;  // null: commands are ordered as long as the sandbox stands
  TerminalUse terminal = TerminalUse::None;
  sys::SignalSet signals = 0;  // the caller's mask, for the command
  unsigned user = 0;
  unsigned group = 0;
  bool wants_receipt = false;
  const StagedFiles* staged = nullptr;
  const sys::Fd* broker_line = nullptr;
  const sys::Fd* gate_line = nullptr;
  Within within;          // whom it was asked for by, if from inside a sandbox
  std::string skeleton;   // host path of the new root's bare directories
  char** argv = nullptr;  // of this program, to be wiped: they would show inside
  char** envp = nullptr;
  SightingLog* sightings = nullptr;  // what is seen; null: nobody wants to hear of it
  const WatchedScope* scope = nullptr;
  Onlooker* onlooker = nullptr;
};

// Never returns. `to_supervisor`: a byte each time there is news in `shared`.
[[noreturn]] void run_inside(const Launch& launch, const LimitPlan& limits, Shared& shared, sys::Fd to_supervisor);

}  // namespace pale::sandbox
