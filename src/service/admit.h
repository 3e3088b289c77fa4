// service/admit.h: whether a project has room for one more session, decided while nobody else can start one.
#pragma once

#include <optional>

#include "service/session_host.h"
#include "session/place.h"
#include "sys/fd.h"
#include "tenant/project.h"

namespace pale::service {

struct Admitted {
  std::optional<tenant::ProjectLock> project_lock;  // until the sandbox is planned: nothing it depends on changes
  session::About about;
  std::vector<std::string> notes;  // of what it does not get, for whoever started it
  sys::Fd live;                    // its directory
  sys::Fd live_lock;               // held for as long as the session lives
};

// A project's limits are for all its sessions together. A session that does not say what it needs gets an equal share by the
// number of sessions there may be; or all of it, if there is no such number. Room on disk is also taken by workspaces without a
// session. Where sessions see the whole project it is not shared out: the project as a whole is held to it.
Result<Admitted> admit_session(const Path& pale_home, const session::Place& place, const SessionRequest& request);

// What is left for one more, or why nothing is; pure. `held`: bytes on disk that no session answers for.
Result<session::Limits> share_of(const tenant::Limits& project, const std::vector<session::Limits>& living,
                                 const session::Limits& wanted, std::uint64_t held = 0);

}  // namespace pale::service
