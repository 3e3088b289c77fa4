#include "service/sessions.h"

#include <fcntl.h>

#include <cerrno>

#include "base/amount.h"
#include "base/uuid.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/message.h"
#include "sys/process.h"
#include "sys/random.h"

namespace pale::service {
namespace {

constexpr std::size_t kMostReply = 1UL << 16U;
constexpr std::size_t kShortestId = 4;
constexpr std::int64_t kEndMs = 10'000;

std::unexpected<Error> not_there(std::string_view id) {
  return fail(ErrorKind::NotFound, "no session of that id lives:", std::string(id), "pale session list");
}

}  // namespace

Result<SessionStart> begin_session(SessionRequest request, const sys::Fd& program, const Caller& caller) {
  PALE_CHECK(session::check_limits(request.limits));
  if (request.idle_seconds) PALE_CHECK(check_amount(measure::kSeconds, "idle_seconds", *request.idle_seconds));
  PALE_TRY(id, sys::make_uuid());
  request.session = std::move(id);
  std::string name = "pale";
  std::string command = "session-host";
  std::string text = to_json(request);
  char* argv[] = {name.data(), command.data(), text.data(), nullptr};
  PALE_TRY(null, sys::open_at(sys::kAbsolute, "/dev/null", O_RDWR));
  PALE_TRY(pipe, sys::open_pipe());
  const sys::ProgramStart start{program, argv, caller.envp, null.borrow(), pipe.write_end.borrow(), null.borrow()};
  PALE_TRY(pid, sys::start_program(start));
  PALE_CHECK(sys::wait_for(pid));  // It goes as soon as the host is on its way.
  return SessionStart{{request.tenant.project, request.session}, std::move(pipe.read_end)};
}

Result<std::vector<std::string>> read_reply(std::string_view text) {
  if (text.empty()) return fail(ErrorKind::System, "the session was killed before it stood", "", "pale doctor");
  PALE_TRY(tell, session::parse_tell(text));
  if (tell.kind == session::Tell::Kind::Failed) return fail(std::move(tell.error));
  return std::move(tell.notes);
}

Result<StartedSession> start_session(SessionRequest request, const sys::Fd& program, const Caller& caller) {
  PALE_TRY(started, begin_session(std::move(request), program, caller));
  PALE_TRY(text, sys::read_all(started.reply, kMostReply));
  PALE_TRY(notes, read_reply(text));
  return StartedSession{std::move(started.name), std::move(notes)};
}

Result<session::Name> find_live_session(const Path& pale_home, std::string_view id) {
  if (id.size() < kShortestId) return not_there(id);
  PALE_TRY(names, session::sessions_on_disk(pale_home));
  std::vector<session::Name> found;
  for (session::Name& name : names) {
    if (!name.session.starts_with(id)) continue;
    PALE_TRY(alive, session::is_alive(session::place_of(pale_home, name.project, name.session)));
    if (alive) found.push_back(std::move(name));
  }
  if (found.empty()) return not_there(id);
  if (found.size() > 1)
    return fail(ErrorKind::Usage, "several sessions begin with", std::string(id), "pale session list");
  return std::move(found.front());
}

Result<SessionLine> SessionLine::connect_at(const Path& live, std::string_view id) {
  const auto place = sys::open_at(sys::kAbsolute, live.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW);
  if (!place) return not_there(id);
  auto socket = sys::connect_to(*place, "socket");
  if (!socket) return not_there(id);
  return SessionLine(std::move(*socket));
}

Result<SessionLine> SessionLine::connect(const Path& pale_home, const session::Name& name) {
  return connect_at(session::live_place_of(pale_home, name.session), name.session);
}

Result<SessionLine> SessionLine::find(const Path& pale_home, std::string_view id) {
  if (is_uuid(id)) return connect_at(session::live_place_of(pale_home, std::string(id)), id);
  PALE_TRY(name, find_live_session(pale_home, id));
  return connect(pale_home, name);
}

Status SessionLine::ask(const session::Ask& ask) const {
  const std::string text = to_text(ask);
  if (text.size() > sys::kMostMessage)
    return fail(ErrorKind::Usage, "that is too long for one message", "",
                "put it into a file of the workspace, or send it in parts");
  PALE_CHECK(sys::send_message(socket_, text, {}, sys::Waiting::Yes));
  return {};
}

Result<session::Tell> SessionLine::next() const {
  PALE_TRY(received, sys::receive_message(socket_, sys::Waiting::Yes));
  if (!received.message) return fail(ErrorKind::NotFound, "the session is over", "", "pale session list");
  return session::parse_tell(received.message->text);
}

Status end_session(const Path& pale_home, const session::Name& name) {
  const auto line = SessionLine::connect(pale_home, name);
  if (!line) return {};
  if (!line->ask({.kind = session::Ask::Kind::End})) return {};
  sys::Ready ready = {line->socket().borrow()};
  PALE_CHECK(sys::wait_ready({&ready, 1}, kEndMs));
  if (ready.readable || ready.closed) return {};
  return fail(ErrorKind::System, "the session does not end:", name.session, "pale session list");
}

Status kill_session(const Path& pale_home, const session::Name& name) {
  PALE_TRY(line, SessionLine::connect(pale_home, name));
  PALE_TRY(host, sys::peer_of(line.socket()));
  PALE_TRY(process, sys::open_pidfd(host.process));
  PALE_CHECK(sys::kill_process(process));
  sys::Ready ready = {process.borrow()};
  return sys::wait_ready({&ready, 1}, kEndMs);
}

}  // namespace pale::service
