#include "loop/log.h"

#include <algorithm>

#include "base/json_value.h"

namespace pale::loop {
namespace {

constexpr std::size_t kDeepest = 4;

Result<Entry> parse_line(std::string_view line) {
  PALE_TRY(json, JsonValue::parse(line, kDeepest));
  const auto text = [&](std::string_view key) {
    const JsonValue* value = json.find(key);
    return value == nullptr ? std::string() : value->bytes().value_or(std::string());
  };
  const auto number = [&](std::string_view key) -> std::uint64_t {
    const JsonValue* value = json.find(key);
    return value == nullptr ? 0 : value->whole_number().value_or(0);
  };
  Entry entry{text("event"),
              static_cast<std::int64_t>(number("at")),
              text("story"),
              number("run"),
              text("stage"),
              static_cast<int>(number("exit")),
              static_cast<std::int64_t>(number("ms")),
              text("text")};
  if (entry.event.empty()) return fail(ErrorKind::Usage, "not a line of a log", "");
  return entry;
}

}  // namespace

std::string to_line(const Entry& entry) {
  JsonWriter out;
  out.begin_object().field("event", entry.event).field("at", entry.at);
  if (!entry.story.empty()) out.field("story", entry.story);
  if (entry.run != 0) out.field("run", entry.run);
  if (!entry.stage.empty()) out.field("stage", entry.stage);
  if (entry.exit_code != 0) out.field("exit", entry.exit_code);
  if (entry.milliseconds != 0) out.field("ms", entry.milliseconds);
  if (!entry.text.empty()) out.field("text", entry.text);
  return out.end_object().text() + "\n";
}

std::vector<Entry> read_log(std::string_view text) {
  std::vector<Entry> entries;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) break;
    if (auto entry = parse_line(text.substr(0, end))) entries.push_back(std::move(*entry));
    text.remove_prefix(end + 1);
  }
  return entries;
}

Unfinished unfinished(const std::vector<Entry>& entries) {
  Unfinished left;
  for (const Entry& entry : entries) {
    const auto close = [&] {
      std::erase_if(left.stages, [&](const Unfinished::Open& open) { return open.stage == entry.stage; });
    };
    if (entry.event == "run" && !entry.stage.empty()) left.stages.push_back({entry.story, entry.stage});
    if (entry.event == "dropped" || entry.event == "kept") close();
    if (entry.event == "applied") {
      close();
      if (std::ranges::find(left.applied, entry.story) == left.applied.end()) left.applied.push_back(entry.story);
    }
    if (entry.event == "passed") std::erase(left.applied, entry.story);
  }
  return left;
}

}  // namespace pale::loop
