#include "sandbox/launch.h"

#include "sandbox/supervise.h"
#include "sys/terminal.h"

namespace pale::sandbox {
namespace {

// Only a program that has both ends of the terminal is given it: in a pipeline the others of the group need it too.
TerminalUse terminal_use() {
  if (!sys::is_terminal(0) || !sys::is_terminal(1)) return TerminalUse::None;
  const auto foreground = sys::foreground_of(0);
  if (!foreground) return TerminalUse::None;
  return *foreground == sys::process_group() ? TerminalUse::Foreground : TerminalUse::Background;
}

Result<RunResult> run_to_the_end(Outside& outside, const Command& command, sys::SignalSet caller_signals) {
  const TerminalUse terminal = terminal_use();
  PALE_TRY(pipe, sys::open_pipe());
  PALE_CHECK(outside.start(&command, terminal, caller_signals, std::move(pipe.write_end), pipe.read_end));
  const auto ending = supervise(outside, pipe.read_end, terminal);
  if (!ending) outside.take_apart();  // Nobody waits for it any more.
  return outside.conclude(ending);
}

}  // namespace

Result<RunResult> run(const SandboxRequest& request, const Command& command) {
  PALE_TRY(outside, Outside::make(request));
  const sys::SignalSet caller_signals = sys::block_signals(sys::kAllSignals);
  auto result = run_to_the_end(outside, command, caller_signals);
  outside.take_apart();
  (void)sys::block_signals(caller_signals);
  return result;
}

}  // namespace pale::sandbox
