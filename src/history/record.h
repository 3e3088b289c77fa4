// history/record.h: what the history knows of sessions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/about.h"
#include "session/event.h"

namespace pale::history {

// One command.
struct Run {
  std::uint64_t number = 0;
  std::vector<std::string> command;
  std::string directory;
  std::int64_t started_ms = 0;
  std::optional<std::int64_t> ended_ms;  // none: it runs
  std::optional<int> exit_code;          // none: it runs, or died with its session
  std::string ending;                    // as session::Event has it for Exit; "killed" with its session
  std::string receipt;                   // JSON, of a worker's sandbox; with a whole session only
  bool operator==(const Run&) const = default;
};

struct Session {
  session::About about;
  std::optional<std::int64_t> ended_ms;  // none: it lives
  std::string ending;                    // as session::Event has it for Ended; "killed" if its host never said so
  std::uint64_t last_event = 0;          // the number of the last one recorded
  std::int64_t last_ms = 0;              // when that was; before the first: created
  std::uint64_t runs = 0;
  std::uint64_t denials = 0;
  std::uint64_t changes = 0;
  std::optional<Run> last_run;

  bool is_live() const noexcept { return !ended_ms; }
};

struct SessionWithRuns {
  Session session;
  std::string receipt;    // JSON; empty if it never stood; of a worker that was called, its own
  std::vector<Run> runs;  // the newest, in their order
};

enum class Life { Any, Live, Ended };

struct SessionFilter {
  std::optional<std::string> project;  // none: of all
  std::optional<std::string> workspace;
  Life life = Life::Any;
  std::size_t limit = 100;  // at most kMostSessions
};

struct EventFilter {
  std::uint64_t after = 0;                // a number: those behind it
  std::vector<session::EventKind> kinds;  // none: all
  std::optional<std::uint64_t> run;
  std::size_t limit = 1000;        // at most kMostEvents
  std::size_t bytes = 4UL << 20U;  // of what is stored; at least one event comes, however large
};

struct EventPage {
  std::vector<session::Event> events;
  std::uint64_t last = 0;  // the next page is behind this number
  bool more = false;       // there is more already
  bool over = false;       // the session has ended, and nothing follows
};

// Something that was tried at the edge of a boundary: refused, or changed outside of what a run is about.
struct AccessEvent {
  std::string session;
  session::Event event;  // Denied or Changed
  std::string place;     // of it in all of them, for the next page
};

struct AccessFilter {
  enum class Which { All, Denied, Changed } which = Which::All;
  std::string session;  // of this one alone; empty: of all
  std::string path;     // a part of it
  std::optional<std::int64_t> since_ms;
  std::optional<std::int64_t> until_ms;
  std::string before;  // a place: those that came earlier
  std::size_t limit = 100;
};

struct AccessPage {
  std::vector<AccessEvent> accesses;  // newest first
  bool more = false;
};

inline constexpr std::size_t kMostSessions = 10'000;
inline constexpr std::size_t kMostRuns = 1'000;
inline constexpr std::size_t kMostEvents = 10'000;

}  // namespace pale::history
