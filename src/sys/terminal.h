// sys/terminal.h: who has the terminal.
#pragma once

#include <array>
#include <optional>

#include "base/error.h"
#include "sys/process.h"

namespace pale::sys {

bool is_terminal(int fd) noexcept;
// Some program has it for itself: keys come one by one, as an editor wants them, or a shell that waits for a command.
bool is_raw(int fd) noexcept;
// The process group that has it, or nothing if it is not this session's terminal.
std::optional<Pid> foreground_of(int terminal) noexcept;
// Works from the background too, as a shell does it: the caller must have SIGTTOU blocked.
Status give_terminal(int terminal, Pid process_group);
Pid process_group() noexcept;
// What was typed and nobody has read.
void forget_input(int terminal) noexcept;
unsigned terminal_columns(int terminal) noexcept;  // 80 where it does not say

// Line discipline and modes, to be put back when a program died in raw mode.
struct TerminalModes {
  std::array<unsigned char, 64> bytes;  // struct termios of the kernel
};
std::optional<TerminalModes> terminal_modes(int terminal) noexcept;
void set_terminal_modes(int terminal, const TerminalModes& modes) noexcept;

}  // namespace pale::sys
