// sandbox/launch.h: a plan carried out: starts the sandbox, waits for it outside, and sees to it that nothing is left.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sandbox/command.h"
#include "sandbox/record.h"

namespace pale::sandbox {

struct RunRequest {
  const Boundary& boundary;
  const plan::Plan& plan;
  const plan::Facts& facts;
  const Command& command;
  RunRecord& record;
  Places places;
  std::string receipt_path;                    // empty: none is written
  std::optional<std::int64_t> stage_began_ns;  // if the boundary has a stage
  std::vector<std::string> trees;              // directories that are there for this run alone, and go after a kill
  char** argv = nullptr;                       // of this program
  char** envp = nullptr;
};

enum class Ending {
  Exited,     // the command ended by itself, or by a signal
  TimedOut,   // ended by its time limit
  Contained,  // ended because a protected path appeared
  Killed,     // somebody killed the sandbox itself
};

struct RunResult {
  Ending ending = Ending::Exited;
  int exit_code = 0;
  int exec_error = 0;          // errno if the command could not be started
  std::vector<Path> appeared;  // protected paths that appeared, now in quarantine
};

Result<RunResult> run(const RunRequest& request);

}  // namespace pale::sandbox
