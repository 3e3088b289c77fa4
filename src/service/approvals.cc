#include "service/approvals.h"

#include <algorithm>
#include <cerrno>
#include <span>

#include "sys/file.h"
#include "sys/message.h"

namespace pale::service {
namespace {

using session::Reply;

constexpr std::size_t kMostAtOnce = 64;
constexpr std::int64_t kReplyMs = 5000;
constexpr std::int64_t kNanoseconds = 1'000'000;

std::unexpected<Error> not_waiting(std::string_view id) {
  return fail(ErrorKind::NotFound, "no question of that id waits:", std::string(id), "pale approvals");
}

// No reply came: whoever asked is gone with the question, or is there and silent.
std::unexpected<Error> unheard(const sys::Fd& line, std::string_view id) {
  const auto received = sys::receive_message(line, sys::Waiting::No);
  if (received && received->closed)
    return fail(ErrorKind::NotFound, "that question was decided before, or given up:", std::string(id),
                "pale approvals --log");
  return fail(ErrorKind::System, "whoever asked this does not say whether the answer counts:", std::string(id),
              "pale approvals --log");
}

// Somebody may have bound it and not yet listen; nobody does while the lock is held.
void remove_if_dead(const ApprovalPlace& place, const char* name) {
  const auto lock = lock_approval_place(place);
  if (!lock) return;
  const auto line = sys::connect_to(place.directory, name, sys::Waiting::No);
  if (!line && line.error().number == ECONNREFUSED) (void)sys::remove_file(place.directory.borrow(), name);
}

// Nothing, if nobody listens there.
Result<std::optional<sys::Fd>> inquire(const ApprovalPlace& place, const std::string& id,
                                       const session::Inquiry& inquiry) {
  auto line = sys::connect_to(place.directory, id.c_str(), sys::Waiting::No);
  if (!line && line.error().number == ECONNREFUSED) remove_if_dead(place, id.c_str());
  if (!line && (line.error().number == ECONNREFUSED || line.error().number == ENOENT)) return std::nullopt;
  if (!line) return std::unexpected(std::move(line).error());
  const auto sent = sys::send_message(*line, to_text(inquiry), {}, sys::Waiting::No);
  if (!sent || !*sent) return std::nullopt;
  return std::move(*line);
}

// What each of the lines was told within the time; nothing for those that hung up, or are silent.
Result<std::vector<Reply>> hear(std::span<const sys::Fd> lines) {
  const std::int64_t deadline = sys::monotonic_ms() + kReplyMs;
  std::vector<Reply> replies;
  std::vector<const sys::Fd*> open;
  for (const sys::Fd& line : lines) open.push_back(&line);
  while (!open.empty() && sys::monotonic_ms() < deadline) {
    std::vector<sys::Ready> ready;
    for (const sys::Fd* line : open) ready.push_back({line->borrow()});
    PALE_CHECK(sys::wait_ready(ready, std::max<std::int64_t>(0, deadline - sys::monotonic_ms())));
    std::erase_if(open, [&](const sys::Fd* line) {
      const auto received = sys::receive_message(*line, sys::Waiting::No);
      if (!received || received->closed) return true;
      if (!received->message) return false;
      if (auto reply = session::parse_reply(received->message->text)) replies.push_back(std::move(*reply));
      return true;
    });
  }
  return replies;
}

// One question, by its id.
Result<Reply> ask_about(const Path& pale_home, std::string_view id, std::optional<session::Answer> answer) {
  PALE_TRY(place, find_approval_place(pale_home));
  if (!place || !session::is_question_id(id)) return not_waiting(id);
  PALE_TRY(line, inquire(*place, std::string(id), {place->key, std::move(answer)}));
  if (!line) return not_waiting(id);
  PALE_TRY(replies, hear({&*line, 1}));
  if (replies.empty()) return unheard(*line, id);
  return std::move(replies.front());
}

Error no_answer(const Reply& reply) {
  if (reply.kind == Reply::Kind::TooLate)
    return {ErrorKind::NotFound, 0, "that question was decided before:",
            std::string(to_text(reply.decision.verdict)) + ", by " + reply.decision.by, "pale approvals --log"};
  return {ErrorKind::Refused, 0, "whoever asks does not take it:", reply.reason, "pale approvals"};
}

Result<std::vector<std::string>> ids_in(const ApprovalPlace& place) {
  PALE_TRY(entries, sys::list_directory(place.directory));
  std::vector<std::string> ids;
  for (sys::Entry& entry : entries) {
    if (entry.kind == sys::FileKind::Other && session::is_question_id(entry.name)) ids.push_back(std::move(entry.name));
  }
  return ids;
}

}  // namespace

std::int64_t now_ms() noexcept { return sys::wall_clock_ns() / kNanoseconds; }

// --- asking -----------------------------------------------------------------------------------------------------------

Result<Asking> Asking::begin(const Path& pale_home, session::Question question, Terminal terminal) {
  PALE_TRY(waiting, Waiting::open(pale_home, std::move(question)));
  std::optional<TerminalQuestion> shown;
  if (terminal == Terminal::Yes) shown = TerminalQuestion::begin(waiting.question());
  return Asking(std::move(waiting), std::move(shown));
}

void Asking::add_waits(std::vector<sys::Ready>& waits) const {
  waiting_.add_waits(waits);
  if (terminal_) terminal_->add_waits(waits);
}

Result<std::optional<session::Decision>> Asking::look(std::int64_t now) {
  PALE_TRY(decision, waiting_.look(now));
  if (!terminal_) return decision;
  if (decision) {
    terminal_->close(*decision);
    return decision;
  }
  auto answer = terminal_->look(now);
  if (!answer) return std::nullopt;
  return waiting_.decide(std::move(*answer));
}

session::Decision Asking::decide(session::Decision decision) {
  session::Decision counts = waiting_.decide(std::move(decision));
  if (terminal_) terminal_->close(counts);
  return counts;
}

Result<session::Decision> Asking::wait() {
  for (;;) {
    PALE_TRY(decision, look(now_ms()));
    if (decision) return std::move(*decision);
    std::vector<sys::Ready> waits;
    add_waits(waits);
    PALE_CHECK(sys::wait_ready(waits, time_left(now_ms())));
  }
}

Result<std::optional<session::Decision>> ask_on_terminal(const session::Question& question, std::int64_t timeout_ms) {
  auto terminal = TerminalQuestion::begin(question);
  if (!terminal) return std::nullopt;
  const std::int64_t deadline = sys::monotonic_ms() + timeout_ms;
  for (;;) {
    auto decision = terminal->look(now_ms());
    if (decision || !terminal->is_open()) return decision;
    const std::int64_t left = deadline - sys::monotonic_ms();
    if (left <= 0) {
      session::Decision late{session::Verdict::TimedOut, "time-out", now_ms()};
      terminal->close(late);
      return late;
    }
    std::vector<sys::Ready> waits;
    terminal->add_waits(waits);
    PALE_CHECK(sys::wait_ready(waits, left));
  }
}

// --- answering --------------------------------------------------------------------------------------------------------

Result<std::vector<session::Question>> waiting_questions(const Path& pale_home) {
  PALE_TRY(place, find_approval_place(pale_home));
  std::vector<session::Question> questions;
  if (!place) return questions;
  PALE_TRY(ids, ids_in(*place));
  for (std::size_t from = 0; from < ids.size(); from += kMostAtOnce) {
    std::vector<sys::Fd> lines;
    for (const std::string& id : std::span(ids).subspan(from, std::min(kMostAtOnce, ids.size() - from))) {
      auto asked = inquire(*place, id, {place->key, {}});
      if (!asked) continue;
      std::optional<sys::Fd> line = std::move(*asked);
      if (line) lines.push_back(std::move(*line));
    }
    PALE_TRY(replies, hear(lines));
    for (Reply& reply : replies) {
      if (reply.kind == Reply::Kind::Question) questions.push_back(std::move(reply.question));
    }
  }
  std::ranges::sort(questions, {}, &session::Question::asked_ms);
  return questions;
}

Result<session::Question> find_waiting_question(const Path& pale_home, std::string_view id) {
  PALE_TRY(reply, ask_about(pale_home, id, {}));
  if (reply.kind == Reply::Kind::Question) return std::move(reply.question);
  return fail(no_answer(reply));
}

Result<session::Decision> answer_question(const Path& pale_home, std::string_view id, session::Verdict verdict,
                                          const std::string& digest) {
  PALE_TRY(reply, ask_about(pale_home, id, session::Answer{verdict, digest}));
  if (reply.kind == Reply::Kind::Taken) return std::move(reply.decision);
  return fail(no_answer(reply));
}

}  // namespace pale::service
