#include "service/admit.h"

#include <fcntl.h>

#include "sys/event.h"
#include "sys/file.h"
#include "tenant/workspace.h"

namespace pale::service {
namespace {

constexpr std::size_t kMostAbout = 1UL << 16U;
constexpr std::int64_t kLookMs = 2000;

Result<std::vector<session::Limits>> limits_of_living(const Path& pale_home, const std::string& project) {
  std::vector<session::Limits> living;
  PALE_TRY(names, session::sessions_on_disk(pale_home, project));
  for (const session::Name& name : names) {
    const session::Place place = session::place_of(pale_home, project, name.session);
    PALE_TRY(alive, session::is_alive(place));
    if (!alive) continue;
    session::Limits limits;  // One that does not stand yet has asked for nothing that is known.
    if (const auto text = sys::read_file(sys::kAbsolute, place.about().c_str(), kMostAbout)) {
      PALE_TRY(about, session::parse_about(*text));
      limits = about.limits;
    }
    living.push_back(limits);
  }
  return living;
}

using Member = std::optional<std::uint64_t> session::Limits::*;

// Of memory, processes or room on disk.
Result<std::optional<std::uint64_t>> share(const char* what, std::optional<std::uint64_t> most,
                                           std::optional<std::uint64_t> sessions,
                                           const std::vector<session::Limits>& living, const session::Limits& wanted,
                                           Member member) {
  if (!most) return wanted.*member;
  std::uint64_t taken = 0;
  for (const session::Limits& one : living) taken += (one.*member).value_or(0);
  const std::uint64_t left = *most - std::min(*most, taken);
  const std::uint64_t own = (wanted.*member).value_or(*most / sessions.value_or(1));
  if (own != 0 && own <= left) return own;
  return fail(
      ErrorKind::Refused,
      std::string("the project's ") + what + " is not enough for another session: " + std::to_string(left) + " left of",
      std::to_string(*most), "end a session, ask for less, or raise the project's limit");
}

}  // namespace

Result<session::Limits> share_of(const tenant::Limits& project, const std::vector<session::Limits>& living,
                                 const session::Limits& wanted) {
  if (project.sessions && living.size() >= *project.sessions)
    return fail(ErrorKind::Refused, "the project has as many sessions as it may have:", std::to_string(living.size()),
                "end one: pale session list");
  session::Limits limits;
  PALE_TRY(memory, share("memory", project.memory, project.sessions, living, wanted, &session::Limits::memory));
  PALE_TRY(pids, share("number of processes", project.pids, project.sessions, living, wanted, &session::Limits::pids));
  PALE_TRY(disk, share("room on disk", project.disk, project.sessions, living, wanted, &session::Limits::disk));
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
  PALE_TRY(living, limits_of_living(pale_home, project.id));
  PALE_TRY(limits, share_of(project.settings.limits, living, request.limits));
  PALE_TRY(directory, tenant::open_workspace(pale_home, project.id, workspace.id));
  PALE_CHECK(tenant::copy_from_project(lock, project, directory));
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
  return Admitted{std::move(lock), std::move(about), std::move(live), std::move(live_lock)};
}

}  // namespace pale::service
