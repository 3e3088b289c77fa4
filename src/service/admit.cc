#include "service/admit.h"

#include <fcntl.h>

#include <algorithm>
#include <utility>

#include "service/compose.h"
#include "service/disk_use.h"
#include "session/about_file.h"
#include "sys/event.h"
#include "sys/file.h"
#include "tenant/workspace.h"

namespace pale::service {
namespace {

constexpr std::int64_t kLookMs = 2000;

struct Living {
  std::string workspace;  // empty: not known
  session::Limits limits;
};

Result<std::vector<Living>> find_living(const Path& pale_home, const std::string& project) {
  std::vector<Living> living;
  PALE_TRY(names, session::sessions_on_disk(pale_home, project));
  for (const session::Name& name : names) {
    const session::Place place = session::place_of(pale_home, project, name.session);
    PALE_TRY(alive, session::is_alive(place));
    if (!alive) continue;
    // One that does not stand yet has asked for nothing that is known; nor has one whose record is damaged, which must not keep
    // out all others.
    Living one;
    if (const auto read = session::read_about(place); read && *read)
      one = {(*read)->about.workspace, (*read)->about.limits};
    living.push_back(std::move(one));
  }
  return living;
}

// What workspaces hold in which nobody works; of the others, those who do are held to a share.
Result<std::uint64_t> held_at_rest(const Path& pale_home, const std::string& project, const std::string& own,
                                   const std::vector<Living>& living) {
  PALE_TRY(ids, tenant::workspace_ids(pale_home, project));
  std::vector<Path> counted;
  for (const std::string& id : ids) {
    if (id == own || std::ranges::find(living, id, &Living::workspace) != living.end()) continue;
    const Path root = tenant::directory_of(pale_home, project, id);
    counted.insert(counted.end(), {root, private_home(pale_home, root), stages_of(pale_home, root)});
  }
  return disk_use(counted).bytes;
}

using Member = std::optional<std::uint64_t> session::Limits::*;

// Of memory, processes or room on disk.
Result<std::optional<std::uint64_t>> share(const char* what, std::optional<std::uint64_t> most,
                                           std::optional<std::uint64_t> sessions,
                                           const std::vector<session::Limits>& living, const session::Limits& wanted,
                                           Member member, std::uint64_t held = 0) {
  if (!most) return wanted.*member;
  std::uint64_t taken = std::min(*most, held);
  for (const session::Limits& one : living) taken += std::min(*most - taken, (one.*member).value_or(0));
  const std::uint64_t left = *most - taken;
  const std::uint64_t equal = *most / sessions.value_or(1);
  // What lies there ends with no session: whoever asks for nothing gets by with what is left.
  const std::uint64_t own = (wanted.*member).value_or(held == 0 ? equal : std::min(equal, left));
  if (own != 0 && own <= left) return own;
  return fail(
      ErrorKind::Refused,
      std::string("the project's ") + what + " is not enough for another session: " + std::to_string(left) + " left of",
      std::to_string(*most), "end a session, ask for less, delete workspaces, or raise the project's limit");
}

Result<session::Limits> limits_of(const Path& pale_home, const tenant::Project& project,
                                  const SessionRequest& request) {
  PALE_TRY(living, find_living(pale_home, project.id));
  std::vector<session::Limits> theirs;
  for (const Living& one : living) theirs.push_back(one.limits);
  tenant::Limits limits = project.settings.limits;
  // Who sees the whole project may fill all of it: each is held to what there is for all of them.
  const auto common = project.settings.workspace_isolation ? std::nullopt : std::exchange(limits.disk, std::nullopt);
  std::uint64_t held = 0;
  if (limits.disk) {
    PALE_TRY(at_rest, held_at_rest(pale_home, project.id, request.tenant.workspace, living));
    held = at_rest;
  }
  PALE_TRY(share, share_of(limits, theirs, request.limits, held));
  if (common) share.disk = std::min(share.disk.value_or(*common), *common);
  return share;
}

}  // namespace

Result<session::Limits> share_of(const tenant::Limits& project, const std::vector<session::Limits>& living,
                                 const session::Limits& wanted, std::uint64_t held) {
  if (project.sessions && living.size() >= *project.sessions)
    return fail(ErrorKind::Refused, "the project has as many sessions as it may have:", std::to_string(living.size()),
                "end one: pale session list");
  session::Limits limits;
  PALE_TRY(memory, share("memory", project.memory, project.sessions, living, wanted, &session::Limits::memory));
  PALE_TRY(pids, share("number of processes", project.pids, project.sessions, living, wanted, &session::Limits::pids));
  PALE_TRY(disk, share("room on disk", project.disk, project.sessions, living, wanted, &session::Limits::disk, held));
  limits.memory = memory;
  limits.pids = pids;
  limits.disk = disk;
  limits.seconds = wanted.seconds;
  if (project.seconds) limits.seconds = std::min(wanted.seconds.value_or(*project.seconds), *project.seconds);
  return limits;
}

Result<Admitted> admit_session(const Path& pale_home, const session::Place& place, const SessionRequest& request) {
  PALE_TRY(lock, tenant::lock_project(pale_home, request.tenant.project));
  PALE_TRY(project, tenant::load_project(pale_home, request.tenant.project));
  PALE_TRY(workspace, tenant::load_workspace(pale_home, project.id, request.tenant.workspace));
  PALE_TRY(limits, limits_of(pale_home, project, request));
  PALE_TRY(directory, tenant::open_workspace(pale_home, project.id, workspace.id));
  PALE_TRY(copied, tenant::copy_from_project(lock, project, directory));
  std::vector<std::string> notes;
  for (const auto& [path, reason] : copied.left_out) notes.push_back("not copied: " + path + ", " + reason);
  PALE_CHECK(tenant::note_session(lock, workspace.id, sys::wall_clock_seconds()));

  PALE_TRY(places, session::lock_live_places(pale_home));
  PALE_CHECK(sys::make_directories(place.live.text(), 0700));
  PALE_TRY(live, sys::open_at(sys::kAbsolute, place.live.c_str(), O_RDONLY | O_DIRECTORY));
  PALE_TRY(live_lock, sys::open_at(live.borrow(), "lock", O_RDWR | O_CREAT | O_EXCL, 0600));
  // Somebody may just be looking whether it is held.
  PALE_TRY(held, sys::lock_within(live_lock, sys::LockKind::Exclusive, kLookMs));
  if (held == sys::Lock::Held) return fail(ErrorKind::Refused, "there is such a session already:", request.session);
  PALE_CHECK(sys::make_directories(place.record.text(), 0700));
  session::About about{request.session, project.id, workspace.id, {}, sys::wall_clock_ns() / 1'000'000, limits};
  return Admitted{std::move(lock), std::move(about), std::move(notes), std::move(live), std::move(live_lock)};
}

}  // namespace pale::service
