#include "service/waiting.h"

#include <algorithm>

#include "sys/file.h"
#include "sys/message.h"
#include "sys/process.h"

namespace pale::service {
namespace {

using session::Reply;
using session::Verdict;

constexpr std::size_t kMostClients = 16;

Reply refused(std::string reason) { return {Reply::Kind::Refused, {}, {}, std::move(reason)}; }

}  // namespace

Result<Waiting> Waiting::open(const Path& pale_home, session::Question question) {
  PALE_CHECK(check_question(question));
  PALE_TRY(place, make_approval_place(pale_home));
  PALE_TRY(lock, lock_approval_place(place));
  PALE_TRY(listener, sys::listen_at(place.directory, question.id.c_str()));
  return Waiting(std::move(place), std::move(listener), std::move(question));
}

Waiting& Waiting::operator=(Waiting&& other) noexcept {
  if (this == &other) return *this;
  close();
  place_ = std::move(other.place_);
  listener_ = std::move(other.listener_);
  question_ = std::move(other.question_);
  clients_ = std::move(other.clients_);
  decision_ = std::move(other.decision_);
  return *this;
}

// Whoever connected before the name was gone is told what was decided, if he has said what he wants.
void Waiting::close() noexcept {
  if (!listener_.is_open()) return;
  (void)sys::remove_file(place_.directory.borrow(), question_.id.c_str());
  if (decision_) (void)look(decision_->at_ms);
}

void Waiting::add_waits(std::vector<sys::Ready>& waits) const {
  waits.push_back({listener_.borrow()});
  for (const sys::Fd& client : clients_) waits.push_back({client.borrow()});
}

std::int64_t Waiting::time_left(std::int64_t now_ms) const noexcept {
  return decision_ ? 0 : std::max<std::int64_t>(0, question_.expires_ms - now_ms);
}

Result<std::optional<session::Decision>> Waiting::look(std::int64_t now_ms) {
  if (!decision_ && now_ms >= question_.expires_ms) decision_ = {Verdict::TimedOut, "time-out", now_ms};
  std::erase_if(clients_, [&](const sys::Fd& client) { return serve(client, now_ms) == Served::Done; });
  PALE_CHECK(accept_clients(now_ms));
  return decision_;
}

session::Decision Waiting::decide(session::Decision decision) {
  if (!decision_) decision_ = std::move(decision);
  return *decision_;
}

// Most have said what they want before they are let in. Of those that have not, the one that has been silent longest makes room.
Status Waiting::accept_clients(std::int64_t now_ms) {
  for (std::size_t accepted = 0; accepted < kMostClients; ++accepted) {
    PALE_TRY(client, sys::accept_next(listener_));
    if (!client) return {};
    if (serve(*client, now_ms) == Served::Done) continue;
    if (clients_.size() == kMostClients) clients_.erase(clients_.begin());
    clients_.push_back(std::move(*client));
  }
  return {};
}

// One message from him, one to him: there is always room for that. What he does wrong is his loss, and nobody else's.
Waiting::Served Waiting::serve(const sys::Fd& client, std::int64_t now_ms) {
  const auto received = sys::receive_message(client, sys::Waiting::No);
  if (!received || received->closed) return Served::Done;
  const auto& message = received->message;
  if (!message) return Served::Waits;
  const Reply reply = reply_to(client, message->text, now_ms);
  (void)sys::send_message(client, to_text(reply), {}, sys::Waiting::No);
  return Served::Done;
}

Reply Waiting::reply_to(const sys::Fd& client, std::string_view text, std::int64_t now_ms) {
  const auto peer = sys::peer_of(client);
  if (!peer || (peer->user != 0 && peer->user != sys::user_id()))
    return refused("only the user who asks may answer, or root");
  const auto read = session::parse_inquiry(text);
  if (!read) return refused(read.error().sentence());
  const session::Inquiry& inquiry = *read;
  if (inquiry.key != place_.key) return refused("the key is not that of PALE_HOME/approvals");
  if (decision_) return {Reply::Kind::TooLate, {}, *decision_, {}};
  if (!inquiry.answer) return {Reply::Kind::Question, question_, {}, {}};
  if (inquiry.answer->digest != question_.digest) return refused("it answers another question: the digest differs");
  const bool approved = inquiry.answer->verdict == Verdict::Approved;
  decision_ = {inquiry.answer->verdict, approved ? "pale approve" : "pale deny", now_ms};
  return {Reply::Kind::Taken, {}, *decision_, {}};
}

}  // namespace pale::service
