#include "service/run.h"

#include <cerrno>

#include "sandbox/record.h"
#include "sys/process.h"
#include "sys/terminal.h"

namespace pale::service {
namespace {

Result<sandbox::RunResult> launch(const Prepared& prepared, const Request& request, const Caller& caller) {
  const sandbox::Command command{request.command, prepared.start_directory};
  return sandbox::run({prepared.boundary, prepared.plan, prepared.facts, command, {prepared.pale_home}, request.receipt_path, caller.argv, caller.envp});
}

// Both reasons, so that a user sees why neither backend would do.
Error neither(const Error& namespaces, Error landlock) {
  landlock.operation = namespaces.sentence() + "; and " + landlock.operation;
  return landlock;
}

Result<sandbox::RunResult> run_under_landlock(const Request& request, const Caller& caller, const Error& reason) {
  Request again = request;
  again.backend = BackendChoice::Landlock;
  auto prepared = prepare(again, caller);
  if (!prepared) return fail(neither(reason, std::move(prepared).error()));
  return launch(*prepared, again, caller);
}

}  // namespace

Status try_namespaces() {
  PALE_TRY(child, sys::fork_into(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID));
  if (child.pid == 0) sys::exit_now(0);
  (void)sys::wait_for(child.pid);
  return {};
}

Result<RunOutcome> run(const Request& request, const Caller& caller) {
  PALE_TRY(prepared, prepare(request, caller));
  RunOutcome outcome;
  outcome.quarantine = sandbox::Places{prepared.pale_home}.quarantine();
  auto result = launch(prepared, request, caller);
  const bool no_namespaces = !result && result.error().kind == ErrorKind::Unsupported && prepared.plan.backend == plan::Backend::Namespaces;
  if (no_namespaces && request.backend == BackendChoice::Automatic) {
    outcome.why_landlock = result.error().sentence();
    result = run_under_landlock(request, caller, result.error());
  }
  if (!result) return std::unexpected(std::move(result).error());
  outcome.result = std::move(*result);
  return outcome;
}

}  // namespace pale::service
