#include "session/place.h"

#include <fcntl.h>

#include <cerrno>

#include "sys/file.h"

namespace pale::session {
namespace {

Result<std::vector<std::string>> directories_in(const Path& path) {
  auto directory = sys::open_at(sys::kAbsolute, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory && directory.error().number == ENOENT) return std::vector<std::string>();
  if (!directory) return std::unexpected(std::move(directory).error());
  PALE_TRY(entries, sys::list_directory(*directory));
  std::vector<std::string> names;
  for (const sys::Entry& entry : entries) {
    if (entry.kind == sys::FileKind::Directory) names.push_back(entry.name);
  }
  return names;
}

}  // namespace

Place place_of(const Path& pale_home, const std::string& project, const std::string& session) {
  return {pale_home / "projects" / project / "sessions" / session, pale_home / "live" / session};
}

Result<std::vector<Name>> sessions_on_disk(const Path& pale_home, const std::string& project) {
  std::vector<std::string> projects = {project};
  if (project.empty()) {
    PALE_TRY(all, directories_in(pale_home / "projects"));
    projects = std::move(all);
  }
  std::vector<Name> names;
  for (const std::string& one : projects) {
    PALE_TRY(sessions, directories_in(pale_home / "projects" / one / "sessions"));
    for (std::string& session : sessions) names.push_back({one, std::move(session)});
  }
  return names;
}

Result<bool> is_alive(const Place& place) {
  auto lock = sys::open_at(sys::kAbsolute, place.lock().c_str(), O_RDWR | O_NOFOLLOW);
  if (!lock && lock.error().number == ENOENT) return false;
  if (!lock) return std::unexpected(std::move(lock).error());
  PALE_TRY(held, sys::try_lock(*lock, sys::LockKind::Shared));
  return held == sys::Lock::Held;
}

}  // namespace pale::session
