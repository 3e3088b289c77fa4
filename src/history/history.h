// history/history.h: what happened in all sessions, in PALE_HOME/history.db. Sessions write journals of their own and know nothing
// of it; who wants to know takes those in first.
//
// Of one thread at a time: who has it uses it alone. Any number of processes may have one open at once; what one of them takes in
// the others see, and two that take in the same journal take it in once.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/path.h"
#include "history/record.h"
#include "session/place.h"

namespace pale::history {

class Database;

class History {
 public:
  // Makes the database if there is none. One that is damaged, or of a newer Pale, stays as it is, and is an error.
  static Result<History> open(const Path& pale_home);
  History(History&& other) noexcept;
  History& operator=(History&& other) noexcept;
  ~History();

  // Takes in what the session's journal has that is not here yet. Of a session whose host is gone, the end, too; then the journal
  // and live/<id> are removed. Costs next to nothing when nothing is new. A session of which nothing is on disk any more is over.
  Status ingest(const session::Name& name);
  // A part of that; whether it was the last for now.
  Result<bool> ingest_some(const session::Name& name);
  // All of them. What goes wrong with one does not keep out the others; the first such error is returned in the end.
  // A session that is recorded for a project but has no directory in it belonged to a former project of that name, and is
  // forgotten: who has the new one must not read of the old.
  Status ingest_all();
  // Those of one project, in a time that the others have no part in.
  Status ingest_project(const std::string& project);
  // Those whom these two take in, for whoever does it part by part. No project: all.
  Result<std::vector<session::Name>> to_take_in(const std::string& project = {});

  // Newest first.
  Result<std::vector<Session>> sessions(const SessionFilter& filter) const;
  // The project of a session, by its whole id; empty if none is on record.
  Result<std::string> project_of(std::string_view id) const;
  // By its whole id; an error of kind NotFound if there is none.
  Result<SessionWithRuns> session(std::string_view id) const;
  // The whole id that begins so (at least four characters), if there is only one.
  Result<std::string> find_id(std::string_view beginning) const;
  // In their order.
  Result<EventPage> events(std::string_view id, const EventFilter& filter) const;

  // Of all sessions of a project.
  Result<AccessPage> accesses(std::string_view project, const AccessFilter& filter) const;

  // As if its sessions had never been. For a project that is deleted, after its directory.
  Status forget_project(std::string_view project);

 private:
  History(Path pale_home, std::unique_ptr<Database> database);
  Path pale_home_;
  std::unique_ptr<Database> database_;
  Status learn_complete();
  Status ingest_each(const std::vector<session::Name>& names);
  Status forget_former(const std::string& project, const std::unordered_set<std::string>& on_disk);
  bool is_complete(const session::Name& name) const;

  // Sessions that need no look any more, by their projects.
  std::unordered_map<std::string, std::unordered_set<std::string>> complete_;
  bool knows_complete_ = false;  // those of others, too
};

}  // namespace pale::history
