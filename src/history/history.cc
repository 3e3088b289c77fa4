#include "history/history.h"

#include <algorithm>
#include <utility>

#include "base/json_value.h"
#include "base/uuid.h"
#include "history/database.h"
#include "history/ingest.h"
#include "session/place.h"
#include "sys/file.h"

namespace pale::history {
namespace {

constexpr std::size_t kDeepest = 3;
constexpr std::size_t kShortestBeginning = 4;
constexpr std::size_t kMostNamed = 8;  // of those that begin alike

// The columns of a session, its last run behind them.
#define PALE_SESSION_COLUMNS                                                                                        \
  "SELECT s.id, s.project, s.workspace, s.stage, s.created_ms, s.limits, s.ended_ms, s.ending, s.last_event, "      \
  "s.last_ms, s.runs, s.denials, s.changes, r.run, r.command, r.directory, r.started_ms, r.ended_ms, r.exit_code, " \
  "r.ending, s.key, s.receipt "                                                                                     \
  "FROM sessions s LEFT JOIN runs r ON r.session = s.key AND r.run = s.last_run "
constexpr int kRunColumn = 13;
constexpr int kKeyColumn = 20;
constexpr int kReceiptColumn = 21;

// ?2 a workspace or '', ?3 0 for all, 1 for the living, 2 for the others.
#define PALE_SESSION_REST                                                          \
  "(?2 = '' OR s.workspace = ?2) AND (?3 = 0 OR (s.ended_ms IS NULL) = (?3 = 1)) " \
  "ORDER BY s.created_ms DESC, s.key DESC LIMIT ?4"
constexpr const char* kOfAll = PALE_SESSION_COLUMNS "WHERE ?1 = '' AND " PALE_SESSION_REST;
// By the index, so that it takes no longer when others have more.
constexpr const char* kOfProject = PALE_SESSION_COLUMNS "WHERE s.project = ?1 AND " PALE_SESSION_REST;

std::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorKind::System, "the history is damaged:", std::string(what));
}

Result<Run> run_at(const Query& row, int column) {
  Run run;
  run.number = static_cast<std::uint64_t>(row.number(column));
  PALE_TRY(command, JsonValue::parse(row.text(column + 1), kDeepest));
  for (const JsonValue& word : command.items()) run.command.push_back(word.bytes().value_or(""));
  run.directory = row.text(column + 2);
  run.started_ms = row.number(column + 3);
  run.ended_ms = row.maybe(column + 4);
  if (const auto code = row.maybe(column + 5)) run.exit_code = static_cast<int>(*code);
  run.ending = row.text(column + 6);
  return run;
}

// In such a session each run is a call of a worker, with a sandbox of its own.
Status add_receipts(Database& database, std::int64_t key, std::vector<Run>& runs) {
  PALE_TRY(query, database.ask("SELECT run, body FROM events WHERE session = ?1 AND kind = 'started'", key));
  for (;;) {
    PALE_TRY(there, query.next());
    if (!there) return {};
    const auto found = std::ranges::find(runs, static_cast<std::uint64_t>(query.number(0)), &Run::number);
    const auto event = session::parse_event(query.text(1));
    if (found != runs.end() && event) found->receipt = event->data;
  }
}

Result<Session> session_at(const Query& row) {
  Session session;
  session.about.id = row.text(0);
  session.about.project = row.text(1);
  session.about.workspace = row.text(2);
  session.about.stage = row.text(3);
  session.about.created_ms = row.number(4);
  PALE_TRY(limits, JsonValue::parse(row.text(5), kDeepest));
  PALE_TRY(read, session::parse_limits(limits));
  session.about.limits = read;
  session.ended_ms = row.maybe(6);
  session.ending = row.text(7);
  session.last_event = static_cast<std::uint64_t>(row.number(8));
  session.last_ms = row.number(9);
  session.runs = static_cast<std::uint64_t>(row.number(10));
  session.denials = static_cast<std::uint64_t>(row.number(11));
  session.changes = static_cast<std::uint64_t>(row.number(12));
  if (row.is_null(kRunColumn)) return session;
  PALE_TRY(run, run_at(row, kRunColumn));
  session.last_run = std::move(run);
  return session;
}

template <typename... Values>
Result<std::vector<session::Name>> names_of(Database& database, const char* sql, const Values&... values) {
  PALE_TRY(query, database.ask(sql, values...));
  std::vector<session::Name> names;
  for (;;) {
    PALE_TRY(there, query.next());
    if (!there) return names;
    names.push_back({query.text(0), query.text(1)});
  }
}

std::unexpected<Error> no_session(std::string_view id) {
  return fail(ErrorKind::NotFound, "there is no session", "'" + std::string(id) + "'", "pale session list");
}

// ",denied,exit,"; empty: all.
std::string kinds_text(const std::vector<session::EventKind>& kinds) {
  std::string text;
  for (const session::EventKind kind : kinds) text += (text.empty() ? "," : "") + std::string(to_text(kind)) + ",";
  return text;
}

}  // namespace

History::History(Path pale_home, std::unique_ptr<Database> database)
    : pale_home_(std::move(pale_home)), database_(std::move(database)) {}
History::History(History&& other) noexcept = default;
History& History::operator=(History&& other) noexcept = default;
History::~History() = default;

Result<History> History::open(const Path& pale_home) {
  PALE_TRY(database, Database::open(pale_home));
  return History(pale_home, std::move(database));
}

Status History::ingest(const session::Name& name) {
  for (;;) {
    PALE_TRY(all, ingest_some(name));
    if (all) return {};
  }
}

Result<bool> History::ingest_some(const session::Name& name) {
  if (!is_uuid(name.session)) return no_session(name.session);
  PALE_TRY(taken, ingest_session(*database_, pale_home_, name));
  if (taken == Taken::Complete) complete_[name.project].insert(name.session);
  return taken != Taken::Some;
}

Status History::ingest_all() {
  PALE_TRY(names, to_take_in());
  return ingest_each(names);
}

Status History::ingest_project(const std::string& project) {
  PALE_TRY(names, to_take_in(project));
  return ingest_each(names);
}

Status History::ingest_each(const std::vector<session::Name>& names) {
  Status first;
  for (const session::Name& name : names) {
    Status taken = ingest(name);
    if (!taken && first) first = std::move(taken);
  }
  return first;
}

// Also those that are under way but whose directory is gone, by whatever means.
Result<std::vector<session::Name>> History::to_take_in(const std::string& project) {
  PALE_CHECK(session::remove_dead_places(pale_home_));
  if (!knows_complete_) PALE_CHECK(learn_complete());
  PALE_TRY(names, session::sessions_on_disk(pale_home_, project));
  std::unordered_set<std::string> on_disk;
  for (const session::Name& name : names) on_disk.insert(name.session);
  std::vector<std::string> projects = {project};
  if (project.empty()) {
    projects.clear();
    for (const auto& [each, sessions] : complete_) projects.push_back(each);
  }
  for (const std::string& each : projects) PALE_CHECK(forget_former(each, on_disk));
  PALE_TRY(under_way,
           project.empty()
               ? names_of(*database_, "SELECT project, id FROM sessions WHERE complete = 0")
               : names_of(*database_, "SELECT project, id FROM sessions WHERE project = ?1 AND complete = 0", project));
  for (session::Name& name : under_way) {
    if (!on_disk.contains(name.session)) names.push_back(std::move(name));
  }
  std::erase_if(names, [&](const session::Name& name) { return !is_uuid(name.session) || is_complete(name); });
  return names;
}

bool History::is_complete(const session::Name& name) const {
  const auto project = complete_.find(name.project);
  return project != complete_.end() && project->second.contains(name.session);
}

Status History::learn_complete() {
  PALE_TRY(names, names_of(*database_, "SELECT project, id FROM sessions WHERE complete = 1"));
  for (session::Name& name : names) complete_[name.project].insert(std::move(name.session));
  knows_complete_ = true;
  return {};
}

Status History::forget_former(const std::string& project, const std::unordered_set<std::string>& on_disk) {
  const auto known = complete_.find(project);
  if (known == complete_.end()) return {};
  for (auto each = known->second.begin(); each != known->second.end();) {
    bool former = !on_disk.contains(*each);
    if (former) {
      const session::Place place = session::place_of(pale_home_, project, *each);
      // Again: it may have come and ended since the names were read.
      PALE_TRY(record, sys::file_info(sys::kAbsolute, place.record.c_str()));
      PALE_TRY(home, sys::file_info(sys::kAbsolute, (pale_home_ / "projects" / project).c_str()));
      former = record.kind == sys::FileKind::Missing && home.kind == sys::FileKind::Directory;
    }
    if (former) PALE_CHECK(database_->run("DELETE FROM sessions WHERE id = ?1", *each));
    each = former ? known->second.erase(each) : std::next(each);
  }
  return {};
}

Result<std::vector<Session>> History::sessions(const SessionFilter& filter) const {
  PALE_TRY(query, database_->ask(filter.project ? kOfProject : kOfAll, filter.project.value_or(""),
                                 filter.workspace.value_or(""), static_cast<std::int64_t>(filter.life),
                                 std::min(filter.limit, kMostSessions)));
  std::vector<Session> sessions;
  for (;;) {
    PALE_TRY(there, query.next());
    if (!there) return sessions;
    PALE_TRY(session, session_at(query));
    sessions.push_back(std::move(session));
  }
}

Result<std::string> History::project_of(std::string_view id) const {
  PALE_TRY(query, database_->ask("SELECT project FROM sessions WHERE id = ?1", id));
  PALE_TRY(there, query.next());
  return there ? query.text(0) : std::string();
}

Result<SessionWithRuns> History::session(std::string_view id) const {
  SessionWithRuns whole;
  std::int64_t key = 0;
  {
    PALE_TRY(query, database_->ask(PALE_SESSION_COLUMNS "WHERE s.id = ?1", id));
    PALE_TRY(there, query.next());
    if (!there) return no_session(id);
    PALE_TRY(session, session_at(query));
    whole.session = std::move(session);
    whole.receipt = query.text(kReceiptColumn);
    key = query.number(kKeyColumn);
  }
  PALE_TRY(query, database_->ask("SELECT run, command, directory, started_ms, ended_ms, exit_code, ending FROM runs "
                                 "WHERE session = ?1 ORDER BY run DESC LIMIT ?2",
                                 key, kMostRuns));
  for (;;) {
    PALE_TRY(there, query.next());
    if (!there) break;
    PALE_TRY(run, run_at(query, 0));
    whole.runs.push_back(std::move(run));
  }
  std::ranges::reverse(whole.runs);
  if (whole.session.about.project.starts_with(session::kLocal)) PALE_CHECK(add_receipts(*database_, key, whole.runs));
  return whole;
}

Result<std::string> History::find_id(std::string_view beginning) const {
  const bool possible = beginning.find_first_not_of("0123456789abcdef-") == std::string_view::npos;
  if (!possible) return no_session(beginning);
  if (beginning.size() < kShortestBeginning)
    return fail(ErrorKind::Usage, "at least four characters of a session's id are needed, not",
                "'" + std::string(beginning) + "'", "pale session list");
  // 'g' is behind every character of an id.
  PALE_TRY(query,
           database_->ask("SELECT id FROM sessions WHERE id >= ?1 AND id < ?1 || 'g' ORDER BY created_ms DESC LIMIT ?2",
                          beginning, kMostNamed));
  std::vector<std::string> ids;
  for (;;) {
    PALE_TRY(there, query.next());
    if (!there) break;
    ids.push_back(query.text(0));
  }
  if (ids.empty()) return no_session(beginning);
  if (ids.size() == 1) return ids.front();
  Error error{ErrorKind::Usage, 0, "several sessions begin with", "'" + std::string(beginning) + "'", ids.front(), {}};
  error.other_hints.assign(ids.begin() + 1, ids.end());
  return fail(std::move(error));
}

Result<EventPage> History::events(std::string_view id, const EventFilter& filter) const {
  std::int64_t key = 0;
  EventPage page;
  {
    PALE_TRY(query, database_->ask("SELECT key, last_event, ended_ms IS NOT NULL FROM sessions WHERE id = ?1", id));
    PALE_TRY(there, query.next());
    if (!there) return no_session(id);
    key = query.number(0);
    page.last = static_cast<std::uint64_t>(query.number(1));
    page.over = query.number(2) != 0;
  }
  const std::optional<std::int64_t> run =
      filter.run ? std::optional(static_cast<std::int64_t>(*filter.run)) : std::nullopt;
  PALE_TRY(query, database_->ask(
                      "SELECT number, body FROM events WHERE session = ?1 AND number > ?2 AND number <= ?3 "
                      "AND (?4 = '' OR instr(?4, ',' || kind || ',') > 0) AND (?5 IS NULL OR run = ?5) ORDER BY number",
                      key, std::min<std::uint64_t>(filter.after, INT64_MAX), page.last, kinds_text(filter.kinds), run));
  std::size_t bytes = 0;
  for (;;) {
    PALE_TRY(there, query.next());
    if (!there) {
      page.last = std::max(page.last, filter.after);
      return page;
    }
    const std::string body = query.text(1);
    bytes += body.size();
    page.more =
        page.events.size() >= std::min(filter.limit, kMostEvents) || (!page.events.empty() && bytes > filter.bytes);
    if (page.more) {
      page.over = false;
      page.last = page.events.empty() ? filter.after : page.events.back().number;
      return page;
    }
    auto event = session::parse_event(body);
    if (!event) return damaged("event " + std::to_string(query.number(0)) + " of " + std::string(id));
    page.events.push_back(std::move(*event));
  }
}

Status History::forget_project(std::string_view project) {
  PALE_TRY(transaction, Transaction::begin(*database_));
  PALE_CHECK(database_->run("DELETE FROM sessions WHERE project = ?1", project));
  PALE_CHECK(transaction.commit());
  complete_.erase(std::string(project));
  return {};
}

}  // namespace pale::history
