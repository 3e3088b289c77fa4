#include "sys/namespaces.h"

#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "sys/event.h"

namespace pale::sys {
namespace {

constexpr std::size_t kStack = 16UL << 10U;
constexpr std::int64_t kPatienceMs = 50;
constexpr const char* kMaking = "make the network namespace";

// What both processes see. The errand must not allocate: the memory is shared, the allocator knows nothing of it.
struct Common {
  std::atomic<std::uint32_t> made;
  std::atomic<std::uint32_t> entered;
  int error;
  alignas(64) char stack[kStack];
};
constinit Common common = {};  // Nothing is to run for it at every start.

int run_errand(void*) {
  const long result = call(SYS_unshare, CLONE_NEWNET);
  common.error = failed(result) ? static_cast<int>(-result) : 0;
  set_and_wake(common.made);
  wait_until_set(common.entered);  // The namespace of a process that is gone cannot be entered.
  return 0;
}

}  // namespace

Result<NetworkErrand> NetworkErrand::start() {
  int pidfd = -1;
  const int pid =
      ::clone(run_errand, common.stack + kStack, CLONE_VM | CLONE_FILES | CLONE_PIDFD | SIGCHLD, nullptr, &pidfd);
  if (pid < 0) return fail_errno(EAGAIN, "start a process", "");
  return NetworkErrand(Fd(pidfd));
}

Status NetworkErrand::enter() {
  while (!wait_until_set(common.made, kPatienceMs)) {
    Ready ended = {process_.borrow()};
    PALE_CHECK(wait_ready({&ended, 1}, 0));
    if (ended.readable) return fail_errno(EINTR, kMaking, "");
  }
  if (common.error != 0) return fail_errno(common.error, kMaking, "");
  const long result = call(SYS_setns, process_.borrow(), CLONE_NEWNET);
  set_and_wake(common.entered);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "enter the network namespace", "");
  return {};
}

Status make_ipc_namespace() {
  const long result = call(SYS_unshare, CLONE_NEWIPC);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "make the ipc namespace", "");
  return {};
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
