#include "history/ingest.h"

#include <linux/openat2.h>

#include <algorithm>
#include <cerrno>

#include "base/json.h"
#include "session/about_file.h"
#include "session/event.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/tree.h"

namespace pale::history {
namespace {

using session::Event;
using session::EventKind;

constexpr std::size_t kChunk = 1UL << 20U;       // read at once
constexpr std::size_t kMostAtOnce = 2UL << 20U;  // in one transaction, which keeps out other writers

// Where a session stands in the database.
struct State {
  std::int64_t key = 0;
  std::int64_t offset = 0;
  std::int64_t last_event = 0;
  std::int64_t last_ms = 0;
  bool ended = false;
  bool complete = false;
};

class Ingestion {
 public:
  Ingestion(Database& database, const Path& pale_home, const session::Name& name)
      : database_(database),
        pale_home_(pale_home),
        name_(name),
        place_(session::place_of(pale_home, name.project, name.session)) {}

  Result<Taken> run() {
    PALE_TRY(known, find());
    if (known && known->complete) return Taken::Complete;
    // Before the journal is read: what a host that is gone has written is all there.
    PALE_TRY(alive, session::is_alive(place_));
    alive_ = alive;
    PALE_CHECK(open_record());
    if (!known && !record_.is_open()) return Taken::All;
    if (!known) {
      PALE_TRY(about, session::read_about(record_, place_));
      if (!about) return wait_or_clear();
    }
    PALE_TRY(nothing_new, is_up_to_date(known));
    if (nothing_new) return Taken::All;
    PALE_TRY(all, take_in());
    if (!all) return Taken::Some;
    return state_.ended && !alive_ ? clean_up() : Taken::All;
  }

 private:
  Result<std::optional<State>> find() {
    PALE_TRY(query,
             database_.ask("SELECT key, journal_offset, last_event, last_ms, ended_ms IS NOT NULL, complete, project "
                           "FROM sessions WHERE id = ?1",
                           name_.session));
    PALE_TRY(there, query.next());
    if (!there) return std::nullopt;
    if (query.text(6) != name_.project)
      return fail(ErrorKind::Refused, "a session of another project has the id", name_.session);
    return State{query.number(0), query.number(1),      query.number(2),
                 query.number(3), query.number(4) != 0, query.number(5) != 0};
  }

  // What lies in a project's directory may have been put there by an agent: no link on the way is followed.
  Status open_record() {
    PALE_TRY(home, sys::open_at(sys::kAbsolute, pale_home_.c_str(), O_PATH | O_DIRECTORY));
    const std::string below(pale_home_.below(place_.folder()));
    const long raw =
        sys::open_resolved(home.borrow(), below.c_str(), O_PATH | O_DIRECTORY, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
    if (raw == -ENOENT) return {};
    if (raw < 0) return fail_errno(static_cast<int>(-raw), "open", place_.folder().text());
    record_ = sys::Fd(raw);
    journal_ = "/proc/self/fd/" + std::to_string(raw) + "/" + std::string(place_.events().name());
    return {};
  }

  // It does not stand yet: there is nothing to tell of it. If its host was killed on the way, nothing stays of it, either; that
  // held the lock before it made the directory, so who does not hold it now has gone.
  Result<Taken> wait_or_clear() {
    PALE_TRY(alive, session::is_alive(place_));
    if (alive) return Taken::All;
    PALE_TRY(home, sys::open_at(sys::kAbsolute, pale_home_.c_str(), O_PATH | O_DIRECTORY));
    const std::string above(pale_home_.below(place_.record.parent()));
    const long raw =
        sys::open_resolved(home.borrow(), above.c_str(), O_PATH | O_DIRECTORY, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
    if (raw < 0) return Taken::All;
    const sys::Fd sessions(raw);
    PALE_CHECK(sys::remove_tree(sessions.borrow(), std::string(place_.record.name()).c_str()));
    PALE_CHECK(sys::remove_tree(sys::kAbsolute, place_.live.c_str()));
    return Taken::All;
  }

  Result<bool> is_up_to_date(const std::optional<State>& known) const {
    if (!known || !alive_ || !record_.is_open()) return false;
    PALE_TRY(journal, sys::file_info(sys::kAbsolute, journal_.c_str()));
    return static_cast<std::int64_t>(journal.size) == known->offset;
  }

  // Everything that there is, or as much as one transaction should hold; whether it was everything.
  Result<bool> take_in() {
    PALE_TRY(transaction, Transaction::begin(database_));
    PALE_TRY(known, find());  // again: nobody else writes now
    if (known) state_ = *known;
    if (!known) PALE_CHECK(insert());
    bool all = false;
    for (std::int64_t most = state_.offset + static_cast<std::int64_t>(kMostAtOnce); !all && state_.offset < most;) {
      PALE_TRY(read, read_on());
      for (Event& event : read.events) PALE_CHECK(record(event));
      state_.offset = static_cast<std::int64_t>(read.next);
      all = read.events.empty();
    }
    // A host holds its lock from before there is anything to see of it.
    if (all && !alive_ && !state_.ended) PALE_CHECK(end(state_.last_ms, "killed"));
    PALE_CHECK(database_.run("UPDATE sessions SET journal_offset = ?2, last_event = ?3, last_ms = ?4 WHERE key = ?1",
                             state_.key, state_.offset, state_.last_event, state_.last_ms));
    PALE_CHECK(transaction.commit());
    return all;
  }

  Status insert() {
    PALE_TRY(standing, read_about());
    const session::About& about = standing.about;
    PALE_CHECK(database_.run(
        "INSERT INTO sessions(id, project, workspace, stage, created_ms, limits, last_ms) "
        "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?5)",
        about.id, about.project, about.workspace, about.stage, about.created_ms, session::to_json(about.limits)));
    state_ = {};
    state_.key = database_.last_key();
    state_.offset = static_cast<std::int64_t>(standing.first_event);
    state_.last_ms = about.created_ms;
    return {};
  }

  Result<session::AboutFile> read_about() const {
    PALE_TRY(found, session::read_about(record_, place_));
    if (!found) return fail_errno(ENOENT, "open", place_.about().text());
    if (found->about.id != name_.session || found->about.project != name_.project)
      return fail(ErrorKind::Refused, "it describes another session:", place_.about().text());
    return std::move(*found);
  }

  Result<session::EventsRead> read_on() const {
    session::EventsRead nothing{{}, static_cast<std::uint64_t>(state_.offset)};
    if (!record_.is_open()) return nothing;
    auto read = session::read_events(journal_, nothing.next, kChunk);
    if (!read && read.error().number == ENOENT) return nothing;
    if (!read) read.error().subject = place_.events().text();
    return read;
  }

  Status record(Event& event) {
    const auto follows = static_cast<std::uint64_t>(state_.last_event) + 1;
    event.number = std::max(event.number, follows);
    if (event.kind == EventKind::Unreadable && event.at_ms == 0) event.at_ms = state_.last_ms;
    std::string body = to_line(event);
    body.pop_back();
    PALE_CHECK(
        database_.run("INSERT INTO events(session, number, at_ms, kind, run, body) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
                      state_.key, event.number, event.at_ms, to_text(event.kind), event.run, body));
    state_.last_event = static_cast<std::int64_t>(event.number);
    state_.last_ms = event.at_ms;
    return note(event);
  }

  // What is known of the session and its commands by it.
  Status note(const Event& event) {
    switch (event.kind) {
      case EventKind::Started:
        // Each call of a worker has a sandbox of its own: the session's is that of the first.
        if (event.run > 1) return {};
        return database_.run("UPDATE sessions SET receipt = ?2 WHERE key = ?1", state_.key, event.data);
      case EventKind::Run: return begin_run(event);
      case EventKind::Exit:
        return database_.run(
            "UPDATE runs SET ended_ms = ?3, exit_code = ?4, ending = ?5 WHERE session = ?1 AND run = ?2", state_.key,
            event.run, event.at_ms, event.exit_code, event.ending);
      case EventKind::Denied:
        return database_.run("UPDATE sessions SET denials = denials + 1 WHERE key = ?1", state_.key);
      case EventKind::Connection:
        if (event.ending != "blocked") return {};
        return database_.run("UPDATE sessions SET denials = denials + 1 WHERE key = ?1", state_.key);
      case EventKind::Changed:
        return database_.run("UPDATE sessions SET changes = changes + 1 WHERE key = ?1", state_.key);
      case EventKind::Ended: return state_.ended ? Status() : end(event.at_ms, event.ending);
      case EventKind::Output:
      case EventKind::Input:
      case EventKind::Unreadable: return {};
    }
    return {};
  }

  Status begin_run(const Event& event) {
    JsonWriter command;
    command.begin_array();
    for (const std::string& word : event.command) command.value(word);
    command.end_array();
    PALE_CHECK(database_.run(
        "INSERT OR IGNORE INTO runs(session, run, command, directory, started_ms) VALUES(?1, ?2, ?3, ?4, ?5)",
        state_.key, event.run, command.text(), event.directory, event.at_ms));
    if (database_.changed_rows() == 0) return {};
    return database_.run("UPDATE sessions SET runs = runs + 1, last_run = max(last_run, ?2) WHERE key = ?1", state_.key,
                         event.run);
  }

  Status end(std::int64_t at_ms, std::string_view ending) {
    state_.ended = true;
    PALE_CHECK(database_.run("UPDATE runs SET ended_ms = ?2, ending = 'killed' WHERE session = ?1 AND ended_ms IS NULL",
                             state_.key, at_ms));
    return database_.run("UPDATE sessions SET ended_ms = ?2, ending = ?3 WHERE key = ?1", state_.key, at_ms, ending);
  }

  // After the commit: a kill in between leaves files that the next one finds, never a record without its events.
  Result<Taken> clean_up() {
    if (record_.is_open()) PALE_CHECK(remove_events());
    PALE_CHECK(sys::remove_tree(sys::kAbsolute, place_.live.c_str()));
    PALE_CHECK(database_.run("UPDATE sessions SET complete = 1 WHERE key = ?1", state_.key));
    return Taken::Complete;
  }

  Status remove_events() {
    if (place_.is_one_file()) {
      PALE_TRY(found, session::read_about(record_, place_));
      return found ? sys::replace_file(place_.about().text(), found->line, 0600, sys::Durability::OfProcess) : Status();
    }
    const Status removed = sys::remove_file(sys::kAbsolute, journal_.c_str());
    return removed || removed.error().number == ENOENT ? Status() : removed;
  }

  Database& database_;
  const Path& pale_home_;
  const session::Name& name_;
  session::Place place_;
  bool alive_ = false;
  sys::Fd record_;
  std::string journal_;
  State state_;
};

}  // namespace

Result<Taken> ingest_session(Database& database, const Path& pale_home, const session::Name& name) {
  return Ingestion(database, pale_home, name).run();
}

}  // namespace pale::history
