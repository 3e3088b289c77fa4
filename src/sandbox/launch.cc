#include "sandbox/launch.h"

#include <sched.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <new>

#include "sandbox/init.h"
#include "sandbox/supervise.h"
#include "sys/file.h"
#include "sys/terminal.h"

namespace pale::sandbox {
namespace {

constexpr std::uint64_t kNamespaces =
    CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP;

// Only a program that has both ends of the terminal is given it: in a pipeline the others of the group need it too.
TerminalUse terminal_use() {
  if (!sys::is_terminal(0) || !sys::is_terminal(1)) return TerminalUse::None;
  const auto foreground = sys::foreground_of(0);
  if (!foreground) return TerminalUse::None;
  return *foreground == sys::process_group() ? TerminalUse::Foreground : TerminalUse::Background;
}

Error explain_clone(Error error) {
  error.kind = ErrorKind::Unsupported;
  error.operation = "the kernel does not let this user make the namespaces of a sandbox";
  error.subject.clear();
  error.hint = "pale doctor";
  return error;
}

// A distribution may let anyone make a user namespace and then give it no rights.
Error setup_error(const RunRequest& request, Error error) {
  if (request.plan.backend == plan::Backend::Namespaces && error.number == EPERM) error.kind = ErrorKind::Unsupported;
  if (error.hint.empty()) error.hint = "pale doctor";
  return error;
}

Result<Shared*> make_shared() {
  void* memory = sys::share_memory(sizeof(Shared));
  if (memory == nullptr) return fail(ErrorKind::System, "no memory for a sandbox", "");
  return new (memory) Shared;
}

Result<RunResult> result_of(const RunRequest& request, const Shared& shared, Ending ending, const std::vector<MissingPath>& missing) {
  PALE_TRY(appeared, sweep(missing, request.places.quarantine()));
  if (shared.failed && !shared.started) return fail(setup_error(request, shared.error.get()));
  RunResult result;
  result.ending = shared.contained || !appeared.empty() ? Ending::Contained : ending;
  result.exec_error = shared.exec_error;
  result.appeared = std::move(appeared);
  if (!shared.ended && result.ending == Ending::Exited) result.ending = Ending::Killed;
  result.exit_code = shared.ended ? sys::exit_code_of(shared.status) : 128 + SIGKILL;
  return result;
}

std::uint64_t namespaces_of(const plan::Plan& plan) {
  if (plan.backend == plan::Backend::Landlock) return 0;
  return kNamespaces | (plan.own_network ? CLONE_NEWNET : 0);
}

Result<Ending> start_and_supervise(const RunRequest& request, const LimitPlan& limits, Shared& shared, sys::SignalSet caller_signals) {
  const Launch launch{request.boundary, request.plan,    request.command, terminal_use(), caller_signals,
                      sys::user_id(),   sys::group_id(), request.argv,    request.envp};
  PALE_TRY(pipe, sys::open_pipe());
  if (request.plan.backend == plan::Backend::Landlock) PALE_CHECK(sys::adopt_orphans());
  auto child = sys::fork_into(namespaces_of(request.plan));
  if (!child) return fail(explain_clone(child.error()));
  if (child->pid == 0) {
    pipe.read_end.reset();
    run_inside(launch, limits, shared, std::move(pipe.write_end));
  }
  pipe.write_end.reset();
  return supervise(request, limits, shared, *child, pipe.read_end, launch.terminal);
}

}  // namespace

Result<RunResult> run(const RunRequest& request) {
  PALE_TRY(limits, prepare_limits(request.boundary.limits(), request.plan.backend));
  const std::vector<MissingPath> missing = missing_paths(request.boundary, request.facts);
  PALE_TRY(record, RunRecord::write(request.places, missing, limits.cgroups));
  PALE_TRY(shared, make_shared());
  const sys::SignalSet caller_signals = sys::block_signals(sys::kAllSignals);
  const auto ending = start_and_supervise(request, limits, *shared, caller_signals);
  if (request.plan.backend == plan::Backend::Landlock) sys::end_descendants();
  (void)sys::block_signals(caller_signals);
  remove_cgroups(limits.cgroups);
  if (!ending) return std::unexpected(ending.error());
  return result_of(request, *shared, *ending, missing);
}

}  // namespace pale::sandbox
