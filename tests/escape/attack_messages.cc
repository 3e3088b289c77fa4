// Attacks on other processes of the user: their sockets, shared memory, queues, limits and keys.
#include <fcntl.h>
#include <linux/keyctl.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>

#include "escape/attack.h"

namespace pale::attack {
namespace {

struct Address {
  sockaddr_un value = {};
  socklen_t size = 0;
  const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&value); }
};

// "@name" is in the abstract namespace.
Address address_of(const std::string& name) {
  Address address;
  address.value.sun_family = AF_UNIX;
  if (name.size() >= sizeof address.value.sun_path) fail("too long for a socket: " + name);
  std::memcpy(address.value.sun_path, name.data(), name.size());
  if (name.starts_with('@')) address.value.sun_path[0] = '\0';
  address.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  return address;
}

// connect NAME…
int connect_all(const Words& words) {
  for (const std::string& name : words) {
    const Address address = address_of(name);
    for (const int type : {SOCK_STREAM, SOCK_SEQPACKET, SOCK_DGRAM}) {
      const int fd = socket(AF_UNIX, type, 0);
      say("connect " + name, fd < 0 ? fd : connect(fd, address.get(), address.size));
      close(fd);
    }
  }
  return 0;
}

void send_to(int fd, const std::string& name) {
  Address address = address_of(name);
  say("sendto " + name, sendto(fd, "hacked", 6, MSG_DONTWAIT, address.get(), address.size));
  iovec part = {const_cast<char*>("hacked"), 6};
  mmsghdr message = {};
  message.msg_hdr.msg_name = &address.value;
  message.msg_hdr.msg_namelen = address.size;
  message.msg_hdr.msg_iov = &part;
  message.msg_hdr.msg_iovlen = 1;
  say("sendmsg " + name, sendmsg(fd, &message.msg_hdr, MSG_DONTWAIT));
  say("sendmmsg " + name, sendmmsg(fd, &message, 1, MSG_DONTWAIT));
}

// Whatever can send a datagram to somebody who is no peer of it; -1 for each that cannot be had.
std::vector<int> datagram_sockets() {
  std::vector<int> sockets = {socket(AF_UNIX, SOCK_DGRAM, 0)};
  for (const long type :
       {0L + SOCK_DGRAM, 0L + SOCK_RAW, 0L + SOCK_DGRAM + SOCK_CLOEXEC + SOCK_NONBLOCK, SOCK_DGRAM + (1L << 32U)}) {
    int ends[2] = {-1, -1};
    syscall(SYS_socketpair, AF_UNIX, type, 0, ends);
    sockets.push_back(ends[0]);
  }
  return sockets;
}

// send NAME…: datagrams, without a connection.
int send_all(const Words& words) {
  for (const int fd : datagram_sockets()) {
    for (const std::string& name : words) send_to(fd, name);
  }
  return 0;
}

// shared-memory KEY: what another process keeps under that key, or under any key.
int shared_memory(const Words& words) {
  const key_t key = static_cast<key_t>(std::stol(words.at(0)));
  say("shmget", shmget(key, 0, 0));
  say("msgget", msgget(key, 0));
  say("semget", semget(key, 0, 0));
  long found = 0;
  for (int id = 0; id < 1000; ++id) {
    struct shmid_ds info = {};
    if (shmctl(id, SHM_STAT, &info) >= 0 || shmat(id, nullptr, SHM_RDONLY) != reinterpret_cast<void*>(-1)) ++found;
  }
  errno = ENOENT;
  say("any-segment", found > 0 ? 0 : -1);
  // One of our own under the same key: the host must not see it.
  say("own-segment", shmget(key, 4096, IPC_CREAT | IPC_EXCL | 0666));
  return 0;
}

// queue NAME
int queue(const Words& words) {
  say("mq_open", mq_open(words.at(0).c_str(), O_RDWR));
  say("own-queue", mq_open(words[0].c_str(), O_RDWR | O_CREAT | O_EXCL, 0666, nullptr));
  return 0;
}

// neighbours PID FILE: limits and priorities of another process, and the flags of a file, by its name alone.
int neighbours(const Words& words) {
  const pid_t pid = static_cast<pid_t>(std::stol(words.at(0)));
  constexpr unsigned long kHigh = 1UL << 32U;
  constexpr int kIdle = 3 << 13, kProcess = 1, kGroup = 2;
  const rlimit none = {0, 0};
  say("prlimit", prlimit(pid, RLIMIT_CORE, &none, nullptr));
  say("prlimit-high", syscall(SYS_prlimit64, static_cast<unsigned long>(pid) | kHigh, RLIMIT_CORE, &none, nullptr));
  say("setpriority", setpriority(PRIO_PROCESS, static_cast<id_t>(pid), 19));
  say("setpriority-group", setpriority(PRIO_PGRP, static_cast<id_t>(pid), 19));
  say("ioprio_set", syscall(SYS_ioprio_set, kProcess, pid, kIdle));
  say("ioprio_set-group", syscall(SYS_ioprio_set, kGroup, pid, kIdle));
  constexpr long kSetFlags = 469;  // file_setattr
  const unsigned long no_dump[3] = {0x80, 0, 0};
  say("file_setattr", syscall(kSetFlags, AT_FDCWD, words.at(1).c_str(), no_dump, sizeof no_dump, 0));
  return 0;
}

// keys DESCRIPTION
int keys(const Words& words) {
  const char* name = words.at(0).c_str();
  char value[256] = {};
  say("request_key", syscall(SYS_request_key, "user", name, nullptr, 0));
  say("search-session", syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_SESSION_KEYRING, "user", name, 0));
  say("search-user", syscall(SYS_keyctl, KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, "user", name, 0));
  say("read-session", syscall(SYS_keyctl, KEYCTL_READ, KEY_SPEC_SESSION_KEYRING, value, sizeof value, 0));
  say("read-user", syscall(SYS_keyctl, KEYCTL_READ, KEY_SPEC_USER_KEYRING, value, sizeof value, 0));
  say("describe", syscall(SYS_keyctl, KEYCTL_DESCRIBE, KEY_SPEC_SESSION_KEYRING, value, sizeof value, 0));
  say("add_key", syscall(SYS_add_key, "user", "hacked", "x", 1, KEY_SPEC_USER_KEYRING));
  say("revoke", syscall(SYS_keyctl, KEYCTL_REVOKE, KEY_SPEC_SESSION_KEYRING, 0, 0, 0));
  say("join", syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, "hacked", 0, 0, 0));
  return 0;
}

}  // namespace

std::vector<Attack> message_attacks() {
  return {{"connect", connect_all}, {"send", send_all},         {"shared-memory", shared_memory},
          {"queue", queue},         {"neighbours", neighbours}, {"keys", keys}};
}

}  // namespace pale::attack
