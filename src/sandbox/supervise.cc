#include "sandbox/supervise.h"

#include <csignal>

#include "base/text.h"
#include "sandbox/receipt.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/terminal.h"

namespace pale::sandbox {
namespace {

constexpr std::int64_t kGraceMs = 2000;  // between SIGTERM and SIGKILL at the time limit

class Supervisor {
 public:
  Supervisor(Outside& outside, const sys::Fd& news, TerminalUse terminal)
      : request_(outside.request()),
        limits_(outside.limits()),
        shared_(outside.shared()),
        init_(outside.init()),
        news_(news),
        terminal_(terminal) {}

  Result<Ending> run() {
    if (command_has_terminal_) modes_ = sys::terminal_modes(0);
    PALE_TRY(signals, sys::open_signals(sys::kAllSignals & ~sys::signal_bit(SIGCHLD)));
    if (const auto seconds = request_.boundary.limits().seconds) {
      deadline_ = sys::monotonic_ms() + static_cast<std::int64_t>(*seconds) * 1000;
    }
    for (;;) {
      // A descriptor of -1 is not waited for.
      sys::Ready ready[] = {
          {init_.pidfd.borrow()}, {signals.borrow()}, {news_open_ ? news_.borrow() : -1}, {neighbours()}};
      PALE_CHECK(sys::wait_ready({ready, request_.neighbour == nullptr ? 3U : 4U}, time_left()));
      if (news_open_ && (ready[2].readable || ready[2].closed)) PALE_CHECK(take_news(ready[2].readable));
      if (request_.neighbour != nullptr && (ready[3].readable || ready[3].closed))
        PALE_CHECK(request_.neighbour->hear());
      while (const auto signal = sys::next_signal(signals)) pass_on(*signal);
      if (ready[0].readable || shared_.ended) return finish();
      if (deadline_ && sys::monotonic_ms() >= *deadline_) out_of_time();
    }
  }

 private:
  int neighbours() const {
    return request_.neighbour != nullptr && request_.neighbour->line().is_open() ? request_.neighbour->line().borrow()
                                                                                 : -1;
  }

  std::int64_t time_left() const {
    if (!deadline_) return sys::kForever;
    return std::max<std::int64_t>(0, *deadline_ - sys::monotonic_ms());
  }

  Status take_news(bool readable) {
    char byte = 0;
    if (!readable || sys::call(SYS_read, news_.borrow(), &byte, 1) != 1) {
      news_open_ = false;
      return {};
    }
    if (std::exchange(shared_.stopped, false) && terminal_ != TerminalUse::None) stop_too();
    return write_receipt();
  }

  Status write_receipt() {
    if (request_.receipt_path.empty() || receipt_written_ || !shared_.observed.complete) return {};
    receipt_written_ = true;
    const std::string& path = request_.receipt_path;
    const std::string text = receipt_json(request_.boundary, request_.plan, shared_.observed, limits_.guards);
    auto written = sys::replace_file(path, text, 0644, sys::Durability::OfProcess);
    if (written) return written;
    return fail(std::move(written).error().with_hint("df " + shell_word(path.substr(0, path.rfind('/') + 1))));
  }

  void pass_on(const sys::SignalInfo& signal) {
    const bool stop = signal.number == SIGTSTP || signal.number == SIGTTIN || signal.number == SIGTTOU;
    if (terminal_ == TerminalUse::None && signal.from_kernel) {
      // The command is in the same process group and has got it too.
      if (stop) (void)sys::send_signal(sys::process_id(), SIGSTOP);
      return;
    }
    (void)sys::send_signal(init_.pidfd, signal.number);
  }

  // The command was stopped (Ctrl-Z): take the terminal back, stop, and hand it over again when the user's shell goes on.
  // In the background the terminal is the shell's, or that of another of its jobs, and so are its modes: both stay there.
  void stop_too() {
    const sys::Pid own = sys::process_group();
    if (command_has_terminal_) {
      command_modes_ = sys::terminal_modes(0);
      (void)sys::give_terminal(0, own);
    }
    (void)sys::send_signal(sys::process_id(), SIGSTOP);
    command_has_terminal_ = sys::foreground_of(0) == own;
    if (command_has_terminal_) {
      if (!modes_) modes_ = sys::terminal_modes(0);  // Later ones may be what the shell kept of the command's own.
      if (command_modes_) sys::set_terminal_modes(0, *command_modes_);
      shared_.give_terminal = true;
    }
    (void)sys::send_signal(init_.pidfd, SIGCONT);
  }

  void out_of_time() {
    if (ending_ == Ending::TimedOut) {
      (void)sys::send_signal(init_.pidfd, SIGKILL);
      deadline_.reset();
      return;
    }
    ending_ = Ending::TimedOut;
    (void)sys::send_signal(init_.pidfd, SIGTERM);
    deadline_ = sys::monotonic_ms() + kGraceMs;
  }

  Result<Ending> finish() {
    if (command_has_terminal_) {
      // If the group that has it is gone, it was the command's.
      const auto holder = sys::foreground_of(0);
      if (holder && !sys::send_signal(-*holder, 0)) (void)sys::give_terminal(0, sys::process_group());
      const bool clean = shared_.ended && sys::exit_code_of(shared_.status) < 128;
      if (modes_ && !clean) sys::set_terminal_modes(0, *modes_);
    }
    PALE_CHECK(write_receipt());
    return ending_;
  }

  const SandboxRequest& request_;
  const LimitPlan& limits_;
  Shared& shared_;
  const sys::Child& init_;
  const sys::Fd& news_;
  TerminalUse terminal_;
  bool command_has_terminal_ = terminal_ == TerminalUse::Foreground;
  std::optional<sys::TerminalModes> modes_;          // when the command first got the terminal
  std::optional<sys::TerminalModes> command_modes_;  // when it last had to give it back
  std::optional<std::int64_t> deadline_;
  bool news_open_ = true;
  bool receipt_written_ = false;
  Ending ending_ = Ending::Exited;
};

}  // namespace

Result<Ending> supervise(Outside& outside, const sys::Fd& news, TerminalUse terminal) {
  return Supervisor(outside, news, terminal).run();
}

}  // namespace pale::sandbox
