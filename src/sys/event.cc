#include "sys/event.h"

#include <fcntl.h>
#include <linux/time_types.h>
#include <poll.h>
#include <sys/signalfd.h>

#include <cerrno>
#include <csignal>
#include <ctime>

#include "sys/file.h"

namespace pale::sys {
namespace {

constexpr std::size_t kSignalSetSize = 8;
constexpr const char* kWatching = "watch a directory";

std::int64_t clock_ns(int clock) noexcept {
  struct __kernel_timespec now = {};
  (void)call(SYS_clock_gettime, clock, &now);
  return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

short events_for(Wish wish) {
  if (wish == Wish::End) return 0;
  return wish == Wish::Write ? POLLOUT : POLLIN;
}

}  // namespace

SignalSet block_signals(SignalSet signals) noexcept {
  SignalSet before = 0;
  (void)call(SYS_rt_sigprocmask, SIG_SETMASK, &signals, &before, kSignalSetSize);
  return before;
}

Result<Fd> open_signals(SignalSet signals) {
  const long fd = call(SYS_signalfd4, -1, &signals, kSignalSetSize, SFD_CLOEXEC | SFD_NONBLOCK);
  if (failed(fd)) return fail_errno(static_cast<int>(-fd), "listen for signals", "");
  return Fd(fd);
}

std::optional<SignalInfo> next_signal(const Fd& signals) noexcept {
  struct signalfd_siginfo raw = {};
  if (call(SYS_read, signals.borrow(), &raw, sizeof raw) != static_cast<long>(sizeof raw)) return std::nullopt;
  SignalInfo info;
  info.number = static_cast<int>(raw.ssi_signo);
  info.from_kernel = raw.ssi_code == SI_KERNEL;
  info.descriptor = raw.ssi_fd;
  return info;
}

bool asks_to_end(const SignalInfo& signal) noexcept {
  return signal.number == SIGTERM || signal.number == SIGINT || signal.number == SIGHUP || signal.number == SIGQUIT;
}

Status wait_ready(std::span<Ready> descriptors, std::int64_t milliseconds) {
  std::array<struct pollfd, kMostReady> polled;
  if (descriptors.size() > polled.size()) return fail_errno(EINVAL, "wait", "for so many");
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    polled[i] = {descriptors[i].descriptor, events_for(descriptors[i].wish), 0};
  }
  struct __kernel_timespec timeout = {milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  const long result =
      call(SYS_ppoll, polled.data(), descriptors.size(), milliseconds < 0 ? nullptr : &timeout, nullptr, 0);
  if (failed(result) && result != -EINTR) return fail_errno(static_cast<int>(-result), "wait", "");
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    descriptors[i].readable = result > 0 && (polled[i].revents & POLLIN) != 0;
    descriptors[i].writable = result > 0 && (polled[i].revents & POLLOUT) != 0;
    descriptors[i].closed = result > 0 && (polled[i].revents & (POLLHUP | POLLERR)) != 0;
  }
  return {};
}

void let_others_run() noexcept { (void)call(SYS_sched_yield); }

void linger_for(int descriptor) noexcept {
  constexpr int kLooks = 40;
  struct pollfd polled = {descriptor, POLLIN, 0};
  for (int look = 0; look < kLooks; ++look) {
    struct __kernel_timespec at_once = {};
    if (call(SYS_ppoll, &polled, 1, &at_once, nullptr, 0) != 0) return;
    let_others_run();
  }
}

Result<Pipe> open_pipe() {
  int ends[2] = {-1, -1};
  const long result = call(SYS_pipe2, ends, O_CLOEXEC);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "make a pipe", "");
  return Pipe{Fd(ends[0]), Fd(ends[1])};
}

Status set_nonblocking(const Fd& fd) {
  const long flags = call(SYS_fcntl, fd.borrow(), F_GETFL);
  const long result = failed(flags) ? flags : call(SYS_fcntl, fd.borrow(), F_SETFL, flags | O_NONBLOCK);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "change a descriptor", "");
  return {};
}

Status check_notification() {
  const Fd root(call(SYS_openat, kAbsolute, "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const long result = call(SYS_fcntl, root.borrow(), F_NOTIFY, 0);
  return failed(result) ? Status(fail_errno(static_cast<int>(-result), kWatching, "")) : Status();
}

Status notify_of_changes(const Fd& directory, int signal) {
  long result = call(SYS_fcntl, directory.borrow(), F_SETSIG, signal);
  if (!failed(result)) {
    result = call(SYS_fcntl, directory.borrow(), F_NOTIFY, DN_CREATE | DN_RENAME | DN_DELETE | DN_MULTISHOT);
  }
  if (failed(result)) return fail_errno(static_cast<int>(-result), kWatching, "");
  return {};
}

std::int64_t monotonic_ms() noexcept { return clock_ns(CLOCK_MONOTONIC) / 1'000'000; }
std::uint64_t ticks_since_boot() noexcept {
  constexpr std::int64_t kTickNs = 10'000'000;  // a hundred a second for every program, whatever the kernel's own are
  return static_cast<std::uint64_t>(clock_ns(CLOCK_BOOTTIME) / kTickNs);
}

std::int64_t cpu_time_ns() noexcept { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }

std::int64_t wall_clock_ns() noexcept { return clock_ns(CLOCK_REALTIME); }

std::int64_t wall_clock_seconds() noexcept { return wall_clock_ns() / 1'000'000'000; }

}  // namespace pale::sys
