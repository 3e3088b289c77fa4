// loop/log.h: what a loop did, a line for each thing, and what a loop that was interrupted left to be done. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace pale::loop {

// Only what the kind has is set.
struct Entry {
  // begun, run, agent, verify, validate, blocked, outside, refused, verified, applied, conflict, failed, stopped, dropped, kept, passed, ended
  std::string event;
  std::int64_t at = 0;    // milliseconds since 1970
  std::string story;      // its id
  std::uint64_t run = 0;  // the number of the agent's run in this loop
  std::string stage;      // run, applied, dropped
  int exit_code = 0;      // agent, verify, validate
  std::int64_t milliseconds = 0;
  std::string text;  // why, or what
  bool operator==(const Entry&) const = default;
};

// With its newline.
std::string to_line(const Entry& entry);
// Of a whole log; a line that cannot be read is left out: the last one may be half a line.
std::vector<Entry> read_log(std::string_view text);

// What is to be done first by the next loop.
struct Unfinished {
  std::vector<std::string> applied;  // stories that were applied, and are not marked yet
  struct Open {
    std::string story;
    std::string stage;
  };
  std::vector<Open> stages;  // that nobody has applied or dropped
};
Unfinished unfinished(const std::vector<Entry>& entries);

}  // namespace pale::loop
