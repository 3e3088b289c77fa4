// service/waiting.h: the asker's side of a question in the queue.
#pragma once

#include <optional>
#include <vector>

#include "base/path.h"
#include "service/approval_place.h"
#include "session/inquiry.h"
#include "sys/event.h"
#include "sys/fd.h"

namespace pale::service {

// Listens at a socket of PALE_HOME/approvals, which goes with this object. For a loop that waits for other things as well: nothing
// here blocks, however slow a client is.
//
// Of whoever connects, only this user and root are listened to, and only if they know the key. The first answer with the digest
// of the question decides; who comes later is told what was decided.
class Waiting {
 public:
  static Result<Waiting> open(const Path& pale_home, session::Question question);
  Waiting(Waiting&&) noexcept = default;
  Waiting& operator=(Waiting&& other) noexcept;
  ~Waiting() { close(); }

  const session::Question& question() const noexcept { return question_; }
  const sys::Fd& listener() const noexcept { return listener_; }
  // Everything after which look() may have something new, at most 17 descriptors; and after how many milliseconds.
  void add_waits(std::vector<sys::Ready>& waits) const;
  std::int64_t time_left(std::int64_t now_ms) const noexcept;

  // Lets clients in and answers them. Nothing: it still waits.
  Result<std::optional<session::Decision>> look(std::int64_t now_ms);
  // Somebody said it who is not a client of this. Returns what counts, which is what was said first.
  session::Decision decide(session::Decision decision);

 private:
  enum class Served { Waits, Done };

  Waiting(ApprovalPlace place, sys::Fd listener, session::Question question)
      : place_(std::move(place)), listener_(std::move(listener)), question_(std::move(question)) {}
  void close() noexcept;
  Status accept_clients(std::int64_t now_ms);
  Served serve(const sys::Fd& client, std::int64_t now_ms);
  session::Reply reply_to(const sys::Fd& client, std::string_view text, std::int64_t now_ms);

  ApprovalPlace place_;
  sys::Fd listener_;  // not open: moved from
  session::Question question_;
  std::vector<sys::Fd> clients_;  // the oldest first
  std::optional<session::Decision> decision_;
};

}  // namespace pale::service
