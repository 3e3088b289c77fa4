#include "service/task_loop.h"

#include <algorithm>
#include <array>
#include <csignal>

#include "service/visit_record.h"
#include "sys/file.h"
#include "sys/message.h"

namespace pale::service {
namespace {

using session::Ask;
using session::Tell;

constexpr std::uint64_t kRun = 1;
constexpr std::int64_t kTickMs = 100;     // nobody says that there is a note
constexpr std::int64_t kGraceMs = 5'000;  // for a command that is asked to end
constexpr std::size_t kMostUnsent = 4UL << 20U;
constexpr std::size_t kMostReceipt = 4UL << 20U;
constexpr int kKilled = 137;

}  // namespace

Status TaskLoop::run() {
  const std::int64_t began = sys::monotonic_ms();
  while (!over_ || ends_.output.is_open() || ends_.errors.is_open()) PALE_CHECK(turn());
  PALE_CHECK(take_notes());
  PALE_CHECK(take_receipt());
  (void)sys::wait_for(ends_.child.pid);
  TaskEnd end = board_.end().value_or(TaskEnd{kKilled, "failed", {}});
  if (cancelled_) end.ending = "cancelled";
  if (!end.text.empty()) PALE_CHECK(record_.output(kRun, "stderr", end.text));
  return record_.exit(kRun, end.exit_code, end.ending, sys::monotonic_ms() - began);
}

Status TaskLoop::turn() {
  std::vector<sys::Ready> waits;
  for (const sys::Fd* fd : {&ends_.output, &ends_.errors, &listener_}) {
    if (fd->is_open()) waits.push_back({fd->borrow()});
  }
  if (!over_) waits.push_back({ends_.child.pidfd.borrow()});
  if (!unsent_.empty() && ends_.input.is_open())
    waits.push_back({ends_.input.borrow(), false, false, sys::Wish::Write});
  for (const Client& client : clients_) waits.push_back({client.socket.borrow()});
  PALE_CHECK(sys::wait_ready(waits, kTickMs));
  const bool ended = std::ranges::any_of(
      waits, [&](const sys::Ready& ready) { return ready.descriptor == ends_.child.pidfd.borrow() && ready.readable; });
  PALE_CHECK(take_output(ends_.output, "stdout"));
  PALE_CHECK(take_output(ends_.errors, "stderr"));
  PALE_CHECK(take_notes());
  PALE_CHECK(take_receipt());
  PALE_CHECK(accept_clients());
  for (Client& client : clients_) PALE_CHECK(listen_to(client));
  std::erase_if(clients_, [](const Client& client) { return client.gone; });
  give_input();
  if (kill_at_ms_ != 0 && sys::monotonic_ms() >= kill_at_ms_) (void)sys::kill_process(ends_.child.pidfd);
  over_ = over_ || ended;
  return {};
}

// Nobody else has the other end once the sandbox is gone, so its end comes.
Status TaskLoop::take_output(sys::Fd& from, const char* stream) {
  std::array<char, session::kMostOutput> buffer = {};
  while (from.is_open()) {
    PALE_TRY(got, sys::try_read(from, buffer));
    if (!got) return {};
    if (*got == 0) {
      from.reset();
    } else {
      PALE_CHECK(record_.output(kRun, stream, std::string(buffer.data(), *got)));
    }
  }
  return {};
}

Status TaskLoop::take_notes() {
  for (const WatchNote& note : board_.take()) PALE_CHECK(record_.note(kRun, note));
  for (const network::Visit& visit : board_.take_visits()) PALE_CHECK(record_.add(event_of(visit, kRun)));
  return {};
}

Status TaskLoop::take_receipt() {
  if (has_receipt_) return {};
  const auto text = sys::read_file(sys::kAbsolute, receipt_.c_str(), kMostReceipt);
  if (!text || text->empty()) return {};
  has_receipt_ = true;
  return record_.receipt(kRun, *text);
}

Status TaskLoop::accept_clients() {
  for (;;) {
    PALE_TRY(next, sys::accept_next(listener_));
    if (!next) return {};
    clients_.push_back({std::move(*next)});
  }
}

Status TaskLoop::listen_to(Client& client) {
  while (!client.gone) {
    const auto received = sys::receive_message(client.socket, sys::Waiting::No);
    if (!received || received->closed) {
      client.gone = true;
      return {};
    }
    if (!received->message) return {};
    const auto ask = session::parse_ask(received->message->text);
    if (!ask) {
      tell(client, {.kind = Tell::Kind::Failed, .error = ask.error()});
    } else {
      PALE_CHECK(answer(client, *ask));
    }
  }
  return {};
}

Status TaskLoop::answer(Client& client, const Ask& ask) {
  switch (ask.kind) {
    case Ask::Kind::Run:
      tell(client, {.kind = Tell::Kind::Failed,
                    .error = {ErrorKind::Refused, 0, "this session is one task, and takes no other command", "",
                              "start another one"}});
      return {};
    case Ask::Kind::Input:
      if (!ends_.input.is_open() || last_input_ || unsent_.size() + ask.data.size() > kMostUnsent) {
        tell(client, {.kind = Tell::Kind::Failed,
                      .error = {ErrorKind::Refused, 0, "the task takes no more input now", "", "try again later"}});
        return {};
      }
      unsent_ += ask.data;
      last_input_ = ask.last;
      PALE_CHECK(record_.input(kRun, ask.data.size()));
      break;
    case Ask::Kind::Cancel: ask_to_end(); break;
    case Ask::Kind::End:
      ask_to_end();
      client.waits_for_end = true;
      return {};
    case Ask::Kind::Status: break;
  }
  tell(client, {.kind = Tell::Kind::Done, .run = over_ ? 0 : kRun});
  return {};
}

void TaskLoop::give_input() {
  while (!unsent_.empty() && ends_.input.is_open()) {
    const auto given = sys::try_write(ends_.input, unsent_);
    if (!given) {
      ends_.input.reset();  // Nobody reads it any more.
    } else if (!*given) {
      return;
    } else {
      unsent_.erase(0, **given);
    }
  }
  if (last_input_) ends_.input.reset();
}

void TaskLoop::ask_to_end() {
  cancelled_ = true;
  if (kill_at_ms_ != 0) return;
  kill_at_ms_ = sys::monotonic_ms() + kGraceMs;
  (void)sys::send_signal(ends_.child.pidfd, SIGTERM);
}

void TaskLoop::tell_ended() {
  for (Client& client : clients_) {
    if (client.waits_for_end) tell(client, {.kind = Tell::Kind::Done});
  }
  clients_.clear();
}

void TaskLoop::tell(Client& client, const Tell& tell) {
  const auto sent = sys::send_message(client.socket, to_text(tell), {}, sys::Waiting::No);
  client.gone = !sent || !*sent;
}

}  // namespace pale::service
