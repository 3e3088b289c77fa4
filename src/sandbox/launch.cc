#include "sandbox/launch.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/text.h"
#include "sandbox/init.h"
#include "sandbox/root.h"
#include "sandbox/supervise.h"
#include "sys/file.h"
#include "sys/terminal.h"

namespace pale::sandbox {
namespace {

// The first process makes its network and ipc namespaces itself.
constexpr std::uint64_t kNamespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWCGROUP;

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
  return static_cast<Shared*>(memory);
}

class Run {
 public:
  Run(const RunRequest& request, LimitPlan& limits, Shared& shared)
      : request_(request), limits_(limits), shared_(shared), missing_(missing_paths(request.boundary, request.facts)) {}

  Result<RunResult> to_the_end(sys::SignalSet caller_signals) {
    PALE_CHECK(record());
    if (!limits_.cgroups.empty()) PALE_CHECK(make_cgroups(limits_));
    PALE_TRY(ending, start_and_supervise(caller_signals));
    auto result = conclude(ending);
    (void)sys::wait_for(init_.pid);
    if (request_.plan.backend == plan::Backend::Landlock) sys::end_descendants();
    return result;
  }

 private:
  Result<RunResult> conclude(Ending ending) {
    PALE_TRY(appeared, sweep(missing_, request_.places.quarantine()));
    if (shared_.failed && !shared_.started) return fail(setup_error(request_, shared_.error.get()));
    // The first process ended the command, since it could no longer answer for it.
    if (shared_.failed && appeared.empty()) return fail(shared_.error.get());
    RunResult result;
    result.ending = shared_.contained || !appeared.empty() ? Ending::Contained : ending;
    result.exec_error = shared_.exec_error;
    result.appeared = std::move(appeared);
    if (!shared_.ended && result.ending == Ending::Exited) result.ending = Ending::Killed;
    result.exit_code = shared_.ended ? sys::exit_code_of(shared_.status) : 128 + SIGKILL;
    return result;
  }

  Result<Ending> start_and_supervise(sys::SignalSet caller_signals) {
    const bool namespaces = request_.plan.backend == plan::Backend::Namespaces;
    Kept skeleton;
    if (namespaces) {
      PALE_TRY(kept, prepare_skeleton(request_.places, request_.plan.skeleton));
      skeleton = std::move(kept);
    }
    PALE_TRY(staged, staged_files());
    const Launch launch{request_.boundary,
                        request_.plan,
                        request_.command,
                        terminal_use(),
                        caller_signals,
                        sys::user_id(),
                        sys::group_id(),
                        !request_.receipt_path.empty(),
                        staged ? &*staged : nullptr,
                        skeleton.path,
                        request_.argv,
                        request_.envp};
    PALE_TRY(pipe, sys::open_pipe());
    if (!namespaces) PALE_CHECK(sys::adopt_orphans());
    auto child = sys::fork_into(namespaces ? kNamespaces : 0);
    if (!child) return fail(explain_clone(child.error()));
    if (child->pid == 0) {
      pipe.read_end.reset();
      run_inside(launch, limits_, shared_, std::move(pipe.write_end));
    }
    pipe.write_end.reset();
    init_ = std::move(*child);
    return supervise(request_, limits_, shared_, init_, pipe.read_end, launch.terminal);
  }

  Result<std::optional<StagedFiles>> staged_files() const {
    if (!request_.stage_began_ns) return std::nullopt;
    PALE_TRY(files,
             StagedFiles::open(*request_.boundary.grant_for(request_.boundary.workspace()), *request_.stage_began_ns));
    return files;
  }

  // What this run may leave. Before the fork: afterwards each page that this touches would have to be copied, while the first
  // process mostly waits for the same processor.
  Status record() {
    auto written = request_.record.write(missing_, limits_.directories(), request_.trees);
    if (!written) return fail(std::move(written).error().with_hint("df " + shell_word(request_.places.home)));
    return {};
  }

  const RunRequest& request_;
  LimitPlan& limits_;
  Shared& shared_;
  std::vector<MissingPath> missing_;
  sys::Child init_;
};

}  // namespace

Result<RunResult> run(const RunRequest& request) {
  PALE_TRY(limits, plan_limits(request.boundary.limits(), request.plan.backend));
  PALE_TRY(shared, make_shared());
  const sys::SignalSet caller_signals = sys::block_signals(sys::kAllSignals);
  Run run(request, limits, *shared);
  auto result = run.to_the_end(caller_signals);
  (void)sys::block_signals(caller_signals);
  remove_cgroups(limits.directories());  // before the record goes
  return result;
}

}  // namespace pale::sandbox
