#include "session/place.h"

#include <fcntl.h>

#include <cerrno>

#include "sys/file.h"
#include "sys/tree.h"

namespace pale::session {
namespace {

constexpr std::int64_t kLongestWait = 10'000;  // milliseconds
constexpr std::int64_t kLook = 1000;           // somebody may just be looking whether a lock is held

// Where the place of one that has ended lies until the next one takes it; no session has such an id.
Path idle_place(const Path& pale_home) { return live_place_of(pale_home, "idle"); }

Path sessions_of(const Path& pale_home, const std::string& project) {
  if (project.starts_with(kLocal)) return pale_home / "sessions" / project.substr(kLocal.size());
  return pale_home / "projects" / project / "sessions";
}

Result<std::vector<sys::Entry>> entries_of(const Path& path) {
  auto directory = sys::open_at(sys::kAbsolute, path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!directory && directory.error().number == ENOENT) return std::vector<sys::Entry>();
  if (!directory) return std::unexpected(std::move(directory).error());
  return sys::list_directory(*directory);
}

Result<std::vector<std::string>> directories_in(const Path& path) {
  PALE_TRY(entries, entries_of(path));
  std::vector<std::string> names;
  for (const sys::Entry& entry : entries) {
    if (entry.kind == sys::FileKind::Directory) names.push_back(entry.name);
  }
  return names;
}

// The ids of those of a project that is not managed.
Result<std::vector<std::string>> records_in(const Path& path) {
  PALE_TRY(entries, entries_of(path));
  std::vector<std::string> ids;
  for (const sys::Entry& entry : entries) {
    if (entry.kind == sys::FileKind::File && entry.name.ends_with(kRecord))
      ids.push_back(entry.name.substr(0, entry.name.size() - kRecord.size()));
  }
  return ids;
}

Result<bool> is_held(const Path& file) {
  auto lock = sys::open_at(sys::kAbsolute, file.c_str(), O_RDWR | O_NOFOLLOW);
  if (!lock && lock.error().number == ENOENT) return false;
  if (!lock) return std::unexpected(std::move(lock).error());
  PALE_TRY(held, sys::try_lock(*lock, sys::LockKind::Shared));
  return held == sys::Lock::Held;
}

}  // namespace

Path live_place_of(const Path& pale_home, const std::string& session) { return pale_home / "live" / session; }

Place place_of(const Path& pale_home, const std::string& project, const std::string& session) {
  const std::string name = project.starts_with(kLocal) ? session + std::string(kRecord) : session;
  return {sessions_of(pale_home, project) / name, live_place_of(pale_home, session)};
}

Result<std::vector<Name>> sessions_on_disk(const Path& pale_home, const std::string& project) {
  std::vector<std::string> projects = {project};
  if (project.empty()) {
    PALE_TRY(managed, directories_in(pale_home / "projects"));
    projects = std::move(managed);
    PALE_TRY(local, directories_in(pale_home / "sessions"));
    for (const std::string& one : local) projects.push_back(std::string(kLocal) + one);
  }
  std::vector<Name> names;
  for (const std::string& one : projects) {
    const Path place = sessions_of(pale_home, one);
    PALE_TRY(sessions, one.starts_with(kLocal) ? records_in(place) : directories_in(place));
    for (std::string& session : sessions) names.push_back({one, std::move(session)});
  }
  return names;
}

Result<bool> is_alive(const Place& place) { return is_held(place.lock()); }

Result<sys::Fd> lock_live_places(const Path& pale_home) {
  const Path places = pale_home / "live";
  PALE_CHECK(sys::make_directories(places.text(), 0700));
  PALE_TRY(lock, sys::open_at(sys::kAbsolute, places.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  PALE_TRY(state, sys::lock_within(lock, sys::LockKind::Exclusive, kLongestWait));
  if (state == sys::Lock::Taken) return lock;
  return fail(ErrorKind::System, "another pale holds the sessions' places:", places.text(), "try again in a moment");
}

Result<sys::Fd> take_live_place(const Path& pale_home, const Place& place) {
  PALE_TRY(places, lock_live_places(pale_home));
  if (!sys::rename_to(sys::kAbsolute, idle_place(pale_home).c_str(), sys::kAbsolute, place.live.c_str()))
    PALE_CHECK(sys::make_directories(place.live.text(), 0700));
  PALE_TRY(lock, sys::open_at(sys::kAbsolute, place.lock().c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
  PALE_TRY(state, sys::lock_within(lock, sys::LockKind::Exclusive, kLook));
  if (state == sys::Lock::Taken) return lock;
  return fail(ErrorKind::System, "there is such a session already:", place.live.text());
}

Status leave_live_place(const Path& pale_home, const Place& place, sys::Fd lock) {
  PALE_TRY(live, sys::open_at(sys::kAbsolute, place.live.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  PALE_TRY(entries, sys::list_directory(live));
  lock.reset();
  const bool bare = entries.size() == 1;  // the lock
  if (bare && sys::rename_to_free(sys::kAbsolute, place.live.c_str(), sys::kAbsolute, idle_place(pale_home).c_str()))
    return {};
  return sys::remove_tree(sys::kAbsolute, place.live.c_str());
}

Status remove_dead_places(const Path& pale_home) {
  PALE_TRY(lock, lock_live_places(pale_home));
  PALE_TRY(sessions, directories_in(pale_home / "live"));
  for (const std::string& session : sessions) {
    PALE_TRY(alive, is_held(live_place_of(pale_home, session) / "lock"));
    if (!alive) PALE_CHECK(sys::remove_tree(lock.borrow(), session.c_str()));
  }
  return {};
}

}  // namespace pale::session
