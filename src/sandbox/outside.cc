#include "sandbox/outside.h"

#include <cerrno>
#include <csignal>

#include "base/text.h"
#include "sandbox/root.h"
#include "sys/file.h"

namespace pale::sandbox {
namespace {

// The first process makes its network and ipc namespaces itself.
constexpr std::uint64_t kNamespaces = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWCGROUP;

Error explain_clone(Error error) {
  error.kind = ErrorKind::Unsupported;
  error.operation = "the kernel does not let this user make the namespaces of a sandbox";
  error.subject.clear();
  error.hint = "pale doctor";
  return error;
}

// Inside, its user has no more rights than modes give him: not even root where something is another's.
void explain_closed(Error& error) {
  const auto path = Path::parse("/" + error.subject);
  if (!path || (error.number != EACCES && error.number != ENOENT)) return;
  std::string directory;
  for (const std::string_view name : path->components()) {
    directory.append("/").append(name);
    const auto info = sys::file_info(sys::kAbsolute, directory.c_str());
    if (!info || info->kind != sys::FileKind::Directory) return;
    const bool own = info->owner == sys::user_id();
    if (((own ? info->mode >> 6U : info->mode) & 5U) == 5U || (!own && error.number == ENOENT)) continue;
    const std::string owner = "#" + std::to_string(info->owner);
    error.operation = own ? "this directory is closed to you, its owner:"
                          : "this directory belongs to user " + owner + ", and is closed to others:";
    error.subject = directory;
    error.number = EACCES;
    error.hint = own ? "chmod u+rwx " + shell_word(directory) : "sudo -u '" + owner + "' pale run …";
    return;
  }
}

}  // namespace

Result<Outside> Outside::make(const SandboxRequest& request) {
  PALE_TRY(limits, plan_limits(request.boundary.limits(), request.plan.backend));
  Shared* shared = request.shared;
  if (shared == nullptr) {
    PALE_TRY(made, make_shared());
    shared = made;
  }
  std::optional<SightingLog> sightings;
  if (request.onlooker != nullptr && request.plan.reporting != plan::Reporting::Nothing) {
    PALE_TRY(made, SightingLog::make());
    sightings.emplace(std::move(made));
  }
  return Outside(request, std::move(limits), *shared, std::move(sightings));
}

void Outside::pass_on_sightings() {
  if (!sightings_) return;
  while (const auto entry = sightings_->next())
    request_.onlooker->hear(*request_.scope, request_.boundary, entry->sighting, entry->told);
}

Status Outside::start(const Command* command, TerminalUse terminal, sys::SignalSet caller_signals, sys::Fd theirs,
                      sys::Fd& ours) {
  PALE_CHECK(record());
  if (!limits_.cgroups.empty()) PALE_CHECK(make_cgroups(limits_));
  const bool namespaces = request_.plan.backend == plan::Backend::Namespaces;
  Kept skeleton;
  if (namespaces) {
    PALE_TRY(kept, prepare_skeleton(request_.places, request_.plan.skeleton));
    skeleton = std::move(kept);
  }
  PALE_TRY(staged, staged_files());
  const Launch launch{request_.boundary,
                      request_.plan,
                      request_.facts,
                      command,
                      terminal,
                      caller_signals,
                      sys::user_id(),
                      sys::group_id(),
                      !request_.receipt_path.empty(),
                      staged ? &*staged : nullptr,
                      request_.broker_line,
                      request_.gate_line,
                      request_.within,
                      skeleton.path,
                      request_.argv,
                      request_.envp,
                      sightings_ ? &*sightings_ : nullptr,
                      request_.scope,
                      request_.onlooker};
  if (!namespaces) PALE_CHECK(sys::adopt_orphans());
  auto child = sys::fork_into(namespaces ? kNamespaces : 0);
  if (!child) return fail(explain_clone(child.error()));
  if (child->pid == 0) {
    ours.reset();
    run_inside(launch, limits_, shared_, std::move(theirs));
  }
  init_ = std::move(*child);
  request_.record.begun();
  return {};
}

Result<RunResult> Outside::conclude(const Result<Ending>& ending) {
  // Whatever makes a name inside is asked about first; of a first process that was killed nobody knows what it answered.
  const bool made_nothing = request_.plan.has_listener() && shared_.ended && !shared_.asked;
  Swept swept = made_nothing ? Swept{} : sweep(missing_, request_.places.quarantine());
  if (!swept.error) request_.record.settled();
  const bool clean = swept.moved.empty() && !swept.error;
  if (shared_.failed && !shared_.started) return fail(setup_error(shared_.error.get()));
  // The first process ended the command, since it could no longer answer for it.
  if (shared_.failed && clean) return fail(shared_.error.get());
  if (!ending && clean) return fail(ending.error());
  pass_on_sightings();
  RunResult result;
  result.saw_more = sightings_ && sightings_->is_full();
  result.ending = shared_.contained || !clean ? Ending::Contained : *ending;
  result.exec_error = shared_.exec_error;
  result.started_ns = shared_.started_ns;
  result.watch_ns = shared_.watch_ns;
  result.accesses = shared_.accesses;
  result.appeared = std::move(swept.moved);
  result.unswept = std::move(swept.error);
  if (!shared_.ended && result.ending == Ending::Exited) result.ending = Ending::Killed;
  result.exit_code = shared_.ended ? sys::exit_code_of(shared_.status) : 128 + SIGKILL;
  return result;
}

void Outside::take_apart() {
  if (init_.pid != 0) {
    if (!shared_.ended) (void)sys::send_signal(init_.pidfd, SIGKILL);
    (void)sys::wait_for(init_.pid);
    init_ = {};
  }
  if (request_.plan.backend == plan::Backend::Landlock) sys::end_descendants();
  remove_cgroups(limits_.directories());  // before the record goes
}

// A distribution may let anyone make a user namespace and then give it no rights.
Error Outside::setup_error(Error error) const {
  if (request_.plan.backend == plan::Backend::Namespaces && error.number == EPERM) error.kind = ErrorKind::Unsupported;
  explain_closed(error);
  const auto pids = request_.boundary.limits().pids;
  if (pids && error.number == EAGAIN)
    error.hint = "--pids " + std::to_string(*pids + 1) + ", or more: the first process of a sandbox is one of them";
  if (error.hint.empty()) error.hint = "pale doctor";
  return error;
}

Result<std::optional<StagedFiles>> Outside::staged_files() const {
  if (!request_.stage_began_ns) return std::nullopt;
  PALE_TRY(files,
           StagedFiles::open(*request_.boundary.grant_for(request_.boundary.workspace()), *request_.stage_began_ns));
  return files;
}

// What this run may leave. Before the fork: afterwards each page that this touches would have to be copied, while the first
// process mostly waits for the same processor.
Status Outside::record() {
  auto written = request_.record.write(missing_, limits_.directories(), request_.trees);
  if (!written) return fail(std::move(written).error().with_hint("df " + shell_word(request_.places.home)));
  return {};
}

}  // namespace pale::sandbox
