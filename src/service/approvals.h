// service/approvals.h: questions that a person must answer: asking one, and answering those that wait.
//
// Whoever asks makes a Question, keeps an Asking (or a Waiting, service/waiting.h) in his loop until it is decided, and then says
// so to record_decision (service/approval_log.h), whatever the verdict, before he does what was allowed:
//
//   PALE_TRY(id, make_question_id());
//   PALE_TRY(asking, Asking::begin(pale_home, {id, root, "worker index", …}, Asking::Terminal::Yes));
//   PALE_TRY(decision, asking.wait());
//   PALE_CHECK(record_decision(pale_home, asking.question(), decision));
//   if (decision.verdict != session::Verdict::Approved) return refused(…);
//
// All of this is for processes outside of any boundary.
#pragma once

#include <optional>
#include <vector>

#include "service/approval_log.h"
#include "service/terminal_question.h"
#include "service/waiting.h"

namespace pale::service {

// --- asking -----------------------------------------------------------------------------------------------------------

// In the queue and, if it is wanted and there is one, on the terminal at the same time; what is answered first counts.
class Asking {
 public:
  enum class Terminal { Yes, No };
  static Result<Asking> begin(const Path& pale_home, session::Question question, Terminal terminal);

  const session::Question& question() const noexcept { return waiting_.question(); }
  // Everything after which look() may have something new, at most 18 descriptors; and after how many milliseconds. Asked anew
  // before each wait.
  void add_waits(std::vector<sys::Ready>& waits) const;
  std::int64_t time_left(std::int64_t now_ms) const noexcept { return waiting_.time_left(now_ms); }

  // Never waits. Nothing: it is not decided. To be called once before the first wait, too: it begins to show the question.
  Result<std::optional<session::Decision>> look(std::int64_t now_ms);
  // Somebody said it elsewhere, such as a client in its own way. Returns what counts, which is what was said first.
  session::Decision decide(session::Decision decision);
  // For whoever has nothing else to do.
  Result<session::Decision> wait();

 private:
  Asking(Waiting waiting, std::optional<TerminalQuestion> terminal)
      : waiting_(std::move(waiting)), terminal_(std::move(terminal)) {}

  Waiting waiting_;
  std::optional<TerminalQuestion> terminal_;
};

// On the terminal alone. Nothing, if there is none, or it was lost to another process group.
Result<std::optional<session::Decision>> ask_on_terminal(const session::Question& question, std::int64_t timeout_ms);

std::int64_t now_ms() noexcept;  // since 1970, as questions have it

// --- answering --------------------------------------------------------------------------------------------------------

// Those that wait, the oldest first. What a killed asker left is removed; one that does not say in time what it asks is left out.
Result<std::vector<session::Question>> waiting_questions(const Path& pale_home);

Result<session::Question> find_waiting_question(const Path& pale_home, std::string_view id);

// Approved or denied; `digest` is that of the question which the person saw. An error if it was decided before, or is gone.
Result<session::Decision> answer_question(const Path& pale_home, std::string_view id, session::Verdict verdict,
                                          const std::string& digest);

}  // namespace pale::service
