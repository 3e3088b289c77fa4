#include "tenant/settings.h"

#include <algorithm>

#include "base/path.h"
#include "base/time.h"
#include "tenant/keys.h"

namespace pale::tenant {
namespace {

constexpr std::size_t kLongestName = 200;  // bytes
constexpr std::size_t kLongestDescription = 10'000;
constexpr std::size_t kMostProtectedPaths = 256;  // each is a mount of every session
constexpr std::size_t kLongestPath = 1024;
constexpr std::size_t kLongestComponent = 255;  // NAME_MAX
constexpr std::size_t kLongestShown = 200;

std::unexpected<Error> wrong_entry(std::string_view path, std::string_view why) {
  const std::string_view start = path.substr(0, kLongestShown);
  return fail(ErrorKind::Usage, "protected_paths: " + std::string(why) + ":",
              "'" + std::string(start) + (start.size() < path.size() ? "…'" : "'"),
              "a path below the workspace, such as AGENTS.md or .factory/");
}

bool has_control(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char byte) { return byte < 0x20U || byte == 0x7fU; });
}

Status check_name(const std::string& name) {
  if (name.empty()) return fail(ErrorKind::Usage, "a project needs a", "name");
  if (name.size() > kLongestName)
    return fail(ErrorKind::Usage, "a name has 200 bytes at most, not", std::to_string(name.size()),
                "say more in the description");
  if (!is_utf8(name) || has_control(name))
    return fail(ErrorKind::Usage, "a name is one line of UTF-8, not", "'" + name + "'");
  return {};
}

Status check_description(const std::string& text) {
  if (text.size() > kLongestDescription)
    return fail(ErrorKind::Usage, "a description has 10000 bytes at most, not", std::to_string(text.size()));
  if (!is_utf8(text) || text.find('\0') != std::string::npos)
    return fail(ErrorKind::Usage, "a description must be", "UTF-8 without NUL");
  return {};
}

void write_optional(JsonWriter& out, std::string_view key, const std::optional<std::uint64_t>& number) {
  out.key(key);
  number ? out.value(*number) : out.null();
}

}  // namespace

Settings with_change(Settings settings, const SettingsChange& change) {
  if (change.name) settings.name = *change.name;
  if (change.description) settings.description = *change.description;
  if (change.workspace_isolation) settings.workspace_isolation = *change.workspace_isolation;
  if (change.protected_paths) settings.protected_paths = *change.protected_paths;
  if (change.max_recursion_depth) settings.max_recursion_depth = *change.max_recursion_depth;
  for (const LimitChange& limit : change.limits) settings.limits.*limit.limit = limit.value;
  return settings;
}

Status check_protected_path(std::string_view path) {
  if (path.empty()) return wrong_entry(path, "an entry is empty");
  if (path.find('\0') != std::string_view::npos) return wrong_entry(path, "an entry holds a NUL byte");
  if (path.front() == '/') return wrong_entry(path, "an entry is absolute, not relative to the workspace");
  if (path.size() > kLongestPath) return wrong_entry(path, "an entry has more than 1024 bytes");
  bool names_something = false;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view component = path.substr(at, end - at);
    if (component == "..") return wrong_entry(path, "an entry leaves the workspace with '..'");
    if (component.size() > kLongestComponent) return wrong_entry(path, "an entry has a name of more than 255 bytes");
    names_something = names_something || (!component.empty() && component != ".");
    at = end + 1;
  }
  if (!names_something) return wrong_entry(path, "an entry is the workspace itself");
  return {};
}

Status check_settings(const Settings& settings) {
  PALE_CHECK(check_name(settings.name));
  PALE_CHECK(check_description(settings.description));
  if (settings.protected_paths.size() > kMostProtectedPaths)
    return fail(ErrorKind::Usage, "protected_paths has 256 entries at most, not",
                std::to_string(settings.protected_paths.size()), "protect a directory that holds them");
  for (const std::string& path : settings.protected_paths) PALE_CHECK(check_protected_path(path));
  for (const LimitKey& limit : kLimits) {
    if (const auto& value = settings.limits.*limit.member) PALE_CHECK(check_amount(limit.measure, limit.name, *value));
  }
  return {};
}

void write_members(JsonWriter& out, const Project& project) {
  const Settings& settings = project.settings;
  out.field(kId, project.id).field(kName, settings.name).field(kDescription, settings.description);
  out.field(kCreatedAt, to_iso(project.created_at)).field(kWorkspaceIsolation, settings.workspace_isolation);
  out.key(kProtectedPaths).begin_array();
  for (const std::string& path : settings.protected_paths) out.value(path);
  out.end_array().key(kLimitsKey).begin_object();
  for (const LimitKey& limit : kLimits) write_optional(out, limit.name, settings.limits.*limit.member);
  out.end_object();
  write_optional(out, kMaxRecursionDepth, settings.max_recursion_depth);
}

std::string to_json(const Project& project) {
  JsonWriter out;
  out.begin_object();
  write_members(out, project);
  for (const auto& [key, value] : project.other.members()) {
    if (std::ranges::find(kKeys, key) != std::end(kKeys)) continue;
    out.key(key);
    write_json(out, value);
  }
  out.end_object();
  return indented(out.text()) + "\n";
}

}  // namespace pale::tenant
