// worker/call.h: what a worker says to the broker outside when it wants another worker called, and what it is answered: one JSON
// text in one line each. Who asks is not said: the broker knows by the sandbox the line came out of. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "worker/share.h"

namespace pale::worker {

inline constexpr std::size_t kMostInput = 16UL << 20U;   // bytes
inline constexpr std::size_t kMostLine = 17UL << 20U;    // of a request
inline constexpr std::size_t kMostAnswer = 16UL << 20U;  // of what a worker answers

struct CallRequest {
  std::string worker;
  std::string input;         // JSON; "null" if there is none
  std::string instructions;  // beside those of its file; a locked worker takes none
  bool operator==(const CallRequest&) const = default;
};
std::string to_line(const CallRequest& request);
Result<CallRequest> parse_call(std::string_view line);

struct CallAnswer {
  std::string answer;  // what it wrote to its standard output
  int exit_code = 0;
  std::optional<Refusal> refusal;  // why there is none, or why it does not count
  bool operator==(const CallAnswer&) const = default;
};
std::string to_line(const CallAnswer& answer);
Result<CallAnswer> parse_answer(std::string_view line);

}  // namespace pale::worker
