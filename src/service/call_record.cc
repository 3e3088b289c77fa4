#include "service/call_record.h"

#include <fcntl.h>

#include "session/about.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/random.h"
#include "sys/tree.h"

namespace pale::service {

using session::EventKind;

namespace {
constexpr std::size_t kMostRefusals = 1000;
}

std::string_view in_a_word(sandbox::Ending ending) noexcept {
  switch (ending) {
    case sandbox::Ending::TimedOut: return "timed_out";
    case sandbox::Ending::Contained:
    case sandbox::Ending::Killed: return "failed";
    case sandbox::Ending::Exited: break;
  }
  return "exited";
}

Result<CallRecord> CallRecord::begin(const Path& pale_home, const std::string& project, const Words& words,
                                     std::int64_t began_ms) {
  PALE_TRY(id, sys::make_uuid());
  const std::string owner = std::string(session::kLocal) + project;
  session::Place place = session::place_of(pale_home, owner, id);
  // As a session's host does it: who finds the lock free has a dead one before him.
  PALE_TRY(places, session::lock_live_places(pale_home));
  PALE_CHECK(sys::make_directories(place.live.text(), 0700));
  PALE_TRY(lock, sys::open_at(sys::kAbsolute, place.lock().c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
  PALE_TRY(held, sys::try_lock(lock, sys::LockKind::Exclusive));
  if (held == sys::Lock::Held) return fail(ErrorKind::System, "there is such a session already:", id);
  PALE_CHECK(sys::make_directories(place.record.text(), 0700));
  const std::int64_t created = began_ms != 0 ? began_ms : sys::wall_clock_ns() / 1'000'000;
  const session::About about{id, owner, {}, words.stage, created, {}, words.kind, words.title, words.agent};
  PALE_CHECK(sys::replace_file(place.about().text(), to_json(about), 0600, sys::Durability::OfProcess));
  PALE_TRY(journal, session::Journal::create(place.events().text()));
  return CallRecord(std::move(id), std::move(place), std::move(lock), std::move(journal));
}

Status CallRecord::run(std::uint64_t call, const std::string& chain, std::vector<std::string> command,
                       const std::string& directory, std::int64_t began_ms) {
  if (!chain.empty()) command.insert(command.begin(), chain);
  return journal_.append(
      {.kind = EventKind::Run, .at_ms = began_ms, .run = call, .command = std::move(command), .directory = directory});
}

Status CallRecord::receipt(std::uint64_t call, const std::string& receipt) {
  return journal_.append({.kind = EventKind::Started, .run = call, .data = receipt});
}

Status CallRecord::refused(std::uint64_t caller, const std::string& worker, std::string_view code,
                           const std::string& sentence) {
  if (++refusals_ > kMostRefusals) return {};
  return journal_.append({.kind = EventKind::Denied,
                          .run = caller,
                          .path = worker,
                          .operation = "call_worker",
                          .rule = std::string(code) + ": " + sentence});
}

Status CallRecord::note(std::uint64_t call, const WatchNote& note) {
  if (++refusals_ > kMostRefusals) return {};
  const bool refused = note.kind == WatchNote::Kind::Refused;
  return journal_.append({.kind = refused ? EventKind::Denied : EventKind::Changed,
                          .run = call,
                          .path = note.path,
                          .operation = note.operation,
                          .rule = note.rule});
}

Status CallRecord::exit(std::uint64_t call, int exit_code, std::string_view ending, std::int64_t milliseconds) {
  return journal_.append({.kind = EventKind::Exit,
                          .run = call,
                          .exit_code = exit_code,
                          .ending = std::string(ending),
                          .milliseconds = milliseconds});
}

Status CallRecord::output(std::uint64_t call, const std::string& stream, std::string data) {
  return journal_.append({.kind = EventKind::Output, .run = call, .stream = stream, .data = std::move(data)});
}

Status CallRecord::input(std::uint64_t call, std::uint64_t bytes) {
  return journal_.append({.kind = EventKind::Input, .run = call, .bytes = bytes});
}

Status CallRecord::end(std::string_view ending) {
  PALE_CHECK(journal_.append({.kind = EventKind::Ended, .ending = std::string(ending)}));
  return sys::remove_tree(sys::kAbsolute, place_.live.c_str());
}

}  // namespace pale::service
