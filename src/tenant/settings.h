// tenant/settings.h: what a managed project says of itself, as values: checked, written as JSON and read again. Touches no disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_value.h"

namespace pale::tenant {

// Of all sessions of a project together, but for `seconds`.
struct Limits {
  std::optional<std::uint64_t> sessions;  // at a time
  std::optional<std::uint64_t> memory;    // bytes
  std::optional<std::uint64_t> pids;
  std::optional<std::uint64_t> disk;     // bytes
  std::optional<std::uint64_t> seconds;  // of each session's life
  bool operator==(const Limits&) const = default;
};

struct Settings {
  std::string name;
  std::string description;
  bool workspace_isolation = false;
  std::vector<std::string> protected_paths;  // below the workspace's root, as they were given: ".factory/"
  Limits limits;
  std::optional<std::uint64_t> max_recursion_depth;  // of sessions that start sessions
  bool operator==(const Settings&) const = default;

  // Whether a session that lives would go on under other rules than those it was started with.
  bool same_boundary(const Settings& other) const {
    return workspace_isolation == other.workspace_isolation && protected_paths == other.protected_paths;
  }
};

// Only what is said changes.
struct LimitChange {
  std::optional<std::uint64_t> Limits::* limit;
  std::optional<std::uint64_t> value;  // nothing: no limit
};
struct SettingsChange {
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<bool> workspace_isolation;
  std::optional<std::vector<std::string>> protected_paths;
  std::vector<LimitChange> limits;
  std::optional<std::optional<std::uint64_t>> max_recursion_depth;
};
Settings with_change(Settings settings, const SettingsChange& change);

struct Project {
  std::string id;
  std::int64_t created_at = 0;  // seconds since 1970
  Settings settings;
  JsonValue other;  // the whole object it was read from: what is not Pale's in it is kept
};

// Below the workspace and nothing else: not empty, absolute, "." or with ".." or a NUL in it. The error names the entry.
Status check_protected_path(std::string_view path);
Status check_settings(const Settings& settings);

// The text of metadata.json.
std::string to_json(const Project& project);
// The members of that object, every one of them, false and empty ones too, into an object that is open: for answers.
void write_members(JsonWriter& out, const Project& project);
// `id` is what it is called on disk, `file` for the error, which says where in it something is wrong.
Result<Project> parse_project(std::string_view text, const std::string& id, const std::string& file);

}  // namespace pale::tenant
