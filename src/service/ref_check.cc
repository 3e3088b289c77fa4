#include "service/ref_check.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.h"
#include "boundary/rule.h"
#include "git/note.h"
#include "git/plain.h"
#include "service/compose.h"
#include "service/kept_refs.h"
#include "service/rebase_check.h"
#include "service/side_run.h"
#include "service/workspace.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/random.h"

namespace pale::service {
namespace {

constexpr std::int64_t kLongestMs = 120'000;
constexpr std::size_t kMostAnswer = 1UL << 30U;
constexpr std::size_t kMostConfig = 1UL << 20U;
constexpr std::size_t kPiece = 65536;
constexpr std::int64_t kDyingMs = 10'000;

Path git_directory(const Prepared& prepared) { return prepared.boundary.workspace() / ".git"; }
Path git_on_host(const Prepared& prepared) { return prepared.root() / ".git"; }
// What runs noted of this project's repository, each until it was checked; named as the project's other places are.
Path notes_in(const Prepared& prepared) {
  const Path pale_home = Path::literal(prepared.pale_home);
  return pale_home / "refs" / stages_of(pale_home, prepared.root()).name();
}
Path kept_refs_of(const Prepared& prepared) { return Path::literal(notes_in(prepared).text() + ".kept"); }

// A run with a scope, in a repository of its own that it can write to.
Result<bool> is_needed(const Prepared& prepared, const Request& request) {
  if (prepared.terms.settings.folders.empty() && !request.file_scope) return false;
  const Path git = git_directory(prepared);
  const Standing standing = standing_at(prepared.boundary, git);
  if (standing.ground != Ground::Grant || access_at(prepared.boundary, *standing.grant, git) != Access::Write)
    return false;
  PALE_TRY(info, sys::file_info(sys::kAbsolute, git_on_host(prepared).c_str()));
  return info.kind == sys::FileKind::Directory;
}

// Whose note it is, as the beginning of its name: "PID-START-".
std::string owner_name(sys::Pid pid) { return std::to_string(pid) + "-" + std::to_string(sys::start_time(pid)) + "-"; }

// What a killed run leaves inside dies a moment after it, and has its lock until then.
bool owner_lives(const std::string& note) {
  const auto pid = parse_number(std::string_view(note).substr(0, note.find('-')));
  if (!pid) return false;
  const auto lineage = sys::lineage_of(static_cast<sys::Pid>(*pid));
  return lineage && !lineage->zombie && note.starts_with(owner_name(static_cast<sys::Pid>(*pid)));
}

// Reads until its end, or until the time is over.
Result<std::string> hear(const sys::Fd& from, std::int64_t until) {
  std::string heard;
  std::array<char, kPiece> buffer;
  for (;;) {
    std::array<sys::Ready, 1> ready = {sys::Ready{from.borrow()}};
    const std::int64_t left = until - sys::monotonic_ms();
    if (left <= 0) return fail(ErrorKind::System, "the check took too long, and was ended after", "2 minutes");
    PALE_CHECK(sys::wait_ready(ready, left));
    if (!ready[0].readable && !ready[0].closed) continue;
    const std::size_t got = sys::read_some(from.borrow(), buffer);
    if (got == 0) return heard;
    if (heard.size() + got > kMostAnswer) return fail(ErrorKind::System, "the check says too much", "");
    heard.append(buffer.data(), got);
  }
}

// The run's own, without what is about its command: a second that an agent may take is too short for a check, and the network is not
// needed.
Result<Boundary> boundary_for_check(const Prepared& prepared) {
  BoundaryParts parts = prepared.boundary.parts();
  parts.limits = {};
  parts.environment.clear();
  parts.network = Network::None;
  return Boundary::make(std::move(parts));
}

// This program, inside the boundary of the run, with `words`; what it says.
Result<std::string> run_inside(const Prepared& prepared, plan::Weakening weakening, const Caller& caller,
                               std::vector<std::string> words, const sys::Fd& input) {
  PALE_TRY(boundary, boundary_for_check(prepared));
  plan::Facts facts = prepared.facts;
  facts.terminal.clear();
  PALE_TRY(plan, plan::make_plan(boundary, facts, prepared.plan.backend, weakening));
  PALE_TRY(program, sys::open_program());
  PALE_TRY(pipe, sys::open_pipe());
  PALE_TRY(quiet, sys::open_at(sys::kAbsolute, "/dev/null", O_WRONLY));
  words.insert(words.begin(), "pale");
  SideRequest side{prepared.pale_home, caller, {std::move(words), prepared.boundary.workspace(), &program}};
  side.input = input.borrow();
  side.output = pipe.write_end.borrow();
  side.errors = quiet.borrow();
  if (prepared.staging) side.stage_began_ns = prepared.staging->stage.began_ns;
  PALE_TRY(run, SideRun::start(
                    std::make_unique<const SideGround>(std::move(boundary), std::move(plan), std::move(facts)), side));
  pipe.write_end.reset();
  auto heard = hear(pipe.read_end, sys::monotonic_ms() + kLongestMs);
  if (!heard) run.end();
  PALE_TRY(result, run.finish());
  if (!heard) return heard;
  if (result.exec_error != 0) return fail_errno(result.exec_error, "start the check", "inside");
  if (result.exit_code != 0)
    return fail(ErrorKind::System, "the check ended with the code", std::to_string(result.exit_code));
  return heard;
}

Result<sys::Fd> open_note(const Path& file) {
  return sys::open_at(sys::kAbsolute, file.c_str(), O_RDONLY | O_NOFOLLOW);
}

// The repository as the run sees it, now.
Result<git::Snapshot> read_repository(const Prepared& prepared, plan::Weakening weakening, const Caller& caller) {
  if (!prepared.staging) return git::take(git_on_host(prepared));
  PALE_TRY(nothing, sys::open_at(sys::kAbsolute, "/dev/null", O_RDONLY));
  PALE_TRY(text, run_inside(prepared, weakening, caller, {std::string(kNoteCommand), git_directory(prepared).text()},
                            nothing));
  return git::parse_snapshot(text);
}

enum class Effect { Whole, LookOnly };
Result<RefReport> check_inside(const Prepared& prepared, plan::Weakening weakening, const Caller& caller,
                               const std::string& note, Effect effect) {
  std::vector<std::string> words = {"refs-check"};
  if (effect == Effect::LookOnly) words.emplace_back("look");
  PALE_TRY(memory, sys::make_memory_file("note", note));
  const std::string again = "/proc/self/fd/" + std::to_string(memory.borrow());
  PALE_TRY(input, sys::open_at(sys::kAbsolute, again.c_str(), O_RDONLY));
  PALE_TRY(answer, run_inside(prepared, weakening, caller, std::move(words), input));
  return parse_ref_report(answer);
}

// One check of a repository at a time: it mends, and must know what another has kept.
Result<sys::Fd> lock_checks(const Prepared& prepared) {
  PALE_TRY(directory, sys::open_at(sys::kAbsolute, notes_in(prepared).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  PALE_TRY(lock, sys::lock_within(directory, sys::LockKind::Exclusive, kLongestMs));
  if (lock == sys::Lock::Held)
    return fail(ErrorKind::Refused, "another check of the repository goes on:", prepared.root().text());
  return directory;
}

// In a stage nothing of it is on the host: what would run there is asked about when it is applied.
Status check_todos(const Prepared& prepared, const git::Note& note, Effect effect, RefReport& report) {
  if (prepared.staging) return {};
  PALE_TRY(now, git::read_todos(git_on_host(prepared)));
  report.todos = new_commands(note.before.todos, now);
  if (effect == Effect::LookOnly || note.terms.mode == git::Mode::Permissive) return {};
  return move_aside(prepared.root(), note.before.todos, sandbox::Places{prepared.pale_home}.quarantine(), report.todos);
}

Result<RefReport> check_changed(const Prepared& prepared, plan::Weakening weakening, const Caller& caller,
                                const std::string& text, Effect effect) {
  PALE_TRY(lock, lock_checks(prepared));
  PALE_TRY(note, git::parse_note(text));
  // One that cannot be read is the keeper's business.
  const git::Snapshot now = read_repository(prepared, weakening, caller).value_or(git::Snapshot());
  PALE_CHECK(add_kept_refs(kept_refs_of(prepared), now, note.before));
  const std::string known = git::to_text(note.terms) + git::to_text(note.before);
  PALE_TRY(report, check_inside(prepared, weakening, caller, known, effect));
  if (effect == Effect::Whole) PALE_CHECK(note_kept_refs(kept_refs_of(prepared), now, report));
  if (const Status moved = check_todos(prepared, note, effect, report); !moved && report.unmended.empty())
    report.unmended = moved.error().sentence();
  return report;
}

Result<RefReport> check_note(const Prepared& prepared, plan::Weakening weakening, const Caller& caller,
                             const sys::Fd& file, Effect effect) {
  PALE_TRY(note, sys::read_all(file, kMostAnswer));
  const auto now = read_repository(prepared, weakening, caller);
  if (!now || git::to_text(*now) != git::snapshot_of(note))
    return check_changed(prepared, weakening, caller, note, effect);
  PALE_TRY(terms, git::parse_terms(note));
  RefReport report;
  report.strict = effect == Effect::Whole && terms.mode == git::Mode::Strict;
  return report;
}

// Whether the keeper reads such a repository for certain; else it is asked.
bool is_plain(const Prepared& prepared, const git::Snapshot& snapshot) {
  const auto directory =
      sys::open_at(sys::kAbsolute, git_on_host(prepared).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory) return false;
  const auto config = git::read_beneath(*directory, "config", kMostConfig);
  const auto objects = sys::file_info(directory->borrow(), "objects");
  return config && *config && git::is_plain_config(**config) && objects && objects->kind == sys::FileKind::Directory &&
         git::find(snapshot.refs, "HEAD") != nullptr &&
         std::ranges::all_of(snapshot.indexes, [](const git::Held& index) { return git::is_plain_index(index.bytes); });
}

git::Terms terms_of(const Prepared& prepared, const Request& request) {
  const bool strict = is_strict(prepared.terms.settings) || request.file_scope;
  git::Terms terms{git_directory(prepared), strict ? git::Mode::Strict : git::Mode::Permissive, {}, {}};
  for (const auto& folder : prepared.terms.settings.folders)
    terms.folders.push_back(Path::literal(std::string(prepared.root().below(folder.value))));
  if (request.file_scope) terms.file_scope = request.file_scope->value;
  return terms;
}

// A kernel without namespaces is the caller's business.
Error with_way_out(Error error) {
  if (error.kind == ErrorKind::Unsupported) return error;
  error.operation = "what the run commits could not be checked: " + error.operation;
  return std::move(error).with_hint("git = \"read\" in [workspace]; or mend the repository: git fsck");
}

}  // namespace

Result<std::string> note_repository(const std::string& git_directory) {
  PALE_TRY(path, Path::parse(git_directory));
  PALE_TRY(snapshot, git::take(path));
  return git::to_text(snapshot);
}

Result<std::optional<RefCheck>> RefCheck::begin(const Prepared& prepared, const Request& request, const Caller& caller,
                                                std::vector<RefReport>& earlier) {
  PALE_TRY(needed, is_needed(prepared, request));
  if (!needed) return std::nullopt;
  PALE_TRY(left, check_notes(prepared, request, caller, Notes::OfKilled));
  for (RefReport& report : left) {
    if (!report.is_clean()) earlier.push_back(std::move(report));
  }
  auto snapshot = read_repository(prepared, request.weakening, caller);
  if (!snapshot) return fail(with_way_out(snapshot.error()));
  const git::Terms terms = terms_of(prepared, request);
  const std::string note = git::to_text(terms) + git::to_text(*snapshot);
  if (!is_plain(prepared, *snapshot)) {
    const auto tried = check_inside(prepared, request.weakening, caller, note, Effect::LookOnly);
    if (!tried) return fail(with_way_out(tried.error()));
    if (!tried->unchecked.empty()) return fail(with_way_out({ErrorKind::System, 0, tried->unchecked, "", {}}));
  }
  PALE_TRY(id, sys::make_uuid());
  const Path file = notes_in(prepared) / (owner_name(sys::process_id()) + id);
  PALE_CHECK(sys::make_directories(file.parent().text(), 0700));
  // Locked before it has its name: whoever finds it free has a dead run before him.
  const std::string making = file.text() + ".new";
  PALE_TRY(made, sys::open_at(sys::kAbsolute, making.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
  PALE_CHECK(sys::try_lock(made, sys::LockKind::Exclusive));
  PALE_CHECK(sys::write_all(made.borrow(), note));
  PALE_CHECK(sys::rename_to(sys::kAbsolute, making.c_str(), sys::kAbsolute, file.c_str()));
  return RefCheck(file, std::move(made), request.weakening, terms.mode == git::Mode::Strict);
}

RefReport RefCheck::end(const Prepared& prepared, const Caller& caller) {
  RefReport report;
  report.strict = strict_;
  auto note = open_note(file_);
  auto checked = note ? check_note(prepared, weakening_, caller, *note, Effect::Whole)
                      : Result<RefReport>(std::unexpected(note.error()));
  if (checked) {
    report = std::move(*checked);
  } else {
    report.unmended = checked.error().sentence() + "; try: pale scope check-git";
  }
  // Otherwise the note stays, for `pale scope check-git`.
  if (report.unmended.empty()) (void)sys::remove_file(sys::kAbsolute, file_.c_str());
  note_.reset();
  return report;
}

Result<std::vector<RefReport>> check_notes(const Prepared& prepared, const Request& request, const Caller& caller,
                                           Notes which) {
  std::vector<RefReport> reports;
  const Path directory = notes_in(prepared);
  PALE_TRY(info, sys::file_info(sys::kAbsolute, directory.c_str()));
  if (info.kind != sys::FileKind::Directory) return reports;
  PALE_TRY(fd, sys::open_at(sys::kAbsolute, directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  PALE_TRY(entries, sys::list_directory(fd));
  for (const sys::Entry& entry : entries) {
    const Path file = directory / entry.name;
    const bool owned = owner_lives(entry.name);
    if (entry.name.ends_with(".new")) {
      // Nothing had begun yet; of one who lives it may not even be locked.
      if (!owned) (void)sys::remove_file(sys::kAbsolute, file.c_str());
      continue;
    }
    const auto note = sys::open_at(sys::kAbsolute, file.c_str(), O_RDONLY | O_NOFOLLOW);
    if (!note && note.error().number == ENOENT) continue;  // Its run has just ended.
    if (!note) return fail(note.error());
    PALE_TRY(lock, sys::lock_within(*note, sys::LockKind::Exclusive, owned ? 0 : kDyingMs));
    const bool lives = lock == sys::Lock::Held;
    if (lives && which == Notes::OfKilled) continue;
    PALE_TRY(there, sys::file_info(sys::kAbsolute, file.c_str()));
    if (there.kind == sys::FileKind::Missing) continue;
    PALE_TRY(report, check_note(prepared, request.weakening, caller, *note, lives ? Effect::LookOnly : Effect::Whole));
    if (!lives && report.unmended.empty()) PALE_CHECK(sys::remove_file(sys::kAbsolute, file.c_str()));
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace pale::service
