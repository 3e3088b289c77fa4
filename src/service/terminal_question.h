// service/terminal_question.h: a question on the terminal of this process.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "session/question.h"
#include "sys/event.h"
#include "sys/fd.h"

namespace pale::service {

// Shows the question and waits for a line; like Waiting, for a loop that waits for other things as well. It gives up, and waits for
// nothing more, when the terminal is gone or another process group has it.
class TerminalQuestion {
 public:
  // Nothing, where this process has no terminal or is not in front of it.
  static std::optional<TerminalQuestion> begin(const session::Question& question);

  bool is_open() const noexcept { return terminal_.is_open(); }
  void add_waits(std::vector<sys::Ready>& waits) const;
  std::optional<session::Decision> look(std::int64_t now_ms);
  // It was answered elsewhere: says so, and gives up.
  void close(const session::Decision& decision);

 private:
  TerminalQuestion(sys::Fd terminal, std::string page) : terminal_(std::move(terminal)), unsent_(std::move(page)) {}
  bool show_some();

  sys::Fd terminal_;
  std::string unsent_;
  bool asked_ = false;  // The page is shown, and the prompt follows it.
  std::string line_;    // typed so far
};

}  // namespace pale::service
