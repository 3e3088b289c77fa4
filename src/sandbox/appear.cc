#include "sandbox/appear.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <algorithm>
#include <cerrno>

#include "sandbox/root.h"
#include "sys/event.h"
#include "sys/file.h"

namespace pale::sandbox {
namespace {

using sys::Fd;
using sys::FileKind;

// The names in a directory that match; none if there is no such directory.
std::vector<std::string> matching_names(int at, const char* directory, std::string_view pattern) {
  std::vector<std::string> names;
  const long raw = sys::open_resolved(at, directory, O_RDONLY | O_DIRECTORY, RESOLVE_NO_SYMLINKS);
  const Fd fd(sys::failed(raw) ? -1 : raw);
  if (!fd.is_open()) return names;
  const auto entries = sys::list_directory(fd);
  if (!entries) return names;
  for (const sys::Entry& entry : *entries) {
    if (name_matches(pattern, entry.name)) names.push_back(entry.name);
  }
  return names;
}

}  // namespace

Status Appearances::start() {
  for (const Protection& protection : boundary_.protections()) {
    const Grant* grant = boundary_.grant_for(protection.path);
    if (grant == nullptr || grant->access != Access::Write) continue;
    guarded_.push_back({protection.path, protection.match, false, false, {}});
  }
  for (const Grant& grant : boundary_.grants()) {
    if (grant.access == Access::None) guarded_.push_back({grant.path, Match::Exact, true, false, {}});
  }
  PALE_CHECK(watch_directories());
  for (Guarded& guarded : guarded_) {
    if (guarded.match == Match::Glob) {
      guarded.matches = matching_names(sys::kHere, guarded.path.parent().c_str(), guarded.path.name());
    } else {
      PALE_TRY(info, sys::file_info(sys::kHere, guarded.path.c_str()));
      guarded.present = info.kind != FileKind::Missing;
    }
  }
  return {};
}

Status Appearances::watch_directories() {
  for (const Guarded& guarded : guarded_) {
    // Its directory, or, while that is missing too, the nearest one above it.
    for (Path directory = guarded.path.parent();; directory = directory.parent()) {
      if (std::ranges::find(directories_, directory, &std::pair<Path, Fd>::first) != directories_.end()) break;
      auto fd = sys::open_at(sys::kHere, directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      if (!fd && !directory.is_root()) continue;
      if (!fd) return std::unexpected(fd.error());
      PALE_CHECK(sys::notify_of_changes(*fd, sys::kDirectorySignal));
      directories_.emplace_back(directory, std::move(*fd));
      break;
    }
  }
  return {};
}

Result<bool> Appearances::check() {
  PALE_CHECK(watch_directories());
  bool breach = false;
  for (Guarded& guarded : guarded_) {
    PALE_TRY(appeared, guarded.match == Match::Glob ? check_glob(guarded) : check(guarded));
    breach |= appeared;
  }
  return breach;
}

Result<bool> Appearances::check(Guarded& guarded) {
  const bool read_only = sys::on_read_only_mount(sys::kHere, guarded.path.c_str());
  if (read_only) return false;
  PALE_TRY(info, sys::file_info(sys::kHere, guarded.path.c_str()));
  if (info.kind == FileKind::Missing) return false;
  if (guarded.hidden) {
    PALE_CHECK(hide_now(guarded.path));
    return false;
  }
  if (!guarded.present) return true;
  if (backend_ == plan::Backend::Landlock) return false;  // No mount was there; the watch guards the name.
  // It was there and protected: the host put another in its place, and the mount went with the old one.
  PALE_CHECK(protect_again(guarded.path));
  return false;
}

Result<bool> Appearances::check_glob(const Guarded& guarded) {
  const Path directory = guarded.path.parent();
  for (const std::string& name : matching_names(sys::kHere, directory.c_str(), guarded.path.name())) {
    if (std::ranges::find(guarded.matches, name) == guarded.matches.end()) return true;
    const Path path = directory / name;
    if (backend_ == plan::Backend::Namespaces && !sys::on_read_only_mount(sys::kHere, path.c_str())) PALE_CHECK(protect_again(path));
  }
  return false;
}

std::vector<MissingPath> missing_paths(const Boundary& boundary, const plan::Facts& facts) {
  std::vector<MissingPath> missing;
  for (const Protection& protection : boundary.protections()) {
    const Grant* grant = boundary.grant_for(protection.path);
    if (grant == nullptr || grant->access != Access::Write || protection.path == grant->path) continue;
    const std::string relative(grant->path.below(protection.path));
    if (protection.match == Match::Exact) {
      if (facts.kind_of(grant->source / relative) == plan::Kind::Missing) missing.push_back({grant->source, relative});
    } else if (matching_names(sys::kHere, (grant->source / relative).parent().c_str(), protection.path.name()).empty()) {
      missing.push_back({grant->source, relative, Match::Glob});
    }
  }
  return missing;
}

Result<std::vector<Path>> sweep(const std::vector<MissingPath>& missing, const std::string& quarantine) {
  std::vector<Path> moved;
  for (const MissingPath& path : missing) {
    const Path full = path.root / path.relative;
    const Path directory = full.parent();
    const long raw = sys::open_resolved(sys::kHere, directory.c_str(), O_PATH | O_DIRECTORY, RESOLVE_NO_SYMLINKS);
    const Fd parent(sys::failed(raw) ? -1 : raw);
    if (!parent.is_open()) continue;
    std::vector<std::string> names;
    if (path.match == Match::Glob) {
      names = matching_names(parent.borrow(), ".", full.name());
    } else {
      PALE_TRY(info, sys::file_info(parent.borrow(), std::string(full.name()).c_str()));
      if (info.kind != FileKind::Missing) names.emplace_back(full.name());
    }
    for (const std::string& name : names) {
      PALE_CHECK(sys::make_directories(quarantine, 0700));
      const std::string kept = quarantine + "/" + std::to_string(sys::wall_clock_ns()) + "-" + name;
      PALE_CHECK(sys::move_tree(parent.borrow(), name.c_str(), sys::kHere, kept.c_str()));
      moved.push_back(directory / name);
    }
  }
  return moved;
}

}  // namespace pale::sandbox
