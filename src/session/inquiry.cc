#include "session/inquiry.h"

#include <array>

namespace pale::session {
namespace {

constexpr std::size_t kDeepest = 3;
constexpr std::array<std::string_view, 4> kReplies = {"question", "taken", "too_late", "refused"};

std::unexpected<Error> unreadable() {
  return fail(ErrorKind::Usage, "a message about a question cannot be read", "", "are both of one version of pale?");
}

const std::string* text_of(const JsonValue& json, std::string_view key) {
  const JsonValue* member = json.find(key);
  return member == nullptr ? nullptr : member->text();
}

}  // namespace

std::string to_text(const Inquiry& inquiry) {
  JsonWriter out;
  out.begin_object().field("key", inquiry.key);
  if (inquiry.answer) out.field("verdict", to_text(inquiry.answer->verdict)).field("digest", inquiry.answer->digest);
  out.end_object();
  return out.text();
}

Result<Inquiry> parse_inquiry(std::string_view text) {
  PALE_TRY(json, JsonValue::parse(text, kDeepest));
  const std::string* key = text_of(json, "key");
  if (key == nullptr) return unreadable();
  Inquiry inquiry{*key, {}};
  if (json.members().size() == 1) return inquiry;
  const std::string* verdict = text_of(json, "verdict");
  const JsonValue* digest = json.find("digest");
  auto bytes = digest == nullptr ? std::nullopt : digest->bytes();
  if (verdict == nullptr || !bytes || json.members().size() != 3) return unreadable();
  // That time is over only the asker can say.
  const bool approved = *verdict == to_text(Verdict::Approved);
  if (!approved && *verdict != to_text(Verdict::Denied)) return unreadable();
  inquiry.answer = {approved ? Verdict::Approved : Verdict::Denied, std::move(*bytes)};
  return inquiry;
}

std::string to_text(const Reply& reply) {
  JsonWriter out;
  out.begin_object().key(kReplies[static_cast<std::size_t>(reply.kind)]);
  switch (reply.kind) {
    case Reply::Kind::Question: out.json(to_json(reply.question)); break;
    case Reply::Kind::Taken:
    case Reply::Kind::TooLate: out.json(to_json(reply.decision)); break;
    case Reply::Kind::Refused: out.value(reply.reason); break;
  }
  out.end_object();
  return out.text();
}

Result<Reply> parse_reply(std::string_view text) {
  PALE_TRY(json, JsonValue::parse(text, kDeepest));
  if (json.members().size() != 1) return unreadable();
  const auto& [name, value] = json.members().front();
  Reply reply;
  if (name == kReplies[0]) {
    PALE_TRY(question, read_question(value));
    reply.kind = Reply::Kind::Question;
    reply.question = std::move(question);
  } else if (name == kReplies[1] || name == kReplies[2]) {
    PALE_TRY(decision, read_decision(value));
    reply.kind = name == kReplies[1] ? Reply::Kind::Taken : Reply::Kind::TooLate;
    reply.decision = std::move(decision);
  } else if (name == kReplies[3] && value.text() != nullptr) {
    reply.reason = *value.text();
  } else {
    return unreadable();
  }
  return reply;
}

}  // namespace pale::session
