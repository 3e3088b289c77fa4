#include "service/call_record.h"

#include "sys/event.h"
#include "sys/file.h"
#include "sys/random.h"

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

Result<CallRecord> CallRecord::later(const Path& pale_home, const std::string& project, const Words& words) {
  PALE_TRY(id, sys::make_uuid());
  const std::string owner = std::string(session::kLocal) + project;
  session::Place place = session::place_of(pale_home, owner, id);
  return CallRecord(pale_home, {std::move(id), owner, {}, words.stage, 0, {}, words.kind, words.title, words.agent},
                    std::move(place));
}

Result<CallRecord> CallRecord::begin(const Path& pale_home, const std::string& project, const Words& words,
                                     std::int64_t began_ms) {
  PALE_TRY(record, later(pale_home, project, words));
  record.about_.created_ms = began_ms;
  PALE_CHECK(record.open());
  return record;
}

Status CallRecord::open() {
  if (journal_) return {};
  PALE_TRY(lock, session::take_live_place(pale_home_, place_));
  PALE_CHECK(sys::make_directories(place_.folder().text(), 0700));
  if (about_.created_ms == 0) about_.created_ms = sys::wall_clock_ns() / 1'000'000;
  PALE_TRY(journal, session::Journal::create(place_.events().text(), to_json(about_)));
  lock_ = std::move(lock);
  journal_ = std::move(journal);
  return {};
}

Status CallRecord::add(session::Event event) {
  PALE_CHECK(open());
  return journal_->append(std::move(event));
}

Status CallRecord::run(std::uint64_t call, const std::string& chain, std::vector<std::string> command,
                       const std::string& directory, std::int64_t began_ms) {
  if (!chain.empty()) command.insert(command.begin(), chain);
  return add(
      {.kind = EventKind::Run, .at_ms = began_ms, .run = call, .command = std::move(command), .directory = directory});
}

Status CallRecord::receipt(std::uint64_t call, const std::string& receipt) {
  return add({.kind = EventKind::Started, .run = call, .data = receipt});
}

Status CallRecord::refused(std::uint64_t caller, const std::string& worker, std::string_view code,
                           const std::string& sentence) {
  if (++refusals_ > kMostRefusals) return {};
  return add({.kind = EventKind::Denied,
              .run = caller,
              .path = worker,
              .operation = "call_worker",
              .rule = std::string(code) + ": " + sentence});
}

Status CallRecord::note(std::uint64_t call, const WatchNote& note) {
  if (++refusals_ > kMostRefusals) return {};
  const bool refused = note.kind == WatchNote::Kind::Refused;
  return add({.kind = refused ? EventKind::Denied : EventKind::Changed,
              .run = call,
              .path = note.path,
              .operation = note.operation,
              .rule = note.rule});
}

Status CallRecord::exit(std::uint64_t call, int exit_code, std::string_view ending, std::int64_t milliseconds) {
  return add({.kind = EventKind::Exit,
              .run = call,
              .exit_code = exit_code,
              .ending = std::string(ending),
              .milliseconds = milliseconds});
}

Status CallRecord::output(std::uint64_t call, const std::string& stream, std::string data) {
  return add({.kind = EventKind::Output, .run = call, .stream = stream, .data = std::move(data)});
}

Status CallRecord::input(std::uint64_t call, std::uint64_t bytes) {
  return add({.kind = EventKind::Input, .run = call, .bytes = bytes});
}

Status CallRecord::end(std::string_view ending) {
  PALE_CHECK(add({.kind = EventKind::Ended, .ending = std::string(ending)}));
  return session::leave_live_place(pale_home_, place_, std::move(lock_));
}

}  // namespace pale::service
