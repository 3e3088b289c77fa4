// history/schema.h: the tables, as steps from one version of them to the next. What was released stays as it is; a change is a
// further step.
#pragma once

#include <array>

namespace pale::history {

inline constexpr std::array kSchemaSteps = {
    // A session is known by a small number of its own within the database: its id would stand twice in each event.
    R"sql(
CREATE TABLE sessions(
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  project TEXT NOT NULL,
  workspace TEXT NOT NULL,
  stage TEXT NOT NULL,
  created_ms INTEGER NOT NULL,
  ended_ms INTEGER,
  ending TEXT NOT NULL DEFAULT '',
  limits TEXT NOT NULL,
  journal_offset INTEGER NOT NULL DEFAULT 0,
  last_event INTEGER NOT NULL DEFAULT 0,
  last_ms INTEGER NOT NULL,
  runs INTEGER NOT NULL DEFAULT 0,
  last_run INTEGER NOT NULL DEFAULT 0,
  denials INTEGER NOT NULL DEFAULT 0,
  changes INTEGER NOT NULL DEFAULT 0,
  complete INTEGER NOT NULL DEFAULT 0,
  receipt TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX sessions_by_time ON sessions(created_ms);
CREATE INDEX sessions_by_project ON sessions(project, created_ms);
CREATE INDEX sessions_under_way ON sessions(key) WHERE complete = 0;
CREATE TABLE runs(
  session INTEGER NOT NULL REFERENCES sessions(key) ON DELETE CASCADE,
  run INTEGER NOT NULL,
  command TEXT NOT NULL,
  directory TEXT NOT NULL,
  started_ms INTEGER NOT NULL,
  ended_ms INTEGER,
  exit_code INTEGER,
  ending TEXT NOT NULL DEFAULT '',
  PRIMARY KEY(session, run)
) STRICT, WITHOUT ROWID;
CREATE TABLE events(
  session INTEGER NOT NULL REFERENCES sessions(key) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  kind TEXT NOT NULL,
  run INTEGER NOT NULL,
  body TEXT NOT NULL,
  PRIMARY KEY(session, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE tokens(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  hash BLOB NOT NULL UNIQUE,
  created_ms INTEGER NOT NULL,
  last_used_ms INTEGER,
  expires_ms INTEGER
) STRICT;
)sql",
    // What was tried, among all that was written.
    R"sql(
CREATE INDEX events_tried ON events(session, at_ms) WHERE kind IN ('denied', 'changed');
)sql",
};

}  // namespace pale::history
