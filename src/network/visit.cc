#include "network/visit.h"

#include <algorithm>
#include <array>

#include "base/json_value.h"
#include "base/text.h"

namespace pale::network {
namespace {

constexpr std::array<std::string_view, 4> kVerdicts = {"begun", "allowed", "blocked", "failed"};
constexpr std::size_t kDeepest = 3;

std::string text_in(const JsonValue& json, std::string_view key) {
  const JsonValue* member = json.find(key);
  return member == nullptr ? std::string() : member->bytes().value_or("");
}

std::uint64_t number_in(const JsonValue& json, std::string_view key) {
  const JsonValue* member = json.find(key);
  return member == nullptr ? 0 : member->whole_number().value_or(0);
}

}  // namespace

std::string_view to_text(Verdict verdict) noexcept { return kVerdicts[static_cast<std::size_t>(verdict)]; }

std::string to_json(const Visit& visit) {
  JsonWriter out;
  out.begin_object().field("verdict", to_text(visit.verdict)).field("host", visit.host).field("port", visit.port);
  out.field("way", visit.way).field("reason", visit.reason).field("rule", visit.rule);
  out.field("sent", visit.sent).field("received", visit.received).end_object();
  return out.text();
}

Result<Visit> parse_visit(std::string_view text) {
  PALE_TRY(json, JsonValue::parse(text, kDeepest));
  const auto* const verdict = std::ranges::find(kVerdicts, text_in(json, "verdict"));
  if (verdict == kVerdicts.end()) return fail(ErrorKind::Usage, "this tells of no connection:", "it has no verdict");
  return Visit{static_cast<Verdict>(verdict - kVerdicts.begin()),
               text_in(json, "host"),
               static_cast<std::uint16_t>(std::min<std::uint64_t>(number_in(json, "port"), UINT16_MAX)),
               text_in(json, "way"),
               text_in(json, "reason"),
               text_in(json, "rule"),
               number_in(json, "sent"),
               number_in(json, "received")};
}

std::string place_of(const Visit& visit) {
  const bool six = visit.host.find(':') != std::string::npos;
  const std::string host = printable(six ? "[" + visit.host + "]" : visit.host);
  return visit.port == 0 ? host : host + ":" + std::to_string(visit.port);
}

}  // namespace pale::network
