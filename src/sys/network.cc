#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "sys/process.h"

namespace pale::sys {

struct NetworkErrand::Shared {
  long descriptor = -1;  // of the namespace
};

namespace {

int fail_with(long result) { return static_cast<int>(-result); }

}  // namespace

Result<NetworkErrand> NetworkErrand::start() {
  auto* shared = new Shared;
  const auto make_network = [](void* argument) {
    long result = call(SYS_unshare, CLONE_NEWNET);
    if (failed(result)) return fail_with(result);
    const long socket = call(SYS_socket, AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (failed(socket)) return fail_with(socket);
    struct ifreq request = {};
    std::memcpy(request.ifr_name, "lo", 3);
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    result = call(SYS_ioctl, socket, SIOCSIFFLAGS, &request);
    if (failed(result)) return fail_with(result);
    const long descriptor = call(SYS_ioctl, socket, SIOCGSKNS);  // close-on-exec from birth
    (void)call(SYS_close, socket);
    static_cast<Shared*>(argument)->descriptor = descriptor;
    return failed(descriptor) ? fail_with(descriptor) : 0;
  };
  PALE_TRY(errand, Errand::start(make_network, shared));
  return NetworkErrand(shared, errand);
}

Status NetworkErrand::enter() {
  PALE_CHECK(errand_.finish("make a network namespace"));
  const Fd network(shared_->descriptor);
  delete shared_;
  const long result = call(SYS_setns, network.borrow(), CLONE_NEWNET);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "enter the network namespace", "");
  return {};
}

}  // namespace pale::sys
