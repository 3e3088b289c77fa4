// session/message.h: what a session's host and its clients say to each other, one JSON text in one message each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pale::session {

// From a client.
struct Ask {
  enum class Kind {
    Run,     // begin a command; its output and end are told to this client
    Input,   // bytes for the command that runs; of a client that asked for one, for that one alone
    Cancel,  // end the command that this client asked for, and whatever it started
    End,     // end the session
    Status,  // is it busy?
  } kind = Kind::Status;
  std::vector<std::string> command;         // Run
  std::string directory;                    // Run: inside; relative to where commands start. Empty: there
  std::optional<std::uint64_t> time_limit;  // Run: seconds
  std::string data;                         // Input: any bytes
  bool last = false;                        // Input: nothing follows. Run: it gets no input
  bool brief = false;  // Run: nothing is told to this client but output and end; then the host hangs up
  bool operator==(const Ask&) const = default;
};

// To a client.
struct Tell {
  enum class Kind {
    Begun,   // as `run`
    Output,  // some of it
    Exit,    // the command ended
    Done,    // what was asked is done; Status: `run` is the command that runs, or 0
    Failed,  // what was asked could not be done, and why
  } kind = Kind::Done;
  std::uint64_t run = 0;
  std::string stream;              // Output: "stdout" or "stderr"
  std::string data;                // Output: any bytes
  int exit_code = 0;               // Exit
  std::string ending;              // Exit: as in the journal
  std::int64_t milliseconds = 0;   // Exit
  std::uint64_t denials = 0;       // Exit: while it ran
  std::uint64_t changes = 0;       // Exit
  std::vector<std::string> notes;  // Done, of a session that stands: what its starter should know
  Error error;                     // Failed
  bool operator==(const Tell&) const = default;
};

std::string to_text(const Ask& ask);
Result<Ask> parse_ask(std::string_view text);
std::string to_text(const Tell& tell);
Result<Tell> parse_tell(std::string_view text);

// Of output, in one message: with its writing as base64 that still fits.
inline constexpr std::size_t kMostOutput = 64UL << 10U;

}  // namespace pale::session
