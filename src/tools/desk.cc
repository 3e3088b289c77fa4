#include "tools/desk.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/json_value.h"

namespace pale::tools {
namespace {

constexpr std::size_t kDeepest = 64;
constexpr std::array<std::string_view, 4> kToDesk = {"ask", "answer", "call", "withdraw"};
constexpr std::array<std::string_view, 3> kFromDesk = {"waits", "decided", "answered"};

constexpr std::pair<std::string_view, std::string ToDesk::*> kToTexts[] = {{"summary", &ToDesk::summary},
                                                                           {"details", &ToDesk::details},
                                                                           {"worker", &ToDesk::worker},
                                                                           {"input", &ToDesk::input},
                                                                           {"instructions", &ToDesk::instructions}};
constexpr std::pair<std::string_view, std::string FromDesk::*> kFromTexts[] = {
    {"question", &FromDesk::question}, {"page", &FromDesk::page},         {"answer", &FromDesk::answer},
    {"code", &FromDesk::code},         {"sentence", &FromDesk::sentence}, {"hint", &FromDesk::hint},
};

std::unexpected<Error> wrong(std::string_view key) {
  return fail(ErrorKind::Usage, "this is nothing that is said at the desk:", std::string(key));
}

template <typename Said, typename Names, typename Texts>
JsonWriter written(const Said& said, const Names& names, const Texts& texts) {
  JsonWriter out;
  out.begin_object().field("kind", names[static_cast<std::size_t>(said.kind)]).field("number", said.number);
  for (const auto& [key, text] : texts) {
    if (!(said.*text).empty()) out.field(key, said.*text);
  }
  if (said.approved) out.field("approved", true);
  return out;
}

template <typename Said, typename Names, typename Texts>
Status read(const JsonValue& json, Said& said, const Names& names, const Texts& texts) {
  const JsonValue* kind = json.find("kind");
  const auto* const known =
      kind != nullptr && kind->text() != nullptr ? std::ranges::find(names, *kind->text()) : names.end();
  if (known == names.end()) return wrong("kind");
  said.kind = static_cast<typename Said::Kind>(known - names.begin());
  const JsonValue* number = json.find("number");
  const auto value = number != nullptr ? number->whole_number() : std::nullopt;
  if (!value) return wrong("number");
  said.number = *value;
  for (const auto& [key, text] : texts) {
    const JsonValue* member = json.find(key);
    if (member == nullptr) continue;
    auto bytes = member->bytes();
    if (!bytes) return wrong(key);
    said.*text = std::move(*bytes);
  }
  if (const JsonValue* approved = json.find("approved")) said.approved = approved->boolean().value_or(false);
  return {};
}

}  // namespace

std::string to_line(const ToDesk& said) { return written(said, kToDesk, kToTexts).end_object().text() + "\n"; }

std::string to_line(const FromDesk& said) {
  JsonWriter out = written(said, kFromDesk, kFromTexts);
  if (said.exit_code != 0) out.field("exitCode", said.exit_code);
  return out.end_object().text() + "\n";
}

Result<ToDesk> parse_to_desk(std::string_view line) {
  PALE_TRY(json, JsonValue::parse(line, kDeepest));
  ToDesk said;
  PALE_CHECK(read(json, said, kToDesk, kToTexts));
  return said;
}

Result<FromDesk> parse_from_desk(std::string_view line) {
  PALE_TRY(json, JsonValue::parse(line, kDeepest));
  FromDesk said;
  PALE_CHECK(read(json, said, kFromDesk, kFromTexts));
  if (const JsonValue* code = json.find("exitCode")) {
    const auto number = code->whole_number();
    if (!number || *number > 255) return wrong("exitCode");
    said.exit_code = static_cast<int>(*number);
  }
  return said;
}

}  // namespace pale::tools
