#include "tenant/id.h"

#include <algorithm>

#include "base/uuid.h"

namespace pale::tenant {
namespace {

constexpr std::size_t kLongestId = 63;
constexpr std::size_t kLongestShown = 80;

constexpr bool is_plain(char byte) { return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z'); }
constexpr bool is_upper(char byte) { return byte >= 'A' && byte <= 'Z'; }

std::string shown(std::string_view id) {
  return "'" + std::string(id.substr(0, kLongestShown)) + (id.size() > kLongestShown ? "…'" : "'");
}

}  // namespace

bool is_project_id(std::string_view id) noexcept {
  return !id.empty() && id.size() <= kLongestId && is_plain(id.front()) &&
         std::ranges::all_of(id, [](char byte) { return is_plain(byte) || byte == '-'; });
}

Status check_project_id(std::string_view id) {
  if (is_project_id(id)) return {};
  return fail(ErrorKind::Usage,
              "not an id for a managed project (lower-case letters, digits and '-', 63 at most):", shown(id),
              "such as " + slug_from(id));
}

Status check_workspace_id(std::string_view id) {
  if (is_uuid(id)) return {};
  std::string lower(id);
  for (char& byte : lower) {
    if (is_upper(byte)) byte = static_cast<char>(byte - 'A' + 'a');
  }
  return fail(ErrorKind::Usage, "not an id of a workspace (a UUID in lower case):", shown(id),
              is_uuid(lower) ? lower : "pale workspace list -p ID");
}

std::string slug_from(std::string_view name, unsigned number) {
  std::string id;
  for (const char byte : name) {
    if (is_upper(byte)) {
      id += static_cast<char>(byte - 'A' + 'a');
    } else if (is_plain(byte)) {
      id += byte;
    } else if (!id.empty() && id.back() != '-') {
      id += '-';
    }
  }
  const std::string ending = number > 1 ? "-" + std::to_string(number) : "";
  id.resize(std::min(id.size(), kLongestId - ending.size()));
  while (!id.empty() && id.back() == '-') id.pop_back();
  return (id.empty() ? "project" : id) + ending;
}

}  // namespace pale::tenant
