#include "project/project.h"

#include <algorithm>

namespace pale::project {
namespace {

constexpr std::size_t kLongestId = 64;
constexpr std::string_view kTypes[] = {"manifest", "registered", "temporary", "managed"};

constexpr bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
constexpr bool is_lower(char byte) { return byte >= 'a' && byte <= 'z'; }
constexpr bool is_upper(char byte) { return byte >= 'A' && byte <= 'Z'; }
constexpr bool is_plain(char byte) { return is_digit(byte) || is_lower(byte) || is_upper(byte); }

}  // namespace

std::string_view to_text(WorkspaceType type) noexcept { return kTypes[static_cast<std::size_t>(type)]; }

std::optional<WorkspaceType> parse_workspace_type(std::string_view text) {
  const auto* found = std::ranges::find(kTypes, text);
  if (found == std::end(kTypes)) return std::nullopt;
  return static_cast<WorkspaceType>(found - std::begin(kTypes));
}

Result<Project> Project::make(ProjectParts parts) {
  PALE_CHECK(check_id(parts.id));
  if (!parts.root.is_absolute())
    return fail(ErrorKind::Usage, "a project needs an absolute root, not", parts.root.text());
  if (parts.name.empty()) parts.name = parts.id;
  return Project(std::move(parts));
}

Status check_id(std::string_view id) {
  const bool good =
      !id.empty() && id.size() <= kLongestId && is_plain(id.front()) &&
      std::ranges::all_of(id, [](char byte) { return is_plain(byte) || byte == '.' || byte == '_' || byte == '-'; });
  if (good) return {};
  return fail(ErrorKind::Usage, "not an id for a project (letters, digits, '.', '_' and '-', a letter or digit first):",
              "'" + std::string(id) + "'", "such as " + id_from(id));
}

std::string id_from(std::string_view name) {
  std::string id;
  for (const char byte : name) {
    if (is_upper(byte)) {
      id += static_cast<char>(byte - 'A' + 'a');
    } else if (is_plain(byte) || (!id.empty() && (byte == '.' || byte == '_'))) {
      id += byte;
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  id.resize(std::min(id.size(), kLongestId));
  while (!id.empty() && !is_plain(id.back())) id.pop_back();
  return id.empty() ? "project" : id;
}

}  // namespace pale::project
