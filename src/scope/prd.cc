#include "scope/prd.h"

#include <utility>

#include "base/json_value.h"
#include "base/text.h"
#include "scope/dependencies.h"

namespace pale::scope {
namespace {

constexpr std::size_t kDeepest = 64;

// One object, and what messages call it: "story US-002".
class Reading {
 public:
  Reading(const JsonValue& object, std::string name) : object_(object), name_(std::move(name)) {}

  // Null if it is missing or null.
  const JsonValue* find(std::string_view key) const {
    const JsonValue* value = object_.find(key);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  std::unexpected<Error> wrong(std::string_view key, const std::string& what, std::string hint) const {
    return fail(ErrorKind::Usage, (name_.empty() ? "" : name_ + ": ") + std::string(key) + " " + what, "",
                std::move(hint));
  }

  Status read_text(std::string_view key, std::string& into) const {
    const JsonValue* value = find(key);
    if (value == nullptr) return {};
    if (value->text() == nullptr) return wrong(key, "must be a text", example(key, "\"…\""));
    into = *value->text();
    return {};
  }

  Status read_needed_text(std::string_view key, std::string& into) const {
    PALE_CHECK(read_text(key, into));
    if (!into.empty()) return {};
    return wrong(key, find(key) == nullptr ? "is missing" : "is empty", example(key, "\"…\""));
  }

  Status read_truth(std::string_view key, bool& into) const {
    const JsonValue* value = find(key);
    if (value == nullptr) return {};
    const auto truth = value->boolean();
    if (!truth) return wrong(key, "must be true or false", example(key, "false"));
    into = *truth;
    return {};
  }

  // Of texts that name something: none is empty, and none holds a NUL.
  Status read_names(std::string_view key, std::optional<std::vector<std::string>>& into) const {
    const JsonValue* value = find(key);
    if (value == nullptr) return {};
    if (!value->is_array()) return wrong(key, "must be a list of texts", example(key, "[\"…\"]"));
    into.emplace();
    for (const JsonValue& item : value->items()) {
      const std::string* text = item.text();
      if (text == nullptr) return wrong(key, "must be a list of texts", example(key, "[\"…\"]"));
      if (text->empty() || text->find('\0') != std::string::npos)
        return wrong(key, "holds a text that names nothing", "remove it from the list");
      into->push_back(*text);
    }
    return {};
  }

 private:
  static std::string example(std::string_view key, const std::string& value) {
    return "\"" + std::string(key) + "\": " + value;
  }

  const JsonValue& object_;
  std::string name_;
};

std::optional<std::int64_t> signed_number(std::string_view text) {
  const bool negative = text.starts_with('-');
  const auto amount = parse_number(text.substr(negative ? 1 : 0));
  if (!amount || *amount >= static_cast<std::uint64_t>(kLowestPriority)) return std::nullopt;
  return negative ? -static_cast<std::int64_t>(*amount) : static_cast<std::int64_t>(*amount);
}

// People write 1 and "1"; a story without one waits for all that have one.
Status read_priority(const Reading& reading, std::int64_t& into) {
  const JsonValue* value = reading.find("priority");
  if (value == nullptr) return {};
  std::optional<std::int64_t> number;
  if (value->kind() == JsonValue::Kind::Number) number = signed_number(value->written());
  if (value->text() != nullptr) number = signed_number(*value->text());
  if (!number) return reading.wrong("priority", "must be a whole number", "\"priority\": 1");
  into = *number;
  return {};
}

Result<Story> read_story(const JsonValue& json, std::size_t place) {
  const std::string nameless = "story " + std::to_string(place) + " of userStories";
  if (!json.is_object())
    return fail(ErrorKind::Usage, nameless + ": it must be an object", "", R"({"id": "US-001", "title": "…"})");
  Story story;
  const Reading by_place(json, nameless);
  PALE_CHECK(by_place.read_needed_text("id", story.id));
  if (printable(story.id) != story.id)
    return by_place.wrong("id", "must be one line without control characters", R"("id": "US-001")");
  const Reading reading(json, "story " + story.id);
  PALE_CHECK(reading.read_needed_text("title", story.title));
  PALE_CHECK(read_priority(reading, story.priority));
  std::optional<std::vector<std::string>> dependencies;
  PALE_CHECK(reading.read_names("dependencies", dependencies));
  if (dependencies) story.dependencies = std::move(*dependencies);
  PALE_CHECK(reading.read_truth("passes", story.passes));
  PALE_CHECK(reading.read_names("fileScope", story.file_scope));
  PALE_CHECK(reading.read_text("notes", story.notes));
  return story;
}

Status read_stories(const Reading& top, std::vector<Story>& stories) {
  const JsonValue* list = top.find("userStories");
  if (list == nullptr || !list->is_array())
    return top.wrong("userStories", list == nullptr ? "is missing" : "must be a list", "\"userStories\": []");
  for (const JsonValue& item : list->items()) {
    PALE_TRY(story, read_story(item, stories.size() + 1));
    stories.push_back(std::move(story));
  }
  return check_dependencies(stories);
}

Status read_workspace(const Reading& top, std::optional<Workspace>& into) {
  const JsonValue* json = top.find("workspace");
  if (json == nullptr) return {};
  if (!json->is_object()) return top.wrong("workspace", "must be an object", R"("workspace": {"folders": ["lib"]})");
  const Reading reading(*json, "workspace");
  Workspace workspace;
  std::optional<std::vector<std::string>> folders;
  PALE_CHECK(reading.read_names("folders", folders));
  // Strictly it would mean that nothing may be touched, and nobody means that.
  if (folders && folders->empty()) return reading.wrong("folders", "is empty", "name a folder, or remove the key");
  if (folders) workspace.folders = std::move(*folders);
  std::string written = std::string(to_text(workspace.mode));
  PALE_CHECK(reading.read_text("mode", written));
  const auto mode = parse_mode(written);
  if (!mode) return reading.wrong("mode", "must be strict or permissive, not " + written, R"("mode": "strict")");
  workspace.mode = *mode;
  into = std::move(workspace);
  return {};
}

Status read_parallelization(const Reading& top, Parallelization& into) {
  const JsonValue* json = top.find("parallelization");
  if (json == nullptr) return {};
  if (!json->is_object())
    return top.wrong("parallelization", "must be an object",
                     R"("parallelization": {"enabled": true, "maxWorkers": 3})");
  const Reading reading(*json, "parallelization");
  PALE_CHECK(reading.read_truth("enabled", into.enabled));
  const JsonValue* most = reading.find("maxWorkers");
  if (most == nullptr) return {};
  into.max_workers = most->whole_number();
  if (into.max_workers.value_or(0) == 0)
    return reading.wrong("maxWorkers", "must be a whole number above zero", "\"maxWorkers\": 3");
  return {};
}

Result<Prd> read_prd(const JsonValue& json) {
  if (!json.is_object())
    return fail(ErrorKind::Usage, "it must be an object", "", R"({"project": "…", "userStories": []})");
  const Reading top(json, "");
  Prd prd;
  PALE_CHECK(top.read_needed_text("project", prd.project));
  PALE_CHECK(top.read_text("branchName", prd.branch_name));
  PALE_CHECK(top.read_text("description", prd.description));
  PALE_CHECK(read_workspace(top, prd.workspace));
  PALE_CHECK(read_parallelization(top, prd.parallelization));
  PALE_CHECK(read_stories(top, prd.stories));
  return prd;
}

}  // namespace

Result<Prd> parse_prd(std::string_view text, const std::string& file) {
  auto json = JsonValue::parse(text, kDeepest);
  if (!json) {
    Error error = std::move(json).error();
    error.kind = ErrorKind::Usage;
    error.operation = file + ":";
    return fail(std::move(error).with_hint("mend that place by hand"));
  }
  auto prd = read_prd(*json);
  if (!prd) {
    Error error = std::move(prd).error();
    error.operation = file + ": " + error.operation;
    return fail(std::move(error));
  }
  return prd;
}

}  // namespace pale::scope
