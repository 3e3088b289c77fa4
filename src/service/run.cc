#include "service/run.h"

#include "sandbox/record.h"
#include "sys/file.h"
#include "sys/process.h"

namespace pale::service {
namespace {

constexpr int kFirstInherited = 3;

Result<sandbox::RunResult> launch(const Prepared& prepared, const Request& request, const Caller& caller,
                                  sandbox::RunRecord& record) {
  const sandbox::Command command{request.command, prepared.start_directory};
  return sandbox::run({prepared.boundary,
                       prepared.plan,
                       prepared.facts,
                       command,
                       record,
                       {prepared.pale_home},
                       request.receipt_path,
                       caller.argv,
                       caller.envp});
}

// Both reasons, so that a user sees why neither backend would do.
Error neither(const Error& namespaces, Error landlock) {
  landlock.operation = namespaces.sentence() + "; and " + landlock.operation;
  return landlock;
}

Result<sandbox::RunResult> run_under_landlock(const Request& request, const Caller& caller, const Error& reason,
                                              sandbox::RunRecord& record) {
  Request again = request;
  again.backend = BackendChoice::Landlock;
  auto prepared = prepare(again, caller);
  if (!prepared) return fail(neither(reason, std::move(prepared).error()));
  return launch(*prepared, again, caller, record);
}

// Before anything runs: a command should not be ended because its receipt cannot be kept.
Status check_receipt_path(const std::string& path) {
  if (path.empty()) return {};
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  PALE_TRY(info, sys::file_info(sys::kHere, path.c_str(), sys::Links::Follow));
  if (sys::may_write(directory.c_str()) && info.kind != sys::FileKind::Directory) return {};
  return fail(ErrorKind::Usage, "the receipt cannot be written to", path,
              "--receipt a file in a directory that you may write");
}

}  // namespace

std::string shell_inside(const Caller& caller) {
  const auto shell = Path::parse(caller.variable("SHELL"));
  const bool system = shell && (Path::literal("/usr").covers(*shell) || Path::literal("/bin").covers(*shell));
  return system && sys::may_execute(shell->c_str()) ? shell->text() : "/bin/bash";
}

Status try_namespaces() {
  PALE_TRY(child, sys::fork_into(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID));
  if (child.pid == 0) sys::exit_now(0);
  (void)sys::wait_for(child.pid);
  return {};
}

Result<RunOutcome> run(const Request& request, const Caller& caller) {
  sys::close_from(kFirstInherited);
  PALE_CHECK(check_receipt_path(request.receipt_path));
  // Before anything is looked at: what a killed run left must not be taken for the project's own, and planned with.
  PALE_TRY(pale_home, pale_home_of(caller));
  const sandbox::Places places{pale_home.text()};
  PALE_TRY(cleaned, sandbox::clean_up(places));
  PALE_TRY(prepared, prepare(request, caller));
  PALE_TRY(record, cleaned.idle ? std::move(*cleaned.idle) : sandbox::RunRecord::make(places));
  RunOutcome outcome;
  outcome.quarantine = places.quarantine();
  auto result = launch(prepared, request, caller, record);
  const bool no_namespaces =
      !result && result.error().kind == ErrorKind::Unsupported && prepared.plan.backend == plan::Backend::Namespaces;
  if (no_namespaces && request.backend == BackendChoice::Automatic) {
    outcome.why_landlock = result.error().sentence();
    result = run_under_landlock(request, caller, result.error(), record);
  }
  if (!result) return std::unexpected(std::move(result).error());
  outcome.result = std::move(*result);
  outcome.cleaned = std::move(cleaned.moved);
  return outcome;
}

}  // namespace pale::service
