// service/sessions.h: sessions for their clients: start one, find one, talk to it, end it.
#pragma once

#include "service/session_host.h"
#include "session/message.h"
#include "session/place.h"
#include "sys/fd.h"

namespace pale::service {

// The host is on its way; what it says when the session stands, or why it does not, comes through `reply`.
struct SessionStart {
  session::Name name;
  sys::Fd reply;
};
// `program`: the static one, which can be a host.
Result<SessionStart> begin_session(SessionRequest request, const sys::Fd& program, const Caller& caller);
// What came through it, to its end: what whoever started it should know.
Result<std::vector<std::string>> read_reply(std::string_view text);
// Both, for whoever can wait.
struct StartedSession {
  session::Name name;
  std::vector<std::string> notes;
};
Result<StartedSession> start_session(SessionRequest request, const sys::Fd& program, const Caller& caller);

// One that lives, by its id or a beginning of it that fits no other.
Result<session::Name> find_live_session(const Path& pale_home, std::string_view id);

class SessionLine {
 public:
  static Result<SessionLine> connect(const Path& pale_home, const session::Name& name);
  // To the one whose id it is, or begins so.
  static Result<SessionLine> find(const Path& pale_home, std::string_view id);

  const sys::Fd& socket() const noexcept { return socket_; }
  Status ask(const session::Ask& ask) const;
  // The next, waited for. An error if the session is gone.
  Result<session::Tell> next() const;

 private:
  static Result<SessionLine> connect_at(const Path& live, std::string_view id);
  explicit SessionLine(sys::Fd socket) : socket_(std::move(socket)) {}
  sys::Fd socket_;
};

// Returns when nothing of it runs any more. One that is over already is fine.
Status end_session(const Path& pale_home, const session::Name& name);
// At once, and without asking it.
Status kill_session(const Path& pale_home, const session::Name& name);

}  // namespace pale::service
