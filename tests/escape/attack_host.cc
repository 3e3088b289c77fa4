// Run on the host, as what a user's machine may be like: a kernel without some call, a session with keys.
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "escape/attack.h"

namespace pale::attack {
namespace {

constexpr int kKeySeconds = 30;  // then the host forgets it

[[noreturn]] void execute(const Words& words, std::size_t first) {
  std::vector<char*> argv;
  for (std::size_t at = first; at < words.size(); ++at) argv.push_back(const_cast<char*>(words[at].c_str()));
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  fail("exec");
}

sock_filter load(std::size_t offset) { return BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)); }

// without CALL ARGUMENT MASK VALUE ERRNO PROGRAM…: a kernel on which the call fails if (argument & mask) == value.
int without(const Words& words) {
  std::uint32_t numbers[5] = {};
  std::ranges::transform(words.begin(), words.begin() + 5, numbers, [](const std::string& word) {
    return static_cast<std::uint32_t>(std::stoul(word, nullptr, 0));
  });
  const auto [call, argument, mask, value, number] = numbers;
  sock_filter program[] = {
      load(offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 4),
      load(offsetof(seccomp_data, args) + 8UL * argument),
      BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | number),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog filter = {std::size(program), program};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) fail("no_new_privs");
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0) fail("seccomp");
  execute(words, 5);
}

// with-key DESCRIPTION VALUE PROGRAM…: a session that holds a key.
int with_key(const Words& words) {
  if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr, 0, 0, 0) < 0) fail("join session keyring");
  if (syscall(SYS_keyctl, KEYCTL_LINK, KEY_SPEC_USER_KEYRING, KEY_SPEC_SESSION_KEYRING, 0, 0) < 0)
    fail("link user keyring");
  const std::string& value = words.at(1);
  for (const int ring : {KEY_SPEC_SESSION_KEYRING, KEY_SPEC_USER_KEYRING}) {
    const long key = syscall(SYS_add_key, "user", words.at(0).c_str(), value.data(), value.size(), ring);
    if (key < 0 || syscall(SYS_keyctl, KEYCTL_SET_TIMEOUT, key, kKeySeconds, 0, 0) < 0) fail("add key");
  }
  execute(words, 2);
}

}  // namespace

std::vector<Attack> host_preparations() { return {{"without", without}, {"with-key", with_key}}; }

}  // namespace pale::attack
