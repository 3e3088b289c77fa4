// session/inquiry.h: what is said at the socket of a question that waits: one inquiry, one reply, each one JSON text in one message.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "session/question.h"

namespace pale::session {

// Approved or denied, and the digest of what the person saw.
struct Answer {
  Verdict verdict = Verdict::Denied;
  std::string digest;
  bool operator==(const Answer&) const = default;
};

// From whoever looks, or answers.
struct Inquiry {
  std::string key;               // shows that he can read files of PALE_HOME (service/approval_place.h)
  std::optional<Answer> answer;  // without one: what is the question?
  bool operator==(const Inquiry&) const = default;
};

// From whoever asks the question.
struct Reply {
  enum class Kind {
    Question,  // this is it
    Taken,     // that answer decided
    TooLate,   // this had decided before
    Refused,   // that answer does not count, and why
  } kind = Kind::Refused;
  Question question;   // Question
  Decision decision;   // Taken, TooLate
  std::string reason;  // Refused
  bool operator==(const Reply&) const = default;
};

std::string to_text(const Inquiry& inquiry);
Result<Inquiry> parse_inquiry(std::string_view text);
std::string to_text(const Reply& reply);
Result<Reply> parse_reply(std::string_view text);

}  // namespace pale::session
