#include "sys/seccomp.h"

#include <asm/ioctl.h>
#include <sys/uio.h>

#include <cerrno>
#include <cstring>

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

namespace pale::sys {
namespace {

constexpr std::uint64_t kPage = 4096;

long install(const sock_fprog& program, unsigned long flags) noexcept {
  return call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
}

void answer(const Fd& listener, seccomp_notif_resp response) noexcept {
  // A failure means the caller is gone, and with it the question.
  (void)call(SYS_ioctl, listener.borrow(), SECCOMP_IOCTL_NOTIF_SEND, &response);
}

}  // namespace

Result<Fd> install_filter(std::span<const sock_filter> program, Listener listener) {
  const sock_fprog filter = {static_cast<unsigned short>(program.size()), const_cast<sock_filter*>(program.data())};
  long result = 0;
  if (listener == Listener::Wanted) {
    // Once a call is being decided only a fatal signal ends the wait; else signals would make calls restart for ever.
    result = install(filter, SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
    if (result == -EINVAL) result = install(filter, SECCOMP_FILTER_FLAG_NEW_LISTENER);  // before Linux 5.19
  } else {
    result = install(filter, 0);
  }
  if (failed(result)) return fail_errno(static_cast<int>(-result), "install the system call filter", "");
  return Fd(listener == Listener::Wanted ? result : -1);
}

void speed_up_listener(const Fd& listener) noexcept {
  (void)call(SYS_ioctl, listener.borrow(), SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
}

Result<std::optional<Notification>> receive(const Fd& listener) {
  struct seccomp_notif raw = {};
  const long result = call(SYS_ioctl, listener.borrow(), SECCOMP_IOCTL_NOTIF_RECV, &raw);
  if (result == -ENOENT || result == -EINTR) return std::nullopt;
  if (failed(result)) return fail_errno(static_cast<int>(-result), "receive a notification", "");
  Notification notification;
  notification.id = raw.id;
  notification.thread = static_cast<Pid>(raw.pid);
  notification.number = raw.data.nr;
  for (std::size_t i = 0; i < notification.arguments.size(); ++i) notification.arguments[i] = raw.data.args[i];
  return notification;
}

bool still_waiting(const Fd& listener, const Notification& notification) noexcept {
  std::uint64_t id = notification.id;
  return !failed(call(SYS_ioctl, listener.borrow(), SECCOMP_IOCTL_NOTIF_ID_VALID, &id));
}

void answer_continue(const Fd& listener, const Notification& notification) noexcept {
  answer(listener, {notification.id, 0, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE});
}

void answer_error(const Fd& listener, const Notification& notification, int number) noexcept {
  answer(listener, {notification.id, 0, -number, 0});
}

bool read_bytes(Pid process, std::uint64_t address, void* buffer, std::size_t size) noexcept {
  const struct iovec local = {buffer, size};
  const struct iovec remote = {reinterpret_cast<void*>(address), size};
  return call(SYS_process_vm_readv, process, &local, 1, &remote, 1, 0) == static_cast<long>(size);
}

std::optional<std::string> read_text(Pid process, std::uint64_t address, std::size_t most) {
  // Page by page: what lies behind the text's page may not be mapped.
  std::string text;
  std::array<char, kPage> buffer;
  while (text.size() < most) {
    const std::size_t chunk = kPage - address % kPage;
    if (!read_bytes(process, address, buffer.data(), chunk)) return std::nullopt;
    const void* end = std::memchr(buffer.data(), 0, chunk);
    if (end != nullptr)
      return text.append(buffer.data(), static_cast<std::size_t>(static_cast<const char*>(end) - buffer.data()));
    text.append(buffer.data(), chunk);
    address += chunk;
  }
  return std::nullopt;
}

}  // namespace pale::sys
