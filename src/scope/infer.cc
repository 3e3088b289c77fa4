#include "scope/infer.h"

#include <algorithm>

#include "base/json.h"

namespace pale::scope {
namespace {

constexpr std::string_view kMeaning = "*?[]{},\\";

std::string escaped(std::string_view name) {
  std::string text;
  for (const char byte : name) {
    if (kMeaning.find(byte) != std::string_view::npos) text += '\\';
    text += byte;
  }
  return text;
}

std::string head_of(const FolderContent& folder) { return escaped(folder.name) + "/**/*."; }

// Two folders may be named alike, or be the same by way of a link.
std::vector<const FolderContent*> distinct(std::span<const FolderContent> folders) {
  std::vector<const FolderContent*> once;
  for (const FolderContent& folder : folders) {
    const bool again = std::ranges::any_of(once, [&](const auto* other) { return other->name == folder.name; });
    if (!again && is_utf8(folder.name)) once.push_back(&folder);
  }
  return once;
}

}  // namespace

std::string_view extension_of(std::string_view file_name) noexcept {
  const std::size_t dot = file_name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  return file_name.substr(dot + 1);
}

std::vector<std::string> infer_patterns(std::span<const FolderContent> folders) {
  std::vector<std::string> patterns;
  for (const FolderContent* folder : distinct(folders)) {
    const std::string head = head_of(*folder);
    for (const std::string_view usual : kUsualExtensions) patterns.push_back(head + std::string(usual));
    std::vector<std::string_view> others;
    for (const std::string& extension : folder->extensions) {
      const bool usual = std::ranges::find(kUsualExtensions, extension) != kUsualExtensions.end();
      if (!usual && !extension.empty() && is_utf8(extension)) others.emplace_back(extension);
    }
    std::ranges::sort(others);
    others.erase(std::ranges::unique(others).begin(), others.end());
    for (const std::string_view other : others) patterns.push_back(head + escaped(other));
  }
  return patterns;
}

bool is_inferred(std::span<const std::string> patterns, std::span<const FolderContent> folders) {
  std::size_t at = 0;
  for (const FolderContent* folder : distinct(folders)) {
    const std::string head = head_of(*folder);
    for (const std::string_view usual : kUsualExtensions) {
      if (at == patterns.size() || patterns[at++] != head + std::string(usual)) return false;
    }
    while (at != patterns.size() && patterns[at].starts_with(head)) ++at;
  }
  return at == patterns.size() && at != 0;
}

}  // namespace pale::scope
