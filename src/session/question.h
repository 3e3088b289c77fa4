// session/question.h: a question that a person must answer, its answer, and both as JSON. Values; they touch no disk.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/json_value.h"

namespace pale::session {

struct Question {
  std::string id;       // eight letters and digits, easy to type
  std::string project;  // its root, for people
  std::string asker;    // "worker index", "pale mcp"
  std::string summary;  // one line: "write /data/notes.txt"
  std::string details;  // exactly what would be done: a unified diff, or a command with its input and folders
  std::string digest;   // of everything the answer is bound to: digest_of
  std::int64_t asked_ms = 0;
  std::int64_t expires_ms = 0;  // both since 1970
  bool operator==(const Question&) const = default;
};

enum class Verdict { Approved, Denied, TimedOut };
std::string_view to_text(Verdict verdict) noexcept;  // "approved", "denied", "timed_out"

struct Decision {
  Verdict verdict = Verdict::Denied;
  std::string by;  // "pale approve", "pale deny", "terminal", "client", "time-out", "approval mode auto"
  std::int64_t at_ms = 0;
  bool operator==(const Decision&) const = default;
};

// A line of the record of decisions.
struct Decided {
  Question question;
  Decision decision;
  bool operator==(const Decided&) const = default;
};

// Of whose, who asks and what for. An agent has a hand in all of it, and time to look for two that have the same: SHA-256.
std::string digest_of(const Question& question);

inline constexpr std::size_t kIdLength = 8;
bool is_question_id(std::string_view text) noexcept;

// What can be asked: of a good id, and written as JSON no longer than one message carries. Details are not cut short here: what
// a person did not see, he did not allow.
inline constexpr std::size_t kMostQuestion = 144UL << 10U;
Status check_question(const Question& question);

void write_members(JsonWriter& out, const Question& question);
void write_members(JsonWriter& out, const Decision& decision);
Result<Question> read_question(const JsonValue& json);
Result<Decision> read_decision(const JsonValue& json);

std::string to_json(const Question& question);
Result<Question> parse_question(std::string_view text);
std::string to_json(const Decision& decision);
Result<Decision> parse_decision(std::string_view text);
std::string to_line(const Decided& decided);  // with its newline
Result<Decided> parse_decided(std::string_view line);

// For a person's eyes: who asks for what, and the details, each line of them marked. Whatever stands in them, it can neither move
// the cursor nor pass for a line of Pale's own.
std::string to_page(const Question& question);

}  // namespace pale::session
