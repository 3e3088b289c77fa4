// service/run_times.h: how long a run took, and what of that is Pale's.
#pragma once

#include <cstdint>
#include <string>

namespace pale::service {

struct RunTimes {
  std::int64_t began_ms = 0;  // since 1970
  std::int64_t milliseconds = 0;
  std::int64_t validation_us = 0;  // what it may do decided, folders checked, the plan made
  std::int64_t start_us = 0;       // until the command began, with that
  std::int64_t watch_us = 0;       // of a processor, looking at what it does
  std::uint64_t accesses = 0;      // that were looked at
};

// As it is kept with a session.
std::string to_json(const RunTimes& times);
// For a person: a line.
std::string in_words(const RunTimes& times);

}  // namespace pale::service
