#include "sys/namespaces.h"

#include <fcntl.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "sys/event.h"

namespace pale::sys {
namespace {

constexpr std::size_t kStack = 16UL << 10U;
constexpr std::size_t kMap = 32;
constexpr std::int64_t kPatienceMs = 50;
constexpr std::size_t kCallDepth = 16UL << 10U;  // more than `fork` and what it calls need

// What both processes see. The vanguard must not allocate: the memory is shared, the allocator knows nothing of it.
struct Common {
  std::atomic<std::uint32_t> ordered;
  std::atomic<std::uint32_t> answered;
  bool leave;  // ordered to go, not to fork
  int flags;
  char user_map[kMap], group_map[kMap];
  Pid parent;
  std::uint64_t more_namespaces;
  int (*body)(void*);
  void* argument;
  char* body_stack;
  long pid;  // of the first process, or a negative errno
  int pidfd;
  alignas(64) char stack[kStack];
};
Common common;

long write_once(const char* path, std::string_view text) {
  const long fd = call(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
  if (failed(fd)) return fd;
  const long wrote = call(SYS_write, fd, text.data(), text.size());
  (void)call(SYS_close, fd);
  return wrote;
}

// This user is itself inside, and nobody else is anybody.
void put_map(char* map, unsigned id) {
  const std::string line = std::to_string(id) + " " + std::to_string(id) + " 1";
  std::memcpy(map, line.c_str(), line.size() + 1);
}

long go_ahead() {
  long result = call(SYS_unshare, common.flags);
  if (!failed(result)) result = write_once("/proc/self/setgroups", "deny");
  if (!failed(result)) result = write_once("/proc/self/gid_map", common.group_map);
  if (!failed(result)) result = write_once("/proc/self/uid_map", common.user_map);
  return result;
}

// On the stack of the process that waits, or rather on the copy's: below what it uses while it waits.
long fork_first() {
  const int flags = static_cast<int>(common.more_namespaces) | CLONE_PARENT | CLONE_PIDFD | SIGCHLD;
  const int pid = ::clone(common.body, common.body_stack, flags, common.argument, &common.pidfd);
  return pid < 0 ? -errno : pid;
}

int run_vanguard(void*) {
  (void)block_signals(kAllSignals);
  if (!die_with_parent() || parent_id() != common.parent) return 0;
  const long ahead = go_ahead();
  wait_until_set(common.ordered);
  if (common.leave) return 0;
  common.pid = failed(ahead) ? ahead : fork_first();
  set_and_wake(common.answered);
  return 0;
}

}  // namespace

Result<Vanguard> Vanguard::send(Network network, unsigned user, unsigned group) {
  common.ordered = 0;
  common.answered = 0;
  common.leave = false;
  common.flags = CLONE_NEWIPC | (network == Network::Own ? CLONE_NEWNET : 0);
  put_map(common.user_map, user);
  put_map(common.group_map, group);
  common.parent = process_id();
  int pidfd = -1;
  const int flags = CLONE_NEWUSER | CLONE_VM | CLONE_FILES | CLONE_PIDFD | SIGCHLD;
  const int pid = ::clone(run_vanguard, common.stack + kStack, flags, nullptr, &pidfd);
  if (pid < 0) return fail_errno(errno, "make a user namespace", "");
  return Vanguard(pid, Fd(pidfd));
}

Vanguard::Vanguard(Vanguard&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)), process_(std::move(other.process_)) {}

Vanguard::~Vanguard() {
  if (pid_ == 0) return;
  if (common.ordered.load() == 0) {
    common.leave = true;
    set_and_wake(common.ordered);
  }
  (void)wait_for(pid_);
}

Result<Child> Vanguard::fork(std::uint64_t more_namespaces, int (*body)(void*), void* argument) {
  common.more_namespaces = more_namespaces;
  common.body = body;
  common.argument = argument;
  common.body_stack = static_cast<char*>(__builtin_frame_address(0)) - kCallDepth;
  set_and_wake(common.ordered);
  while (!wait_until_set(common.answered, kPatienceMs)) {
    Ready ended = {process_.borrow()};
    PALE_CHECK(wait_ready({&ended, 1}, 0));
    if (ended.readable) return fail_errno(EINTR, "make the namespaces of a sandbox", "");
  }
  if (common.pid < 0) return fail_errno(static_cast<int>(-common.pid), "make the namespaces of a sandbox", "");
  return Child{static_cast<Pid>(common.pid), Fd(common.pidfd)};
}

Status raise_loopback() {
  const Fd socket(call(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  struct ifreq request = {};
  std::memcpy(request.ifr_name, "lo", 3);
  request.ifr_flags = IFF_UP | IFF_RUNNING;
  const long result = call(SYS_ioctl, socket.borrow(), SIOCSIFFLAGS, &request);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "raise the loopback interface", "");
  return {};
}

}  // namespace pale::sys
