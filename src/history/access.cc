#include "history/access.h"

#include <algorithm>

namespace pale::history {
namespace {

constexpr std::string_view kAdmin = "admin";
constexpr std::string_view kProject = "project:";
constexpr std::string_view kReadOnly = ":ro";
constexpr std::size_t kLongestId = 63;

// A slug; a UUID is one, too.
bool is_project_id(std::string_view id) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  return !id.empty() && id.size() <= kLongestId && is_letter(id.front()) &&
         std::ranges::all_of(id, [&](char c) { return is_letter(c) || c == '-'; });
}

}  // namespace

std::string_view project_of_scope(std::string_view scope) noexcept {
  if (!scope.starts_with(kProject)) return {};
  scope.remove_prefix(kProject.size());
  if (scope.ends_with(kReadOnly)) scope.remove_suffix(kReadOnly.size());
  return scope;
}

Status check_scope(std::string_view scope) {
  if (scope == kAdmin || scope == "admin:ro" || is_project_id(project_of_scope(scope))) return {};
  return fail(ErrorKind::Usage, "there is no scope", "'" + std::string(scope) + "'",
              "admin, admin:ro, project:ID or project:ID:ro");
}

Result<Access> Access::from_scopes(std::span<const std::string> scopes) {
  Access access;
  for (const std::string& scope : scopes) {
    PALE_CHECK(check_scope(scope));
    const bool write = !scope.ends_with(kReadOnly);
    const std::string_view project = project_of_scope(scope);
    if (project.empty()) {
      access.reads_all_ = true;
      access.writes_all_ = access.writes_all_ || write;
      continue;
    }
    auto grant = std::ranges::lower_bound(access.grants_, project, {}, &Grant::project);
    if (grant == access.grants_.end() || grant->project != project)
      grant = access.grants_.insert(grant, {std::string(project), false});
    grant->write = grant->write || write;
  }
  return access;
}

bool Access::may_read(std::string_view project) const noexcept {
  return reads_all_ || std::ranges::binary_search(grants_, project, {}, &Grant::project);
}

bool Access::may_write(std::string_view project) const noexcept {
  if (writes_all_) return true;
  const auto grant = std::ranges::lower_bound(grants_, project, {}, &Grant::project);
  return grant != grants_.end() && grant->project == project && grant->write;
}

std::vector<std::string> Access::projects() const {
  std::vector<std::string> names;
  for (const Grant& grant : grants_) names.push_back(grant.project);
  return names;
}

}  // namespace pale::history
