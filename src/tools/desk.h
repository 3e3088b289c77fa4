// tools/desk.h: what the tools inside say to the desk, which is Pale outside of their boundary, and what they hear from it: one JSON
// text in one line each. There a person is asked, and workers are called. Pure; takes anything.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace pale::tools {

inline constexpr std::size_t kMostDeskLine = 20UL << 20U;  // bytes: an answer of a worker, written as JSON

struct ToDesk {
  enum class Kind {
    Ask,       // may this be done?
    Answer,    // the client's user says
    Call,      // have a worker called
    Withdraw,  // nobody waits for that question or call any more
  } kind = Kind::Withdraw;
  std::uint64_t number = 0;  // of the question or call, of the tools' choice
  std::string summary;       // Ask: one line
  std::string details;       // Ask: exactly what would be done
  bool approved = false;     // Answer
  std::string worker;        // Call
  std::string input;         // Call: JSON
  std::string instructions;  // Call
  bool operator==(const ToDesk&) const = default;
};
std::string to_line(const ToDesk& said);
Result<ToDesk> parse_to_desk(std::string_view line);

struct FromDesk {
  enum class Kind {
    Waits,     // it is asked, and can be answered with `pale approve`; more than once, if a worker's call asks again
    Decided,   // of a question
    Answered,  // of a call
  } kind = Kind::Decided;
  std::uint64_t number = 0;
  std::string question;   // Waits: its id
  std::string page;       // Waits: all of it, safe to show
  bool approved = false;  // Decided
  std::string answer;     // Answered: what the worker wrote
  int exit_code = 0;      // Answered
  std::string code;       // Answered: PERMISSION_ESCALATION and the like; empty if it was not refused
  std::string sentence;   // why not, in words
  std::string hint;
  bool operator==(const FromDesk&) const = default;
};
std::string to_line(const FromDesk& said);
Result<FromDesk> parse_from_desk(std::string_view line);

}  // namespace pale::tools
