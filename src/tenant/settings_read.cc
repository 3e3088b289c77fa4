#include <algorithm>
#include <array>

#include "base/json_scan.h"
#include "base/text.h"
#include "base/time.h"
#include "tenant/keys.h"
#include "tenant/settings.h"

namespace pale::tenant {
namespace {

constexpr std::size_t kDeepest = 64;

Error broken(std::string where, const std::string& file) {
  return {ErrorKind::System, 0, "the settings of a project are broken: " + file + ":", std::move(where),
          "mend that place by hand"};
}

// One object of a text, with the place of whatever is wrong in it. What is missing or null is as if it was never said.
class Reading {
 public:
  Reading(std::string_view text, const JsonValue& json, const std::string& file)
      : text_(text), json_(json), file_(file) {}

  std::unexpected<Error> wrong(std::string_view key, const std::string& what) const {
    const std::array<std::string_view, 1> keys = {key};
    const auto found = find_json(text_, std::span(keys).first(key.empty() ? 0 : 1));
    const TextSpan span = found ? found->value_or(TextSpan()) : TextSpan();
    const std::string member = key.empty() ? "" : std::string(key) + " ";
    return fail(broken(place_in(text_, span.begin) + ": " + member + what, file_));
  }

  Status read_text(std::string_view key, std::string& into) const {
    const JsonValue* value = find(key);
    if (value == nullptr) return {};
    if (value->text() == nullptr) return wrong(key, "must be a text");
    into = *value->text();
    return {};
  }

  Status read_truth(std::string_view key, bool& into) const {
    const JsonValue* value = find(key);
    if (value == nullptr) return {};
    const auto truth = value->boolean();
    if (!truth) return wrong(key, "must be true or false");
    into = *truth;
    return {};
  }

  Status read_paths(std::string_view key, std::vector<std::string>& into) const {
    const JsonValue* value = find(key);
    if (value == nullptr) return {};
    if (!value->is_array()) return wrong(key, "must be a list of paths");
    for (const JsonValue& item : value->items()) {
      auto path = item.bytes();
      if (!path) return wrong(key, "must be a list of paths");
      into.push_back(std::move(*path));
    }
    return {};
  }

  Status read_number(std::string_view key, std::optional<std::uint64_t>& into) const {
    const JsonValue* value = find(key);
    if (value == nullptr) return {};
    into = value->whole_number();
    if (!into) return wrong(key, "must be a whole number");
    return {};
  }

  // A limit that nobody knows would be one that nobody keeps.
  Status read_limits(std::string_view key, Limits& into) const {
    const JsonValue* limits = find(key);
    if (limits == nullptr) return {};
    if (!limits->is_object()) return wrong(key, "must be an object");
    for (const auto& [name, value] : limits->members()) {
      const auto* known = std::ranges::find(kLimits, name, &LimitKey::name);
      if (known == std::end(kLimits)) return wrong(key, "has an unknown one: " + name);
      if (value.is_null()) continue;
      into.*known->member = value.whole_number();
      if (!(into.*known->member)) return wrong(key, "." + name + " must be a whole number");
    }
    return {};
  }

  Status read_time(std::string_view key, std::int64_t& into) const {
    const JsonValue* value = find(key);
    if (value == nullptr) return {};
    const auto seconds = value->text() == nullptr ? std::nullopt : parse_iso(*value->text());
    if (!seconds) return wrong(key, "must be a time, such as 2026-01-23T15:00:00Z");
    into = *seconds;
    return {};
  }

 private:
  const JsonValue* find(std::string_view key) const {
    const JsonValue* value = json_.find(key);
    return value == nullptr || value->is_null() ? nullptr : value;
  }

  std::string_view text_;
  const JsonValue& json_;
  const std::string& file_;
};

}  // namespace

Result<Project> parse_project(std::string_view text, const std::string& id, const std::string& file) {
  auto json = JsonValue::parse(text, kDeepest);
  if (!json) return fail(broken(json.error().subject, file));
  const Reading reading(text, *json, file);
  if (!json->is_object()) return reading.wrong("", "an object is expected");
  Project project{id, 0, {}, {}};
  Settings& settings = project.settings;
  std::string own_id = id;
  settings.name = id;
  PALE_CHECK(reading.read_text(kId, own_id));
  if (own_id != id) return reading.wrong(kId, "is not the name of the directory it lies in, " + id);
  PALE_CHECK(reading.read_text(kName, settings.name));
  PALE_CHECK(reading.read_text(kDescription, settings.description));
  PALE_CHECK(reading.read_time(kCreatedAt, project.created_at));
  PALE_CHECK(reading.read_truth(kWorkspaceIsolation, settings.workspace_isolation));
  PALE_CHECK(reading.read_paths(kProtectedPaths, settings.protected_paths));
  PALE_CHECK(reading.read_limits(kLimitsKey, settings.limits));
  PALE_CHECK(reading.read_number(kMaxRecursionDepth, settings.max_recursion_depth));
  for (const std::string& path : settings.protected_paths) {
    if (const auto good = check_protected_path(path); !good)
      return reading.wrong(kProtectedPaths, ": " + good.error().sentence());
  }
  if (const auto good = check_settings(settings); !good) return reading.wrong("", good.error().sentence());
  project.other = std::move(*json);
  return project;
}

}  // namespace pale::tenant
