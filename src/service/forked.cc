#include "service/forked.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <csignal>

#include "sys/event.h"
#include "sys/file.h"

namespace pale::service {

// What both processes see.
struct Forked::Board {
  bool done;
  int code;
  std::size_t length;
  std::array<char, 16384> text;
};

void Forked::LetGo::operator()(Board* board) const noexcept { sys::let_go_of_memory(board, sizeof(Board)); }

Result<Forked> Forked::fork() {
  std::unique_ptr<Board, LetGo> board(static_cast<Board*>(sys::share_memory(sizeof(Board))));
  if (board == nullptr) return fail(ErrorKind::System, "no memory for another process", "");
  PALE_TRY(child, sys::fork_into(0));
  return Forked(std::move(board), std::move(child));
}

// What is typed at the terminal is for the process that looks after it.
Status Forked::settle(const sys::Fd& output) {
  constexpr int kFirstOther = 3;
  (void)sys::block_signals(0);
  PALE_CHECK(sys::die_with_parent());
  PALE_CHECK(sys::new_session());
  PALE_TRY(nothing, sys::open_at(sys::kAbsolute, "/dev/null", O_RDONLY));
  PALE_CHECK(sys::place_descriptor(output.borrow(), 1));
  PALE_CHECK(sys::place_descriptor(1, 2));
  PALE_CHECK(sys::place_descriptor(nothing.borrow(), 0));
  sys::close_from(kFirstOther);
  return {};
}

void Forked::leave(const ForkedResult& result) {
  board_->code = result.code;
  board_->length = std::min(result.text.size(), board_->text.size());
  std::ranges::copy_n(result.text.begin(), static_cast<std::ptrdiff_t>(board_->length), board_->text.begin());
  board_->done = true;
  sys::exit_now(0);
}

Forked::~Forked() {
  if (!board_ || finished_ || is_child()) return;
  end();
  (void)sys::wait_for(child_.pid);
}

void Forked::ask_to_end() const { (void)sys::send_signal(child_.pidfd, SIGTERM); }
void Forked::end() const { (void)sys::send_signal(child_.pidfd, SIGKILL); }

ForkedResult Forked::finish() {
  (void)sys::wait_for(child_.pid);
  finished_ = true;
  if (!board_->done) return {kLost, "it was killed"};
  return {board_->code, {board_->text.data(), board_->length}};
}

}  // namespace pale::service
