// sandbox/outside.h: one sandbox as seen from outside: what is made for it before it starts, its first process, and how it is
// taken apart.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sandbox/init.h"
#include "sandbox/limits.h"
#include "sandbox/record.h"

namespace pale::sandbox {

// Somebody outside who works for a sandbox and has something to say while it stands. Heard by the supervisor of a run.
class Neighbour {
 public:
  Neighbour() = default;
  Neighbour(const Neighbour&) = delete;
  Neighbour& operator=(const Neighbour&) = delete;
  virtual ~Neighbour() = default;
  virtual const sys::Fd& line() const = 0;  // not open: there is nothing to hear any more
  virtual Status hear() = 0;
};

struct SandboxRequest {
  const Boundary& boundary;
  const plan::Plan& plan;
  const plan::Facts& facts;
  RunRecord& record;
  Places places;
  std::string receipt_path;                    // empty: none is written
  std::optional<std::int64_t> stage_began_ns;  // if the boundary has a stage
  std::vector<std::string> trees;              // directories that are there for this run alone, and go after a kill
  char** argv = nullptr;                       // of this program
  char** envp = nullptr;
  // Of a worker that may call others: a socket is made inside, at plan::kBrokerSocket, and sent along this line.
  const sys::Fd* broker_line = nullptr;
  // If the plan has a gate: its sockets are sent along this line (sandbox/gate.h).
  const sys::Fd* gate_line = nullptr;
  Neighbour* neighbour = nullptr;
  Within within;
  Shared* shared = nullptr;  // of a process that wants to look, too; null: it is made here
  // If the plan has accesses reported: what is told, and to whom.
  const WatchedScope* scope = nullptr;
  Onlooker* onlooker = nullptr;
};

enum class Ending {
  Exited,     // the command ended by itself, or by a signal
  TimedOut,   // ended by its time limit
  Contained,  // a protected path appeared, or it is not known whether one did
  Killed,     // somebody killed the sandbox itself
};

struct RunResult {
  Ending ending = Ending::Exited;
  int exit_code = 0;
  int exec_error = 0;            // errno if the command could not be started
  std::vector<Path> appeared;    // protected paths that appeared, now in quarantine
  std::optional<Error> unswept;  // why that could not be made sure of; the next command tries again
  bool saw_more = false;         // than was kept and told
  std::int64_t started_ns = 0;   // when the command began, since 1970
  std::int64_t watch_ns = 0;     // of a processor, that a watch took
  std::uint64_t accesses = 0;    // that it looked at
};

class Outside {
 public:
  static Result<Outside> make(const SandboxRequest& request);

  const SandboxRequest& request() const noexcept { return request_; }
  const LimitPlan& limits() const noexcept { return limits_; }
  Shared& shared() const noexcept { return shared_; }
  const sys::Child& init() const noexcept { return init_; }

  // Every signal is blocked by now; `caller_signals` were before. `theirs` is the first process's end of the line between them,
  // and `ours` is closed there.
  Status start(const Command* command, TerminalUse terminal, sys::SignalSet caller_signals, sys::Fd theirs,
               sys::Fd& ours);
  // Once nothing inside runs any more. Whatever went wrong meanwhile, what appeared is put aside, and told first.
  Result<RunResult> conclude(const Result<Ending>& ending);
  // Whatever happened: nothing of it is left.
  void take_apart();

  // Why it did not come to stand.
  Error setup_error(Error error) const;

 private:
  Outside(const SandboxRequest& request, LimitPlan limits, Shared& shared, std::optional<SightingLog> sightings)
      : request_(request),
        limits_(std::move(limits)),
        shared_(shared),
        sightings_(std::move(sightings)),
        missing_(missing_paths(request.boundary, request.facts)) {}
  Status record();
  void pass_on_sightings();
  Result<std::optional<StagedFiles>> staged_files() const;

  const SandboxRequest& request_;
  LimitPlan limits_;
  Shared& shared_;
  std::optional<SightingLog> sightings_;
  std::vector<MissingPath> missing_;
  sys::Child init_;
};

}  // namespace pale::sandbox
