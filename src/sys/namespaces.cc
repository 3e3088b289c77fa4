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

// What both processes see. The errand must not allocate: the memory is shared, the allocator knows nothing of it.
struct Common {
  std::atomic<std::uint32_t> made;
  std::atomic<std::uint32_t> entered;
  long namespaces;
  int error;
  alignas(64) char stack[kStack];
};
constinit Common common = {};  // Nothing is to run for it at every start.

bool makes_network() noexcept { return (common.namespaces & CLONE_NEWNET) != 0; }
const char* making() noexcept {
  return makes_network() ? "make the ipc and network namespaces" : "make the ipc namespace";
}
const char* entering() noexcept {
  return makes_network() ? "enter the ipc and network namespaces" : "enter the ipc namespace";
}

int run_errand(void*) {
  const long result = call(SYS_unshare, common.namespaces);
  common.error = failed(result) ? static_cast<int>(-result) : 0;
  set_and_wake(common.made);
  wait_until_set(common.entered);  // The namespaces of a process that is gone cannot be entered.
  return 0;
}

}  // namespace

Result<NamespaceErrand> NamespaceErrand::start(Network network) {
  common.namespaces = CLONE_NEWIPC | (network == Network::Own ? CLONE_NEWNET : 0);
  int pidfd = -1;
  const int pid =
      ::clone(run_errand, common.stack + kStack, CLONE_VM | CLONE_FILES | CLONE_PIDFD | SIGCHLD, nullptr, &pidfd);
  if (pid < 0) return fail_errno(EAGAIN, "start a process", "");
  return NamespaceErrand(Fd(pidfd));
}

Status NamespaceErrand::enter() {
  while (!wait_until_set(common.made, kPatienceMs)) {
    Ready ended = {process_.borrow()};
    PALE_CHECK(wait_ready({&ended, 1}, 0));
    if (ended.readable) return fail_errno(EINTR, making(), "");
  }
  if (common.error != 0) return fail_errno(common.error, making(), "");
  const long result = call(SYS_setns, process_.borrow(), common.namespaces);
  set_and_wake(common.entered);
  if (failed(result)) return fail_errno(static_cast<int>(-result), entering(), "");
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
