// sys/event.h: waiting for signals, descriptors and time, in one place and without signal handlers.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>

#include "base/error.h"
#include "sys/fd.h"
#include "sys/process.h"

namespace pale::sys {

using SignalSet = std::uint64_t;
constexpr SignalSet signal_bit(int signal) { return SignalSet{1} << static_cast<unsigned>(signal - 1); }
inline constexpr SignalSet kAllSignals = ~SignalSet{0};

// Blocks exactly these; returns what was blocked before.
SignalSet block_signals(SignalSet signals) noexcept;
Result<Fd> open_signals(SignalSet signals);

struct SignalInfo {
  int number = 0;
  bool from_kernel = false;  // a terminal, a timer: the whole process group got it
  int descriptor = -1;       // of a directory notification
};
// SIGTERM, SIGINT, SIGHUP or SIGQUIT.
bool asks_to_end(const SignalInfo& signal) noexcept;
std::optional<SignalInfo> next_signal(const Fd& signals) noexcept;

enum class Wish {
  Read,
  Write,
  End,  // only to hear that the other side is gone
};
struct Ready {
  int descriptor = -1;
  bool readable = false;
  bool closed = false;
  Wish wish = Wish::Read;
  bool writable = false;
};
inline constexpr std::size_t kMostReady = 512;
inline constexpr std::int64_t kForever = -1;
// Sleeps until one of the descriptors has something, or the milliseconds are over.
Status wait_ready(std::span<Ready> descriptors, std::int64_t milliseconds);

// Gives up the processor for a moment: whoever was just woken need not wait for what can wait.
void let_others_run() noexcept;
// Stays awake for a moment if nothing is there to be read yet, and lets others have the processor: what comes within some
// microseconds is had sooner than a processor that sleeps is woken.
void linger_for(int descriptor) noexcept;

struct Pipe {
  Fd read_end;
  Fd write_end;
};
Result<Pipe> open_pipe();
// Reading and writing it no longer wait.
Status set_nonblocking(const Fd& fd);

// A queued signal each time a name appears in, or leaves, the directory. No inotify: an account has only 128 of those, and
// one is needed for each sandbox.
Status notify_of_changes(const Fd& directory, int signal);
// Whether this kernel would: nothing is asked for.
Status check_notification();
inline constexpr int kDirectorySignal = 36;  // SIGRTMIN + 2: nobody's in this process

std::int64_t monotonic_ms() noexcept;
// That this process has had of a processor.
std::int64_t cpu_time_ns() noexcept;
// As the kernel counts when a process started.
std::uint64_t ticks_since_boot() noexcept;
std::int64_t wall_clock_ns() noexcept;
std::int64_t wall_clock_seconds() noexcept;

}  // namespace pale::sys
