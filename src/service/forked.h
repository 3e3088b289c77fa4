// service/forked.h: something done in a process of its own, which goes on while this one looks after others: it may enter namespaces,
// and dies with this one. What came of it is a number and a text.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "service/run_times.h"
#include "service/watch_notes.h"
#include "sys/process.h"

namespace pale::service {

struct ForkedResult {
  int code = 0;
  std::string text;
  std::vector<WatchNote> notes;  // of a command that was watched, the first
  std::size_t more_notes = 0;
  RunTimes times = {};  // of a command
};

class Forked {
 public:
  // `body()` gives a ForkedResult. What it writes to its outputs goes to `output`; it has no input, and no terminal.
  template <typename Body>
  static Result<Forked> start(const sys::Fd& output, Body body) {
    PALE_TRY(forked, fork());
    if (!forked.is_child()) return forked;
    if (auto ready = settle(output); !ready) forked.leave({kLost, ready.error().sentence()});
    forked.leave(body());
  }
  Forked(Forked&&) = default;
  Forked& operator=(Forked&&) = delete;
  ~Forked();

  // Readable once it is over.
  const sys::Fd& over() const noexcept { return child_.pidfd; }
  void ask_to_end() const;
  void end() const;
  // Once it is over.
  ForkedResult finish();

  static constexpr int kLost = -1;  // it was killed, or could not begin

 private:
  struct Board;
  struct LetGo {
    void operator()(Board* board) const noexcept;
  };
  Forked(std::unique_ptr<Board, LetGo> board, sys::Child child) : board_(std::move(board)), child_(std::move(child)) {}
  static Result<Forked> fork();
  bool is_child() const noexcept { return child_.pid == 0; }
  static Status settle(const sys::Fd& output);
  [[noreturn]] void leave(const ForkedResult& result);

  std::unique_ptr<Board, LetGo> board_;
  sys::Child child_;
  bool finished_ = false;
};

}  // namespace pale::service
