#include "service/run.h"

#include <algorithm>

#include "project/here.h"
#include "project/registry.h"
#include "sandbox/record.h"
#include "service/compose.h"
#include "service/desk.h"
#include "service/file_scope_check.h"
#include "service/gate.h"
#include "service/network_terms.h"
#include "service/ref_check.h"
#include "service/staging.h"
#include "service/tool_watch.h"
#include "service/tools.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/process.h"
#include "sys/tree.h"

namespace pale::service {
namespace {

constexpr int kFirstInherited = 3;
constexpr std::size_t kStack = 64UL << 10U, kHeap = 40UL << 10U;  // that a run takes
constexpr int kMostTries = 100;
constexpr const char* kWatchTaken = "the boundary around this one has the only watch that the kernel allows";

Result<sandbox::RunResult> launch(const Prepared& prepared, const Request& request, const Caller& caller,
                                  sandbox::RunRecord& record, const std::vector<std::string>& trees,
                                  sandbox::Onlooker* onlooker, std::unique_ptr<VisitLog>& visits) {
  sandbox::Command command{request.command, prepared.start_directory};
  sys::Fd program;
  std::optional<Desk> desk;
  sandbox::Shared* shared = nullptr;
  std::unique_ptr<ToolWatch> watch;
  if (request.runs == Runs::Tools) {
    PALE_TRY(itself, sys::open_program());
    program = std::move(itself);
    command.program = &program;
    if (prepared.tools.need_desk()) {
      PALE_TRY(made, sandbox::make_shared());
      shared = made;
      PALE_TRY(opened, Desk::open(prepared, request, caller, shared->observed));
      desk.emplace(std::move(opened));
      command.line = &desk->line();
    }
    if (onlooker != nullptr && prepared.watched && prepared.watched->mode == sandbox::WatchedScope::Mode::Strict) {
      PALE_TRY(made, ToolWatch::make(*onlooker));
      watch = std::move(made);
      command.watch = &watch->line();
    }
    command.arguments = tools_arguments(prepared, command.line, command.watch);
  }
  sandbox::SandboxRequest wanted{prepared.boundary,
                                 prepared.plan,
                                 prepared.facts,
                                 record,
                                 {prepared.pale_home},
                                 request.receipt_path,
                                 prepared.staging ? std::optional(prepared.staging->stage.began_ns) : std::nullopt,
                                 trees,
                                 caller.argv,
                                 caller.envp};
  wanted.shared = shared;
  wanted.scope = prepared.watched ? &*prepared.watched : nullptr;
  wanted.onlooker = watch ? watch.get() : onlooker;
  if (prepared.plan.gate.listeners.empty()) return sandbox::run(wanted, command);
  visits = std::make_unique<VisitLog>(Path::literal(prepared.pale_home), prepared.resolved.project.id(),
                                      prepared.root().text(), request);
  PALE_TRY(gate, Gate::open(proxy_settings(prepared.boundary, prepared.terms.network_config, prepared.terms.observe),
                            caller, *visits));
  wanted.gate_line = &gate->sockets();
  wanted.neighbour = gate.get();
  auto result = sandbox::run(wanted, command);
  PALE_CHECK(gate->close());
  return result;
}

// Both reasons, so that a user sees why neither backend would do.
Error neither(const Error& namespaces, Error landlock) {
  landlock.operation = namespaces.sentence() + "; and " + landlock.operation;
  return landlock;
}

Result<sandbox::RunResult> run_under_landlock(const Request& request, const Caller& caller, const Error& reason,
                                              sandbox::RunRecord& record, const std::vector<std::string>& trees,
                                              sandbox::Onlooker* onlooker, std::optional<Prepared>& prepared,
                                              std::unique_ptr<VisitLog>& visits) {
  Request again = request;
  again.backend = BackendChoice::Landlock;
  auto made = prepare(again, caller);
  if (!made) return fail(neither(reason, std::move(made).error()));
  prepared.emplace(std::move(*made));
  return launch(*prepared, again, caller, record, trees, onlooker, visits);
}

// Before anything runs: a command should not be ended because its receipt cannot be kept.
Result<std::string> receipt_path(const std::string& given) {
  if (given.empty()) return given;
  PALE_TRY(path, project::from_here(given));
  const std::size_t name = path.rfind('/') + 1;
  PALE_TRY(info, sys::file_info(sys::kAbsolute, path.c_str(), sys::Links::Follow));
  const auto directory = sys::open_at(sys::kAbsolute, path.substr(0, name).c_str(), O_PATH | O_DIRECTORY);
  const auto place = directory ? sys::path_of(*directory) : std::string();
  if (directory && place && sys::may_write(place->c_str()) && info.kind != sys::FileKind::Directory)
    return *place + "/" + path.substr(name);
  return fail(ErrorKind::Usage, "the receipt cannot be written to", given,
              "--receipt a file in a directory that you may write");
}

// A receipt that the command could write would say whatever that wants.
Status check_receipt(const Boundary& boundary, const std::string& receipt) {
  if (receipt.empty()) return {};
  PALE_TRY(path, Path::parse(receipt));
  for (const Grant& grant : boundary.grants()) {
    if (grant.access != Access::Write || !grant.layers.empty() || !grant.source.covers(path)) continue;
    const Path inside = path == grant.source ? grant.path : grant.path / grant.source.below(path);
    if (boundary.grant_for(inside) != &grant || boundary.protection_for(inside) != nullptr) continue;
    return fail(ErrorKind::Refused, "the command could write its own receipt:", receipt,
                "--receipt a file outside of the project, such as ~/receipt.json");
  }
  return {};
}

// A project for one run: its directory and its home, both gone afterwards, whatever happens.
class TemporaryProject {
 public:
  static Result<TemporaryProject> make(const Caller& caller, const Path& pale_home, sandbox::RunRecord& record) {
    const std::string given = caller.variable("TMPDIR");
    const std::string parent = given.starts_with('/') ? given : "/tmp";
    const std::string name = "pale-" + std::to_string(sys::process_id()) + "-" + std::to_string(sys::wall_clock_ns());
    PALE_TRY(root, Path::parse(parent + "/" + name));
    TemporaryProject project(root, private_home(pale_home, root));
    // First the note, then the directory: a kill in between leaves nothing.
    PALE_CHECK(record.write({}, {}, project.trees()));
    PALE_CHECK(sys::make_directory(sys::kAbsolute, root.c_str(), 0700));
    return project;
  }

  const std::string& root() const noexcept { return root_.text(); }
  std::vector<std::string> trees() const { return {root_.text(), home_.text()}; }
  Status remove() const {
    for (const std::string& tree : trees()) PALE_CHECK(sys::remove_tree(sys::kAbsolute, tree.c_str()));
    return {};
  }

 private:
  TemporaryProject(Path root, Path home) : root_(std::move(root)), home_(std::move(home)) {}
  Path root_;
  Path home_;
};

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

namespace {

struct Entered {
  Prepared prepared;
  std::vector<sys::Fd> stage_in_use;
};

// Another run may have taken the name of a new stage meanwhile.
Result<Entered> prepare_and_enter(const Request& request, const Caller& caller) {
  for (int tries = 1;; ++tries) {
    PALE_TRY(prepared, prepare(request, caller));
    PALE_CHECK(recover_stages(store_of(Path::literal(prepared.pale_home), prepared.root())));
    auto locks = enter_stage(prepared.staging, store_of(Path::literal(prepared.pale_home), prepared.root()));
    if (locks) return Entered{std::move(prepared), std::move(*locks)};
    const bool fresh = prepared.staging && prepared.staging->age == Staging::Age::New;
    const bool taken = fresh && locks.error().kind == ErrorKind::Refused;
    if (!taken || tries == kMostTries) return std::unexpected(std::move(locks).error());
  }
}

// What a command says is not what is learnt from it: that goes to where the output was meant to go, once the command is gone.
class OutputAside {
 public:
  static Result<OutputAside> make(const Request& request) {
    if (request.attention != Attention::ToLearn) return OutputAside({});
    PALE_TRY(own, sys::duplicate(kOutput));
    PALE_CHECK(sys::place_descriptor(kErrors, kOutput));
    return OutputAside(std::move(own));
  }
  OutputAside(OutputAside&&) = default;
  OutputAside& operator=(OutputAside&&) = delete;
  ~OutputAside() {
    if (own_.is_open()) (void)sys::place_descriptor(own_.borrow(), kOutput);
  }

 private:
  explicit OutputAside(sys::Fd own) : own_(std::move(own)) {}
  static constexpr int kOutput = 1, kErrors = 2;
  sys::Fd own_;
};

Status check_watched(const Prepared& prepared, const Request& request) {
  if (request.attention != Attention::ToLearn || prepared.plan.reporting != plan::Reporting::Nothing) return {};
  return fail(ErrorKind::Unsupported, "nothing can be learnt here:", kWatchTaken, "run it outside that boundary");
}

// Of a project that nobody has made one yet, this is the day.
std::string head_for(const project::Project& project) {
  if (project.created() != 0) return project::manifest_head(project);
  const auto today = project::Project::make(
      {project.id(), project.name(), project.root(), project.type(), sys::wall_clock_seconds(), project.manifest()});
  return project::manifest_head(today ? *today : project);
}

void note_watch(const Prepared& prepared, const Request& request, RunOutcome& outcome) {
  outcome.root = prepared.root();
  outcome.pale_home = Path::literal(prepared.pale_home);
  outcome.project = prepared.resolved.project.id();
  outcome.watched = prepared.watched;
  if (request.attention == Attention::ToLearn) outcome.manifest_head = head_for(prepared.resolved.project);
  if (prepared.watched && prepared.plan.reporting == plan::Reporting::Nothing) outcome.why_unwatched = kWatchTaken;
}

// What was never changed in a stage is not in its upper layer.
bool holds_folders(const Prepared& prepared) {
  const auto is_in_layer = [&](const Path& folder) {
    const Path upper = prepared.staging->stage.upper() / prepared.root().below(folder);
    const auto info = sys::file_info(sys::kAbsolute, upper.c_str());
    return info && info->kind != sys::FileKind::Missing;
  };
  return std::ranges::any_of(prepared.watched->folders, is_in_layer);
}

Result<RunOutcome> run_prepared(const Request& request, const Caller& caller, std::optional<sandbox::RunRecord>& record,
                                const std::vector<std::string>& trees, sandbox::Onlooker* onlooker);

// The note of a repository may be the first sandbox of a run, and the first to find that there are no namespaces.
Result<RunOutcome> run_without_namespaces(Error error, const Prepared& prepared, const Request& request,
                                          const Caller& caller, std::optional<sandbox::RunRecord>& record,
                                          const std::vector<std::string>& trees, sandbox::Onlooker* onlooker) {
  const bool other_way = error.kind == ErrorKind::Unsupported && prepared.plan.backend == plan::Backend::Namespaces &&
                         request.backend == BackendChoice::Automatic && !prepared.staging;
  if (!other_way) return fail(std::move(error));
  Request again = request;
  again.backend = BackendChoice::Landlock;
  auto outcome = run_prepared(again, caller, record, trees, onlooker);
  if (!outcome) return fail(neither(error, std::move(outcome).error()));
  outcome->why_landlock = error.sentence();
  return outcome;
}

// `record`: one that is there already, or made here; it is the caller's, and tells of the run as long as that has it.
Result<RunOutcome> run_prepared(const Request& request, const Caller& caller, std::optional<sandbox::RunRecord>& record,
                                const std::vector<std::string>& trees, sandbox::Onlooker* onlooker) {
  const std::int64_t before = sys::wall_clock_ns();
  PALE_TRY(entered, prepare_and_enter(request, caller));
  const Prepared& prepared = entered.prepared;
  const std::int64_t validation_us = (sys::wall_clock_ns() - before) / 1000;
  PALE_CHECK(check_watched(prepared, request));
  PALE_CHECK(check_receipt(prepared.boundary, request.receipt_path));
  const project::Project& project = prepared.resolved.project;
  PALE_CHECK(project::Registry::touch(Path::literal(prepared.pale_home), project.id(), project.root(),
                                      sys::wall_clock_seconds(), prepared.resolved.time_place));
  if (!record) {
    PALE_TRY(made, sandbox::RunRecord::make({prepared.pale_home}));
    record.emplace(std::move(made));
  }
  RunOutcome outcome;
  outcome.times.validation_us = validation_us;
  note_watch(prepared, request, outcome);
  auto refs = RefCheck::begin(prepared, request, caller, outcome.refs);
  if (!refs) return run_without_namespaces(std::move(refs).error(), prepared, request, caller, record, trees, onlooker);
  PALE_TRY(file_scope, FileScopeCheck::begin(prepared, request));
  auto result = launch(prepared, request, caller, *record, trees, onlooker, outcome.visits);
  std::optional<Prepared> otherwise;  // without namespaces
  const bool no_namespaces =
      !result && result.error().kind == ErrorKind::Unsupported && prepared.plan.backend == plan::Backend::Namespaces;
  if (no_namespaces && request.backend == BackendChoice::Automatic) {
    outcome.why_landlock = result.error().sentence();
    result = run_under_landlock(request, caller, result.error(), *record, trees, onlooker, otherwise, outcome.visits);
  }
  if (file_scope) outcome.outside_file_scope = file_scope->outside();
  if (*refs) outcome.refs.push_back((*refs)->end(otherwise ? *otherwise : prepared, caller));
  const Ran ran = result ? Ran::Yes : Ran::No;
  PALE_TRY(left, leave_stage(prepared.staging, store_of(Path::literal(prepared.pale_home), prepared.root()), ran));
  outcome.stage = left;
  if (!left.empty() && prepared.watched) outcome.stage_has_folders = holds_folders(prepared);
  if (!result) return std::unexpected(std::move(result).error());
  outcome.result = std::move(*result);
  return outcome;
}

Result<RunOutcome> run_temporary(const Request& request, const Caller& caller,
                                 std::optional<sandbox::RunRecord>& record, const sandbox::Places& places,
                                 sandbox::Onlooker* onlooker) {
  if (!record) {
    PALE_TRY(made, sandbox::RunRecord::make(places));
    record.emplace(std::move(made));
  }
  PALE_TRY(project, TemporaryProject::make(caller, Path::literal(places.home), *record));
  Request inside = request;
  inside.project.root = project.root();
  const bool keep = request.temporary == Afterwards::Keep;
  auto outcome = run_prepared(inside, caller, record, keep ? std::vector<std::string>() : project.trees(), onlooker);
  if (outcome && keep) {
    outcome->kept = project.root();
    return outcome;
  }
  PALE_CHECK(project.remove());
  return outcome;
}

}  // namespace

Result<RunOutcome> run(Request request, const Caller& caller, sandbox::Onlooker* onlooker) {
  const std::int64_t began = sys::wall_clock_ns();
  sys::expect_stack(kStack);
  sys::expect_memory(std::make_unique<char>().get(), kHeap);  // What comes next lies behind this: apps/pale/runtime.cc.
  sys::close_from(kFirstInherited);
  PALE_TRY(output, OutputAside::make(request));
  PALE_TRY(receipt, receipt_path(request.receipt_path));
  request.receipt_path = std::move(receipt);
  // Before anything is looked at: what a killed run left must not be taken for the project's own, and planned with.
  PALE_TRY(pale_home, pale_home_of(caller));
  const sandbox::Places places{pale_home.text()};
  PALE_TRY(cleaned, sandbox::clean_up(places));
  // Held here until all is done: what it tells of must be gone before it is idle.
  std::optional<sandbox::RunRecord>& record = cleaned.idle;
  PALE_TRY(outcome, request.temporary ? run_temporary(request, caller, record, places, onlooker)
                                      : run_prepared(request, caller, record, {}, onlooker));
  outcome.times.began_ms = began / 1'000'000;
  outcome.times.milliseconds = (sys::wall_clock_ns() - began) / 1'000'000;
  outcome.times.start_us = std::max<std::int64_t>(outcome.result.started_ns - began, 0) / 1000;
  outcome.times.watch_us = outcome.result.watch_ns / 1000;
  outcome.times.accesses = outcome.result.accesses;
  if (outcome.visits)
    PALE_CHECK(
        outcome.visits->finish(outcome.result.exit_code, in_a_word(outcome.result.ending), outcome.times.milliseconds));
  outcome.quarantine = places.quarantine();
  outcome.cleaned = std::move(cleaned.moved);
  outcome.unsettled = std::move(cleaned.unsettled);
  return outcome;
}

}  // namespace pale::service
