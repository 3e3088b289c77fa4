#include "sys/process.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/time_types.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "sys/event.h"
#include "sys/file.h"

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace pale::sys {
namespace {

constexpr std::size_t kChildStack = 64UL << 10U;
constexpr std::uintptr_t kPage = 4096;
constexpr std::size_t kMostPath = 4096;
constexpr int kDeepestFamily = 1000;
constexpr int kMostDescriptors = 1 << 20;
constexpr int kWaitAll = 0x40000000;  // __WALL
constexpr unsigned long kSecureBits =
    1UL << 0U | 1UL << 1U | 1UL << 2U | 1UL << 3U;  // NOROOT, NO_SETUID_FIXUP, both locked
constexpr unsigned kCloseRangeCloexec = 4;

Status check(long result, const char* operation, const char* subject = "") {
  if (failed(result)) return fail_errno(static_cast<int>(-result), operation, subject);
  return {};
}

Status write_once(const char* path, const std::string& text) {
  PALE_TRY(fd, open_at(kAbsolute, path, O_WRONLY));
  auto done = write_all(fd.borrow(), text);
  if (!done) done.error().subject = path;
  return done;
}

std::uint64_t number_at(std::string_view text, std::size_t at) {
  std::uint64_t number = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
    number = number * 10 + static_cast<unsigned>(text[at] - '0');
  return number;
}

}  // namespace

Result<Child> fork_into(std::uint64_t namespaces) {
  int pidfd = -1;
  // Not clone3: inside another boundary of Pale's that one does not exist.
  const long pid = call(SYS_clone, namespaces | CLONE_PIDFD | SIGCHLD, nullptr, &pidfd);
  if (failed(pid)) return fail_errno(static_cast<int>(-pid), "start a process", "in new namespaces");
  return Child{static_cast<Pid>(pid), Fd(pid == 0 ? -1 : pidfd)};
}

Result<Pid> spawn_sharing_memory(int (*body)(void*), void* argument, Descriptors descriptors) {
  // This process sleeps while the child uses it, so there is never more than one.
  alignas(64) static char stack[kChildStack];
#ifdef __SANITIZE_ADDRESS__
  // The child before left it by an exec, without unwinding: what the sanitizer marked there is marked still.
  __asan_unpoison_memory_region(stack, kChildStack);
#endif
  const int flags = CLONE_VM | CLONE_VFORK | SIGCHLD | (descriptors == Descriptors::Shared ? CLONE_FILES : 0);
  const int pid = ::clone(body, stack + kChildStack, flags, argument);
  if (pid < 0) return fail_errno(EAGAIN, "start a process", "");
  return pid;
}

void exit_now(int code) noexcept {
  for (;;) (void)call(SYS_exit_group, code);
}

Result<WaitResult> wait_any(WaitMode mode) {
  for (;;) {
    int status = 0;
    const long pid = call(SYS_wait4, -1, &status, WUNTRACED | (mode == WaitMode::Poll ? WNOHANG : 0), nullptr);
    if (pid == -EINTR) continue;
    if (failed(pid)) return fail_errno(static_cast<int>(-pid), "wait", "");
    return WaitResult{static_cast<Pid>(pid), status};
  }
}

Result<int> wait_for(Pid pid) {
  for (;;) {
    int status = 0;
    const long got = call(SYS_wait4, pid, &status, 0, nullptr);
    if (got == -EINTR) continue;
    if (failed(got)) return fail_errno(static_cast<int>(-got), "wait", "");
    return status;
  }
}

Result<int> wait_for_end(Pid pid) {
  siginfo_t info = {};
  long result = -EINTR;
  while (result == -EINTR) result = call(SYS_waitid, P_PID, pid, &info, WEXITED | WNOWAIT, nullptr);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "wait", "");
  return info.si_code == CLD_EXITED ? info.si_status : 128 + info.si_status;
}

void end_pid_namespace() noexcept {
  // Everyone in it descends from its first process: without a child of that, nobody is left.
  if (call(SYS_wait4, -1, nullptr, WNOHANG | kWaitAll, nullptr) == -ECHILD) return;
  (void)call(SYS_kill, -1, SIGKILL);
  for (long pid = 0; pid != -ECHILD;) pid = call(SYS_wait4, -1, nullptr, kWaitAll, nullptr);
}

void end_descendants() noexcept {
  const std::string list = "/proc/self/task/" + std::to_string(call(SYS_gettid)) + "/children";
  // Killing a child brings its children up to us; a level each time, until nobody is left.
  for (int level = 0; level < kDeepestFamily; ++level) {
    const auto children = read_file(kAbsolute, list.c_str(), 1UL << 20U);
    if (!children || children->empty()) return;
    Pid pid = 0;
    for (const char c : *children) {
      if (c >= '0' && c <= '9') {
        pid = pid * 10 + (c - '0');
      } else if (pid != 0) {
        (void)call(SYS_kill, pid, SIGKILL);
        (void)call(SYS_wait4, pid, nullptr, 0, nullptr);
        pid = 0;
      }
    }
  }
}

bool has_exited(int status) noexcept { return WIFEXITED(status) || WIFSIGNALED(status); }
bool has_stopped(int status) noexcept { return WIFSTOPPED(status); }
int exit_code_of(int status) noexcept { return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status); }

Status send_signal(Pid pid, int signal) { return check(call(SYS_kill, pid, signal), "signal"); }
Status send_signal(const Fd& pidfd, int signal) {
  return check(call(SYS_pidfd_send_signal, pidfd.borrow(), signal, nullptr, 0), "signal");
}

Status kill_process(const Fd& pidfd) { return send_signal(pidfd, SIGKILL); }

Result<Fd> open_pidfd(Pid pid) {
  const long fd = call(SYS_pidfd_open, pid, 0);
  if (failed(fd)) return fail_errno(static_cast<int>(-fd), "open process", std::to_string(pid));
  return Fd(fd);
}

Pid process_id() noexcept { return static_cast<Pid>(call(SYS_getpid)); }
Pid parent_id() noexcept { return static_cast<Pid>(call(SYS_getppid)); }
bool may_signal(Pid pid) noexcept { return !failed(call(SYS_kill, pid, 0)); }
unsigned user_id() noexcept { return static_cast<unsigned>(call(SYS_geteuid)); }
unsigned group_id() noexcept { return static_cast<unsigned>(call(SYS_getegid)); }

std::optional<Lineage> lineage_of(Pid pid) {
  const std::string path = "/proc/" + std::to_string(pid) + "/stat";
  const auto text = read_file(kAbsolute, path.c_str(), 8192);
  if (!text) return std::nullopt;
  // The name, in parentheses, may hold anything. Behind it the first field is the state, the second the parent, and the 20th
  // when it started.
  std::size_t at = text->rfind(')');
  Lineage lineage;
  for (int field = 1; field <= 20; ++field) {
    if (at != std::string::npos) at = text->find(' ', at + 1);
    if (at == std::string::npos || at + 1 >= text->size()) return std::nullopt;
    if (field == 1) lineage.zombie = (*text)[at + 1] == 'Z' || (*text)[at + 1] == 'X';
    if (field == 2) lineage.parent = static_cast<Pid>(number_at(*text, at + 1));
    if (field == 20) lineage.started_at = number_at(*text, at + 1);
  }
  return lineage;
}

std::uint64_t start_time(Pid pid) {
  const auto lineage = lineage_of(pid);
  return lineage ? lineage->started_at : 0;
}

Status map_self(unsigned user, unsigned group) {
  const auto line = [](unsigned id) { return std::to_string(id) + " " + std::to_string(id) + " 1"; };
  PALE_CHECK(write_once("/proc/self/setgroups", "deny"));
  PALE_CHECK(write_once("/proc/self/gid_map", line(group)));
  return write_once("/proc/self/uid_map", line(user));
}

Status enter_user_namespace() {
  const unsigned user = user_id();
  const unsigned group = group_id();
  const long result = call(SYS_unshare, CLONE_NEWUSER);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "make a user namespace", "");
  return map_self(user, group);
}

Status die_with_parent() { return check(call(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "tie to parent"); }
Status outlive_parent() { return check(call(SYS_prctl, PR_SET_PDEATHSIG, 0, 0, 0, 0), "untie from parent"); }
Status adopt_orphans() { return check(call(SYS_prctl, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), "adopt orphans"); }
Status hide_memory() { return check(call(SYS_prctl, PR_SET_DUMPABLE, 0, 0, 0, 0), "hide memory"); }
Status set_host_name(const char* name) {
  return check(call(SYS_sethostname, name, std::strlen(name)), "set host name", name);
}
Status change_directory(const char* path) { return check(call(SYS_chdir, path), "go to", path); }
Status change_directory(const Fd& directory) {
  return check(call(SYS_fchdir, directory.borrow()), "go to a directory");
}
Status new_session() { return check(call(SYS_setsid), "make a session"); }
Status new_process_group() { return check(call(SYS_setpgid, 0, 0), "make a process group"); }

void wipe_arguments(char** argv, char** envp) noexcept {
  for (char** texts : {argv, envp}) {
    for (; texts != nullptr && *texts != nullptr; ++texts) std::memset(*texts, 0, std::strlen(*texts));
  }
}

Status limit(Resource resource, std::uint64_t most) {
  const int number = resource == Resource::Processes    ? RLIMIT_NPROC
                     : resource == Resource::DataMemory ? RLIMIT_DATA
                                                        : RLIMIT_CORE;
  struct rlimit64 limits = {most, most};
  return check(call(SYS_prlimit64, 0, number, &limits, nullptr), "set a resource limit");
}

void allow_many_files() noexcept {
  struct rlimit both = {};
  if (failed(call(SYS_prlimit64, 0, RLIMIT_NOFILE, nullptr, &both))) return;
  both.rlim_cur = both.rlim_max;
  (void)call(SYS_prlimit64, 0, RLIMIT_NOFILE, &both, nullptr);
}

Status forbid_core_dumps() {
  // A program is started even with a limit of 0, but not with this one: that stands for the program itself.
  constexpr std::uint64_t kNobody = 1;
  struct rlimit64 own = {};
  const long known = call(SYS_prlimit64, 0, RLIMIT_CORE, nullptr, &own);
  // It cannot be raised. Nothing is written then either.
  if (!failed(known) && own.rlim_max == 0) return {};
  return limit(Resource::CoreFile, kNobody);
}

Status drop_capabilities() {
  // So that uid 0 gains nothing by an exec. Needs CAP_SETPCAP, which an ordinary user has not without a user namespace; there
  // no_new_privs, which is read back, says the same. The bounding set limits only what an exec could gain.
  (void)call(SYS_prctl, PR_SET_SECUREBITS, kSecureBits, 0, 0, 0);
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct nothing[2] = {};
  return check(call(SYS_capset, &header, nothing), "drop all capabilities");
}

Status set_no_new_privileges() { return check(call(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "set no_new_privs"); }

Privileges read_privileges() noexcept {
  Privileges privileges;
  privileges.no_new_privileges = call(SYS_prctl, PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1;
  privileges.seccomp_mode = static_cast<int>(call(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0));
  struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  struct __user_cap_data_struct sets[2] = {};
  if (!failed(call(SYS_capget, &header, sets))) {
    privileges.capabilities = false;
    for (const auto& set : sets) privileges.capabilities |= (set.effective | set.permitted | set.inheritable) != 0;
  }
  return privileges;
}

void close_from(int first) noexcept { (void)call(SYS_close_range, first, ~0U, 0); }

Status place_descriptor(int descriptor, int number) {
  if (descriptor == number) return check(call(SYS_fcntl, number, F_SETFD, 0), "keep a descriptor");
  return check(call(SYS_dup3, descriptor, number, 0), "place a descriptor");
}

Result<Fd> duplicate(int descriptor) {
  constexpr int kFirst = 3, kDuplicate = 1030;  // F_DUPFD_CLOEXEC
  const long raw = call(SYS_fcntl, descriptor, kDuplicate, kFirst);
  if (failed(raw)) return fail_errno(static_cast<int>(-raw), "duplicate a descriptor", "");
  return Fd(raw);
}

Status seal_descriptors(int first) noexcept {
  return check(call(SYS_close_range, first, ~0U, kCloseRangeCloexec), "seal descriptors");
}

Result<int> count_inheritable(int first) {
  PALE_TRY(directory, file_info(kAbsolute, "/proc/self/fd", Links::Follow));
  // Its size is the number of open descriptors (Linux 6.2): enough to know when all have been seen.
  std::uint64_t left = directory.size == 0 ? kMostDescriptors : directory.size;
  int count = 0;
  for (int fd = 0; left > 0 && fd < kMostDescriptors; ++fd) {
    const long flags = call(SYS_fcntl, fd, F_GETFD);
    if (failed(flags)) continue;
    --left;
    if (fd >= first && (flags & FD_CLOEXEC) == 0) ++count;
  }
  return count;
}

Result<Fd> open_program() { return open_at(kAbsolute, "/proc/self/exe", O_PATH); }

Result<Pid> start_program(const ProgramStart& start) {
  const auto body = [](void* argument) {
    const auto& wanted = *static_cast<const ProgramStart*>(argument);
    const int streams[] = {wanted.input, wanted.output, wanted.errors};
    // First out of each other's way: one of them may have the number that another is to get.
    int copies[3] = {};
    for (int at = 0; at < 3; ++at) copies[at] = static_cast<int>(call(SYS_fcntl, streams[at], F_DUPFD_CLOEXEC, 10));
    for (int at = 0; at < 3; ++at) (void)place_descriptor(copies[at], at);
    (void)seal_descriptors(3);
    (void)block_signals(0);
    return static_cast<int>(-execute(wanted.program, wanted.argv, wanted.envp)) & 0xff;
  };
  return spawn_sharing_memory(body, const_cast<ProgramStart*>(&start), Descriptors::Own);
}

long execute(const char* path, char* const* argv, char* const* envp) noexcept {
  return call(SYS_execve, path, argv, envp);
}

long execute(const Fd& program, char* const* argv, char* const* envp) noexcept {
  return call(SYS_execveat, program.borrow(), "", argv, envp, AT_EMPTY_PATH);
}

int execute_from_path(const std::string& name, char* const* argv, char* const* envp, std::string_view search) {
  if (name.find('/') != std::string::npos) return static_cast<int>(-execute(name.c_str(), argv, envp));
  int result = ENOENT;
  // Not a string: after an exec nobody would free it in the memory that a child may share with its parent.
  std::array<char, kMostPath> candidate = {};
  while (!search.empty()) {
    const std::string_view directory = search.substr(0, search.find(':'));
    search.remove_prefix(std::min(directory.size() + 1, search.size()));
    if (directory.size() + 1 + name.size() >= candidate.size()) continue;  // The kernel would not take it either.
    std::size_t length = directory.copy(candidate.data(), directory.size());
    candidate[length++] = '/';
    length += name.copy(candidate.data() + length, name.size());
    candidate[length] = '\0';
    const int number = static_cast<int>(-execute(candidate.data(), argv, envp));
    if (number == EACCES) result = EACCES;
    if (number != ENOENT && number != ENOTDIR && number != EACCES) return number;
  }
  return result;
}

void wait_until_set(std::atomic<std::uint32_t>& word) noexcept {
  while (word.load() == 0) (void)call(SYS_futex, &word, FUTEX_WAIT, 0, nullptr, nullptr, 0);
}

bool wait_until_set(std::atomic<std::uint32_t>& word, std::int64_t milliseconds) noexcept {
  const struct __kernel_timespec limit = {milliseconds / 1000, milliseconds % 1000 * 1'000'000};
  if (word.load() == 0) (void)call(SYS_futex, &word, FUTEX_WAIT, 0, &limit, nullptr, 0);
  return word.load() != 0;
}

void set_and_wake(std::atomic<std::uint32_t>& word) noexcept {
  word.store(1);
  (void)call(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void expect_memory(void* memory, std::size_t size) noexcept {
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE, Linux 5.14; before that, it fails
  const auto first = reinterpret_cast<std::uintptr_t>(memory) & ~(kPage - 1);
  (void)call(SYS_madvise, first, reinterpret_cast<std::uintptr_t>(memory) + size - first, kPopulateWrite);
}

void expect_stack(std::size_t size) noexcept {
  expect_memory(static_cast<char*>(__builtin_frame_address(0)) - size, size);
}

void* share_memory(std::size_t size) noexcept {
  const long memory = call(SYS_mmap, nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return failed(memory) ? nullptr : reinterpret_cast<void*>(memory);
}

void let_go_of_memory(void* memory, std::size_t size) noexcept { (void)call(SYS_munmap, memory, size); }

void* private_memory(std::size_t size) noexcept {
  const long memory = call(SYS_mmap, nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return failed(memory) ? nullptr : reinterpret_cast<void*>(memory);
}

}  // namespace pale::sys
