#include "session/about.h"

#include <array>
#include <limits>
#include <utility>

#include "base/amount.h"
#include "base/json.h"
#include "base/json_value.h"

namespace pale::session {
namespace {

constexpr std::size_t kDeepest = 2;
constexpr std::uint64_t kLatest = std::numeric_limits<std::int64_t>::max();

struct LimitKey {
  std::string_view name;
  std::optional<std::uint64_t> Limits::* member;
  Measure measure;
};
constexpr LimitKey kLimits[] = {{"memory", &Limits::memory, measure::kBytes},
                                {"pids", &Limits::pids, measure::kTasks},
                                {"disk", &Limits::disk, measure::kBytes},
                                {"seconds", &Limits::seconds, measure::kSeconds}};
using Text = std::string About::*;
constexpr std::array<std::pair<std::string_view, Text>, 4> kTexts = {
    {{"id", &About::id}, {"project", &About::project}, {"workspace", &About::workspace}, {"stage", &About::stage}}};

// Written where they say something.
constexpr std::array<std::pair<std::string_view, Text>, 3> kWords = {
    {{"kind", &About::kind}, {"title", &About::title}, {"agent", &About::agent}}};

std::unexpected<Error> wrong(std::string what) {
  return fail(ErrorKind::Usage, "this describes no session:", std::move(what));
}

Result<std::uint64_t> number_of(const JsonValue& json, std::string_view key) {
  const JsonValue* member = json.find(key);
  if (member == nullptr) return wrong("it lacks " + std::string(key));
  const auto number = member->whole_number();
  if (!number) return wrong("not a value of " + std::string(key));
  return *number;
}

}  // namespace

Status check_limits(const Limits& limits) {
  for (const LimitKey& limit : kLimits) {
    if (const auto& most = limits.*limit.member) PALE_CHECK(check_amount(limit.measure, limit.name, *most));
  }
  return {};
}

std::string to_json(const Limits& limits) {
  JsonWriter out;
  out.begin_object();
  for (const LimitKey& limit : kLimits) {
    if (const auto& most = limits.*limit.member) out.field(limit.name, *most);
  }
  out.end_object();
  return out.text();
}

Result<Limits> parse_limits(const JsonValue& json) {
  if (!json.is_object()) return wrong("not a value of limits");
  Limits limits;
  std::size_t known = 0;
  for (const LimitKey& limit : kLimits) {
    if (json.find(limit.name) == nullptr) continue;
    PALE_TRY(number, number_of(json, limit.name));
    limits.*limit.member = number;
    ++known;
  }
  if (known != json.members().size()) return wrong("an unknown limit");
  return limits;
}

std::string to_json(const About& about) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1);
  for (const auto& [key, text] : kTexts) out.field(key, about.*text);
  out.field("created_ms", about.created_ms).key("limits").number(to_json(about.limits));
  for (const auto& [key, text] : kWords) {
    if (!(about.*text).empty()) out.field(key, about.*text);
  }
  out.end_object();
  return out.text() + "\n";
}

Result<About> parse_about(std::string_view text) {
  PALE_TRY(json, JsonValue::parse(text, kDeepest));
  if (!json.is_object()) return wrong("it is no object");
  PALE_TRY(version, number_of(json, "schemaVersion"));
  if (version != 1) return wrong("its schemaVersion is not 1");
  About about;
  for (const auto& [key, into] : kTexts) {
    const JsonValue* member = json.find(key);
    if (member == nullptr || member->text() == nullptr) return wrong("it lacks " + std::string(key));
    about.*into = *member->text();
  }
  PALE_TRY(created, number_of(json, "created_ms"));
  if (created > kLatest) return wrong("not a value of created_ms");
  about.created_ms = static_cast<std::int64_t>(created);
  const JsonValue* limits = json.find("limits");
  if (limits == nullptr) return wrong("it lacks limits");
  PALE_TRY(read, parse_limits(*limits));
  about.limits = read;
  std::size_t words = 0;
  for (const auto& [key, into] : kWords) {
    const JsonValue* member = json.find(key);
    if (member == nullptr) continue;
    if (member->text() == nullptr) return wrong("not a value of " + std::string(key));
    about.*into = *member->text();
    ++words;
  }
  if (json.members().size() != kTexts.size() + 3 + words) return wrong("something in it is unknown");
  return about;
}

}  // namespace pale::session
