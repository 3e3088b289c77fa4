#include "service/terminal_question.h"

#include <fcntl.h>

#include <array>

#include "sys/file.h"
#include "sys/terminal.h"

namespace pale::service {
namespace {

constexpr std::size_t kMostLine = 256;

bool in_front_of(const sys::Fd& terminal) { return sys::foreground_of(terminal.borrow()) == sys::process_group(); }

// A line without an end is none: whoever hung up has not said yes.
session::Verdict verdict_of(std::string_view line) {
  const std::size_t end = line.find_first_of("\r\n");
  const std::string_view answer = end == std::string_view::npos ? std::string_view() : line.substr(0, end);
  const bool yes = answer == "y" || answer == "Y" || answer == "yes";
  return yes ? session::Verdict::Approved : session::Verdict::Denied;
}

}  // namespace

std::optional<TerminalQuestion> TerminalQuestion::begin(const session::Question& question) {
  // Not the descriptor of anybody else, so it may be one that does not wait.
  auto terminal = sys::open_at(sys::kAbsolute, "/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (!terminal || !in_front_of(*terminal)) return std::nullopt;
  return TerminalQuestion(std::move(*terminal), to_page(question));
}

void TerminalQuestion::add_waits(std::vector<sys::Ready>& waits) const {
  if (!is_open()) return;
  waits.push_back(
      {.descriptor = terminal_.borrow(), .wish = unsent_.empty() && asked_ ? sys::Wish::Read : sys::Wish::Write});
}

// True: all is shown. What was typed before the page was there is no answer to it.
bool TerminalQuestion::show_some() {
  for (;;) {
    while (!unsent_.empty()) {
      const auto written = sys::try_write(terminal_, unsent_);
      if (!written) terminal_.reset();
      const std::size_t count = written.value_or(std::nullopt).value_or(0);
      if (count == 0) return false;
      unsent_.erase(0, count);
    }
    if (asked_) return true;
    sys::forget_input(terminal_.borrow());
    unsent_ = "Allow? [y/N] ";
    asked_ = true;
  }
}

std::optional<session::Decision> TerminalQuestion::look(std::int64_t now_ms) {
  if (is_open() && !in_front_of(terminal_)) terminal_.reset();  // To read from behind would stop this process.
  if (!is_open() || !show_some()) return std::nullopt;
  std::array<char, kMostLine> buffer;
  const auto got = sys::try_read(terminal_, buffer);
  if (!got) terminal_.reset();
  const auto count = got.value_or(std::nullopt);
  if (!count) return std::nullopt;
  line_.append(buffer.data(), *count);
  const bool ended = *count == 0 || line_.size() > kMostLine || line_.find_first_of("\r\n") != std::string::npos;
  if (!ended) return std::nullopt;
  terminal_.reset();
  return session::Decision{verdict_of(line_), "terminal", now_ms};
}

void TerminalQuestion::close(const session::Decision& decision) {
  if (is_open() && in_front_of(terminal_))
    (void)sys::try_write(terminal_, "\n" + std::string(to_text(decision.verdict)) + " by " + decision.by + "\n");
  terminal_.reset();
}

}  // namespace pale::service
