#include "sys/terminal.h"

#include <asm/ioctls.h>
#include <asm/termbits.h>

namespace pale::sys {

static_assert(sizeof(struct termios) <= sizeof(TerminalModes));

namespace {

struct WindowSize {  // struct winsize
  unsigned short rows, columns, x_pixels, y_pixels;
};

}  // namespace

bool is_terminal(int fd) noexcept { return terminal_modes(fd).has_value(); }

bool is_raw(int fd) noexcept {
  struct termios modes = {};
  return !failed(call(SYS_ioctl, fd, TCGETS, &modes)) && (modes.c_lflag & ICANON) == 0;
}

std::optional<Pid> foreground_of(int terminal) noexcept {
  Pid group = 0;
  if (failed(call(SYS_ioctl, terminal, TIOCGPGRP, &group))) return std::nullopt;
  return group;
}

Status give_terminal(int terminal, Pid process_group) {
  const long result = call(SYS_ioctl, terminal, TIOCSPGRP, &process_group);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "hand over the terminal", "");
  return {};
}

Pid process_group() noexcept { return static_cast<Pid>(call(SYS_getpgid, 0)); }

void forget_input(int terminal) noexcept { (void)call(SYS_ioctl, terminal, TCFLSH, TCIFLUSH); }

unsigned terminal_columns(int terminal) noexcept {
  WindowSize size = {};
  if (failed(call(SYS_ioctl, terminal, TIOCGWINSZ, &size)) || size.columns == 0) return 80;
  return size.columns;
}

std::optional<TerminalModes> terminal_modes(int terminal) noexcept {
  TerminalModes modes = {};
  if (failed(call(SYS_ioctl, terminal, TCGETS, modes.bytes.data()))) return std::nullopt;
  return modes;
}

void set_terminal_modes(int terminal, const TerminalModes& modes) noexcept {
  (void)call(SYS_ioctl, terminal, TCSETSW, modes.bytes.data());
}

}  // namespace pale::sys
