// session/event.h: what happened in a session, as one line of its journal. Appended in one write each: a kill at any point loses
// at most the last.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pale::session {

enum class EventKind {
  Started,     // the sandbox stands; body: its receipt
  Run,         // a command begins
  Output,      // of a command, or of what it left running
  Input,       // given to a command
  Denied,      // the boundary refused something
  Changed,     // something in the workspace is about to be changed
  Exit,        // a command ended
  Connection,  // something inside wanted to reach a host
  Ended,       // the session did
  Unreadable,  // a line of the journal that is none of these; no host writes it, a reader says so
};
std::string_view to_text(EventKind kind) noexcept;

// The rule of what was refused because it lies outside the folders that a run is about; their names follow, with commas.
inline constexpr std::string_view kOutsideFolders = "outside the workspace folders: ";

// Only what the kind has is set.
struct Event {
  EventKind kind = EventKind::Started;
  std::uint64_t number = 0;          // from 1, without gaps
  std::int64_t at_ms = 0;            // since 1970
  std::uint64_t run = 0;             // 0: of the session itself
  std::vector<std::string> command;  // Run
  std::string directory;             // Run
  std::string stream;                // Output: "stdout", "stderr"
  std::string data;         // Output: any bytes. Started: the receipt, as JSON. Unreadable: the beginning of the line
  std::uint64_t bytes = 0;  // Input: how many. Connection: how many were sent
  std::uint64_t received = 0;  // Connection: how many bytes
  std::string path;            // Denied, Changed: inside. Connection: "api.example.org:443"
  std::string operation;       // Denied, Changed. Connection: what was spoken, as "https"
  std::string rule;            // Denied: who said so. Connection: why it was blocked, or failed
  int exit_code = 0;           // Exit
  std::string
      ending;  // Exit: exited, timed_out, cancelled, disk, killed, failed. Connection: begun, allowed, blocked, failed. Ended: ended, timed_out, idle, contained, failed, killed
  std::int64_t milliseconds = 0;  // Exit: how long it ran

  bool operator==(const Event&) const = default;
};

// With its newline.
std::string to_line(const Event& event);
Result<Event> parse_event(std::string_view line);

// The whole lines of a journal from an offset on, about as many bytes of them as are wanted but at least one, and where the next
// one will begin. A line without an end is not there yet. One that cannot be read is an event like the others, after whose number
// and time the reader has to look himself: it has 0, or what the line before it suggests.
struct EventsRead {
  std::vector<Event> events;
  std::uint64_t next = 0;
};
Result<EventsRead> read_events(const std::string& path, std::uint64_t from, std::size_t most_bytes);

}  // namespace pale::session
