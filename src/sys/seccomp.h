// sys/seccomp.h: installing a filter, and answering the calls it asks about.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "sys/fd.h"
#include "sys/process.h"

namespace pale::sys {

enum class Listener { None, Wanted };

// Installs the filter for this thread and its children. The descriptor is the listener's, or closed if none is wanted.
Result<Fd> install_filter(std::span<const sock_filter> program, Listener listener);

// Cheaper hand-overs between the two sides (Linux 6.6); an older kernel does without.
void speed_up_listener(const Fd& listener) noexcept;

// A call that waits for an answer: its thread is asleep until then, or dead.
struct Notification {
  std::uint64_t id = 0;
  Pid thread = 0;  // as this process's pid namespace numbers it
  int number = 0;
  std::array<std::uint64_t, 6> arguments = {};
};

// The next one; nothing if the caller died meanwhile.
Result<std::optional<Notification>> receive(const Fd& listener);
bool still_waiting(const Fd& listener, const Notification& notification) noexcept;
// Lets the kernel do the call, or makes it fail with an errno.
void answer_continue(const Fd& listener, const Notification& notification) noexcept;
void answer_error(const Fd& listener, const Notification& notification, int number) noexcept;

// A NUL-terminated text, or some bytes, in another process's memory.
std::optional<std::string> read_text(Pid process, std::uint64_t address, std::size_t most);
bool read_bytes(Pid process, std::uint64_t address, void* buffer, std::size_t size) noexcept;

}  // namespace pale::sys
