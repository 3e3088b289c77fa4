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
  RunTimes times;
  std::size_t length;
  std::array<char, 16384> text;
  std::size_t more_notes;
  std::size_t notes_length;
  std::array<char, 131072> notes;  // of each its kind, then its texts, each with a zero behind it
};

namespace {

std::string packed(const WatchNote& note) {
  std::string text(1, static_cast<char>(note.kind));
  for (const std::string* part : {&note.operation, &note.path, &note.rule}) (text += *part) += '\0';
  return text;
}

WatchNote unpacked(std::string_view& packed) {
  WatchNote note;
  note.kind = static_cast<WatchNote::Kind>(packed.front());
  packed.remove_prefix(1);
  for (std::string* part : {&note.operation, &note.path, &note.rule}) {
    const std::size_t end = std::min(packed.find('\0'), packed.size());
    *part = packed.substr(0, end);
    packed.remove_prefix(std::min(end + 1, packed.size()));
  }
  return note;
}

}  // namespace

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
  board_->times = result.times;
  board_->more_notes = result.more_notes;
  for (const WatchNote& note : result.notes) {
    const std::string bytes = packed(note);
    if (bytes.size() > board_->notes.size() - board_->notes_length) {
      ++board_->more_notes;
      continue;
    }
    std::ranges::copy(bytes, board_->notes.begin() + static_cast<std::ptrdiff_t>(board_->notes_length));
    board_->notes_length += bytes.size();
  }
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
  ForkedResult result{board_->code, {board_->text.data(), board_->length}};
  result.times = board_->times;
  result.more_notes = board_->more_notes;
  for (std::string_view rest(board_->notes.data(), board_->notes_length); !rest.empty();)
    result.notes.push_back(unpacked(rest));
  return result;
}

}  // namespace pale::service
