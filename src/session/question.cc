#include "session/question.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/sha256.h"
#include "base/text.h"

namespace pale::session {
namespace {

constexpr std::size_t kDeepest = 3;  // a line, its question, a text that is not UTF-8
constexpr std::uint64_t kMostNumber = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kMostBy = 64;

constexpr std::array<std::string_view, 3> kVerdicts = {"approved", "denied", "timed_out"};

// How long each may be; the details are bounded by the whole.
struct TextField {
  std::string_view key;
  std::string Question::* text;
  std::size_t most;
};
constexpr TextField kTexts[] = {
    {"id", &Question::id, kIdLength},
    {"project", &Question::project, 4096},
    {"asker", &Question::asker, 256},
    {"summary", &Question::summary, 4096},
    {"details", &Question::details, kMostQuestion},
    {"digest", &Question::digest, 256},
};
constexpr std::pair<std::string_view, std::int64_t Question::*> kTimes[] = {{"asked_ms", &Question::asked_ms},
                                                                            {"expires_ms", &Question::expires_ms}};

std::unexpected<Error> wrong(std::string_view what, std::string_view key) {
  return fail(ErrorKind::Usage, "this is no question, or no decision:", std::string(what) + " " + std::string(key));
}

Result<std::string> text_of(const JsonValue& json, std::string_view key) {
  const JsonValue* member = json.find(key);
  if (member == nullptr) return wrong("it lacks", key);
  auto bytes = member->bytes();
  if (!bytes) return wrong("not a value of", key);
  return std::move(*bytes);
}

Result<std::int64_t> time_of(const JsonValue& json, std::string_view key) {
  const JsonValue* member = json.find(key);
  if (member == nullptr) return wrong("it lacks", key);
  const auto number = member->whole_number();
  if (!number || *number > kMostNumber) return wrong("not a value of", key);
  return static_cast<std::int64_t>(*number);
}

template <typename T>
std::string object_of(const T& value) {
  JsonWriter out;
  out.begin_object();
  write_members(out, value);
  out.end_object();
  return out.text();
}

// A tab moves nothing back, and differences of code are full of them.
std::string shown_line(std::string_view line) {
  std::string shown;
  for (std::size_t end = 0; (end = line.find('\t')) != std::string_view::npos; line.remove_prefix(end + 1))
    shown += printable(line.substr(0, end)) + "\t";
  return shown + printable(line);
}

}  // namespace

std::string_view to_text(Verdict verdict) noexcept { return kVerdicts[static_cast<std::size_t>(verdict)]; }

std::string digest_of(const Question& question) {
  Sha256 hash;
  for (const std::string& text : {question.project, question.asker, question.summary, question.details})
    hash.add(std::to_string(text.size())).add(":").add(text);
  return hash.hex();
}

bool is_question_id(std::string_view text) noexcept {
  return text.size() == kIdLength && std::ranges::all_of(text, [](char letter) {
           return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
         });
}

Status check_question(const Question& question) {
  if (!is_question_id(question.id)) return wrong("not a value of", "id");
  for (const TextField& field : kTexts) {
    if ((question.*field.text).size() > field.most) return wrong("too long for one question:", field.key);
  }
  for (const auto& [key, time] : kTimes) {
    if (question.*time < 0) return wrong("not a value of", key);
  }
  if (to_json(question).size() > kMostQuestion) return wrong("too long for one question:", "details");
  return {};
}

void write_members(JsonWriter& out, const Question& question) {
  for (const TextField& field : kTexts) out.field(field.key, question.*field.text);
  for (const auto& [key, time] : kTimes) out.field(key, question.*time);
}

void write_members(JsonWriter& out, const Decision& decision) {
  out.field("verdict", to_text(decision.verdict)).field("by", decision.by).field("at_ms", decision.at_ms);
}

Result<Question> read_question(const JsonValue& json) {
  if (!json.is_object()) return wrong("it is no", "object");
  Question question;
  for (const TextField& field : kTexts) {
    PALE_TRY(text, text_of(json, field.key));
    question.*field.text = std::move(text);
  }
  for (const auto& [key, time] : kTimes) {
    PALE_TRY(number, time_of(json, key));
    question.*time = number;
  }
  if (json.members().size() != std::size(kTexts) + std::size(kTimes)) return wrong("something in it is", "unknown");
  PALE_CHECK(check_question(question));
  return question;
}

Result<Decision> read_decision(const JsonValue& json) {
  if (!json.is_object()) return wrong("it is no", "object");
  PALE_TRY(verdict, text_of(json, "verdict"));
  const auto* const known = std::ranges::find(kVerdicts, verdict);
  if (known == kVerdicts.end()) return wrong("not a value of", "verdict");
  Decision decision;
  decision.verdict = static_cast<Verdict>(known - kVerdicts.begin());
  PALE_TRY(by, text_of(json, "by"));
  if (by.size() > kMostBy) return wrong("not a value of", "by");
  decision.by = std::move(by);
  PALE_TRY(at, time_of(json, "at_ms"));
  decision.at_ms = at;
  if (json.members().size() != 3) return wrong("something in it is", "unknown");
  return decision;
}

std::string to_json(const Question& question) { return object_of(question); }
std::string to_json(const Decision& decision) { return object_of(decision); }

Result<Question> parse_question(std::string_view text) {
  PALE_TRY(json, JsonValue::parse(text, kDeepest));
  return read_question(json);
}

Result<Decision> parse_decision(std::string_view text) {
  PALE_TRY(json, JsonValue::parse(text, kDeepest));
  return read_decision(json);
}

std::string to_line(const Decided& decided) {
  JsonWriter out;
  out.begin_object().key("question").json(to_json(decided.question));
  out.key("decision").json(to_json(decided.decision)).end_object();
  return out.text() + "\n";
}

Result<Decided> parse_decided(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  PALE_TRY(json, JsonValue::parse(line, kDeepest));
  const JsonValue* question = json.find("question");
  const JsonValue* decision = json.find("decision");
  if (question == nullptr) return wrong("it lacks", "question");
  if (decision == nullptr) return wrong("it lacks", "decision");
  if (json.members().size() != 2) return wrong("something in it is", "unknown");
  PALE_TRY(asked, read_question(*question));
  PALE_TRY(decided, read_decision(*decision));
  return Decided{std::move(asked), std::move(decided)};
}

std::string to_page(const Question& question) {
  std::string page = "Question " + question.id + " of " + printable(question.asker) + ", in " +
                     printable(question.project) + "\n" + printable(question.summary) + "\n";
  std::string_view rest = question.details;
  if (rest.ends_with('\n')) rest.remove_suffix(1);
  if (rest.empty()) return page;
  for (std::size_t end = 0; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1))
    page += "  | " + shown_line(rest.substr(0, end)) + "\n";
  return page + "  | " + shown_line(rest) + "\n";
}

}  // namespace pale::session
