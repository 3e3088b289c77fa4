#include "service/file_scope_check.h"

#include <fcntl.h>

#include <algorithm>

#include "sys/file.h"

namespace pale::service {
namespace {

constexpr unsigned kDeepestLook = 200;  // each level holds a descriptor

}  // namespace

Result<std::optional<FileScopeCheck>> FileScopeCheck::begin(const Prepared& prepared, const Request& request) {
  if (!request.file_scope || prepared.staging) return std::nullopt;
  PALE_TRY(scope, scope::FileScope::parse(request.file_scope->value));
  const Path& root = prepared.root();
  std::vector<Path> places;
  std::vector<Path> apart = {root / ".git"};
  for (const Grant& grant : prepared.boundary.grants()) {
    if (!root.covers(grant.source) || grant.access != Access::Write) continue;
    const bool of_scope = grant.source == root || grant.origin == request.file_scope->where;
    (of_scope ? places : apart).push_back(grant.source);
  }
  return FileScopeCheck(std::move(scope), root, std::move(places), std::move(apart));
}

std::vector<FileScopeCheck::Noted> FileScopeCheck::look() const {
  std::vector<Noted> found;
  for (const Path& place : places_) {
    const bool in_another =
        std::ranges::any_of(places_, [&](const Path& other) { return other != place && other.covers(place); });
    if (in_another) continue;
    const auto directory = sys::open_at(sys::kAbsolute, place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (directory) look_into(*directory, place, 0, found);
  }
  std::ranges::sort(found, {}, &Noted::path);
  // One place may be granted twice.
  found.erase(std::ranges::unique(found, {}, &Noted::path).begin(), found.end());
  return found;
}

// Directories are what their files are. No link is followed.
void FileScopeCheck::look_into(const sys::Fd& directory, const Path& path, unsigned depth,
                               std::vector<Noted>& found) const {
  const auto entries = sys::list_directory(directory);
  if (!entries || depth > kDeepestLook) return;
  for (const sys::Entry& entry : *entries) {
    const Path each = path / entry.name;
    if (std::ranges::find(apart_, each) != apart_.end()) continue;
    if (entry.kind == sys::FileKind::Directory) {
      const auto below = sys::open_at(directory.borrow(), entry.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      if (below) look_into(*below, each, depth + 1, found);
      continue;
    }
    const auto info = sys::file_info(directory.borrow(), entry.name.c_str());
    if (info)
      found.push_back(
          {std::string(root_.below(each)), info->inode, info->size, info->modified_ns, info->changed_ns, info->mode});
  }
}

std::vector<std::string> FileScopeCheck::outside() const {
  std::vector<std::string> changed;
  const std::vector<Noted> now = look();
  auto before = before_.begin();
  for (const Noted& each : now) {
    for (; before != before_.end() && before->path < each.path; ++before) changed.push_back(before->path);
    const bool was_there = before != before_.end() && before->path == each.path;
    if (!was_there || *before != each) changed.push_back(each.path);
    if (was_there) ++before;
  }
  for (; before != before_.end(); ++before) changed.push_back(before->path);
  return scope_.violations(changed);
}

}  // namespace pale::service
