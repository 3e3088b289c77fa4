// session/place.h: where a session lies on disk. What it did, in its project, outside of what an agent can write; how it is
// reached while it lives, in a place that no sandbox ever shows: a socket can be connected to even where nothing can be written.
#pragma once

#include <string>
#include <vector>

#include "base/path.h"
#include "sys/fd.h"

namespace pale::session {

// Before the id of a project that is not managed, where sessions are told of: no managed one has such an id.
inline constexpr std::string_view kLocal = "local:";

inline constexpr std::string_view kRecord = ".jsonl";

// A record is the directory projects/<project>/sessions/<id>/: session.json, receipt.json, events.jsonl until the history has them.
// Of a project that is not managed, it is the one file sessions/<project>/<id>.jsonl, whose first line is what session.json says
// elsewhere: a filesystem may take longer to make three files than a worker takes for its call.
struct Place {
  Path record;
  Path live;  // live/<id>/: lock, held by the session's host for as long as it lives; socket

  bool is_one_file() const { return record.name().ends_with(kRecord); }
  Path folder() const { return is_one_file() ? record.parent() : record; }
  Path about() const { return is_one_file() ? record : record / "session.json"; }
  Path receipt() const { return record / "receipt.json"; }
  Path events() const { return is_one_file() ? record : record / "events.jsonl"; }
  Path lock() const { return live / "lock"; }
  Path socket() const { return live / "socket"; }
};

Path live_place_of(const Path& pale_home, const std::string& session);
Place place_of(const Path& pale_home, const std::string& project, const std::string& session);

struct Name {
  std::string project;
  std::string session;
};
// Every session of which something lies on disk, in no order; those of one project, if it is named.
Result<std::vector<Name>> sessions_on_disk(const Path& pale_home, const std::string& project = {});

// Whether its host lives.
Result<bool> is_alive(const Place& place);

// Held by a host until it holds its own lock in live/: who finds that one free then has a dead session before him.
Result<sys::Fd> lock_live_places(const Path& pale_home);
// Such a lock, held, in a place of its own. The place of one that has ended is taken over: a filesystem takes longer to make one
// than all else here, the more of them were just removed.
Result<sys::Fd> take_live_place(const Path& pale_home, const Place& place);
// It has ended. Kept for the next one if nothing but the lock lies there.
Status leave_live_place(const Path& pale_home, const Place& place, sys::Fd lock);
// What hosts left in live/ that were killed.
Status remove_dead_places(const Path& pale_home);

}  // namespace pale::session
