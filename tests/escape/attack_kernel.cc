// Attacks on the kernel's own interfaces, and on the first process inside.
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/kcmp.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

#include "escape/attack.h"

namespace pale::attack {
namespace {

// terminal: types for the user; adding 2³² changes nothing for the kernel.
int terminal(const Words&) {
  constexpr unsigned long kHigh = 1UL << 32U;
  const char letters[] = "hacked\n";
  for (const unsigned long high : {0UL, kHigh, 0xffffffffUL << 32U}) {
    const std::string name = high == 0 ? "" : "+high";
    for (const int fd : {0, open("/dev/tty", O_RDWR), open("/dev/console", O_RDWR)}) {
      for (const char* letter = letters; *letter != '\0'; ++letter) {
        say("TIOCSTI" + name, syscall(SYS_ioctl, fd, TIOCSTI | high, letter));
      }
      char paste = 3;  // TIOCL_PASTESEL
      say("TIOCLINUX" + name, syscall(SYS_ioctl, fd, TIOCLINUX | high, &paste));
    }
  }
  return 0;
}

int ring(const Words&) {
  io_uring_params parameters = {};
  say("io_uring_setup", syscall(SYS_io_uring_setup, 4, &parameters));
  say("io_uring_enter", syscall(SYS_io_uring_enter, 0, 1, 0, 0, nullptr, 0));
  say("io_uring_register", syscall(SYS_io_uring_register, 0, 0, nullptr, 0));
  return 0;
}

// foreign-call KIND PATH: mkdir by the numbers of another architecture.
int foreign_call(const Words& words) {
#ifdef __x86_64__
  long result = -1;
  if (words.at(0) == "x32") {
    result = syscall(0x40000000L + SYS_mkdir, words.at(1).c_str(), 0755);
  } else {
    // Its addresses have 32 bits.
    auto* low =
        static_cast<char*>(mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0));
    std::strncpy(low, words.at(1).c_str(), 4095);
    constexpr long kMkdirOfI386 = 39;
    asm volatile("int $0x80"
                 : "=a"(result)
                 : "a"(kMkdirOfI386), "b"(low), "c"(0755L)
                 : "memory", "r8", "r9", "r10", "r11");
    if (result < 0) errno = static_cast<int>(-result);
  }
  say(words[0], result);
#else
  errno = ENOSYS;
  say(words.at(0), -1);
#endif
  return 0;
}

long clone_with(unsigned long flags) {
  const long pid = syscall(SYS_clone, flags | SIGCHLD, nullptr, nullptr, nullptr, nullptr);
  if (pid == 0) _exit(0);
  return pid;
}

long clone3_with(unsigned long flags) {
  clone_args arguments = {};
  arguments.flags = flags;
  arguments.exit_signal = SIGCHLD;
  const long pid = syscall(SYS_clone3, &arguments, sizeof arguments);
  if (pid == 0) _exit(0);
  return pid;
}

// namespaces PATH: a namespace of one's own, then the mount on PATH away or writable.
int namespaces(const Words& words) {
  struct Kind {
    const char* name;
    unsigned long flag;
  };
  constexpr Kind kKinds[] = {{"user", CLONE_NEWUSER},     {"mount", CLONE_NEWNS},
                             {"pid", CLONE_NEWPID},       {"net", CLONE_NEWNET},
                             {"ipc", CLONE_NEWIPC},       {"uts", CLONE_NEWUTS},
                             {"cgroup", CLONE_NEWCGROUP}, {"user+mount", CLONE_NEWUSER | CLONE_NEWNS}};
  for (const Kind& kind : kKinds) {
    say(std::string("unshare-") + kind.name, unshare(static_cast<int>(kind.flag)));
    say(std::string("unshare-high-") + kind.name, syscall(SYS_unshare, kind.flag | 1UL << 32U));
    say(std::string("clone-") + kind.name, clone_with(kind.flag));
    say(std::string("clone3-") + kind.name, clone3_with(kind.flag));
  }
  say("unshare-time", unshare(0x80));
  for (const char* name : {"user", "mnt", "pid", "net"}) {
    const int fd = open((std::string("/proc/self/ns/") + name).c_str(), O_RDONLY);
    say(std::string("setns-") + name, syscall(SYS_setns, fd, 0));
  }
  const char* path = words.at(0).c_str();
  say("umount", umount2(path, MNT_DETACH));
  say("remount", mount(nullptr, path, nullptr, MS_REMOUNT | MS_BIND, nullptr));
  say("remount-root", mount(nullptr, "/", nullptr, MS_REMOUNT, nullptr));
  say("mount-tmpfs", mount("none", "/tmp", "tmpfs", 0, nullptr));
  say("mount-bind", mount("/tmp", path, nullptr, MS_BIND, nullptr));
  say("move-mount", mount(path, "/tmp", nullptr, MS_MOVE, nullptr));
  say("pivot_root", syscall(SYS_pivot_root, ".", "."));
  say("chroot", chroot("/tmp"));
  say("fsopen", syscall(SYS_fsopen, "tmpfs", 0));
  say("open_tree", syscall(SYS_open_tree, AT_FDCWD, path, 1));
  say("open_tree_attr", syscall(467, AT_FDCWD, path, 1, nullptr, 0));
  say("fspick", syscall(SYS_fspick, AT_FDCWD, "/", 0));
  mount_attr attributes = {};
  attributes.attr_clr = MOUNT_ATTR_RDONLY;
  say("mount_setattr", syscall(SYS_mount_setattr, AT_FDCWD, path, 0, &attributes, sizeof attributes));
  struct file_handle handle = {};
  say("open_by_handle_at", syscall(SYS_open_by_handle_at, AT_FDCWD, &handle, O_RDONLY));
  return 0;
}

long reach_memory(int call) {
  static char word[8];
  const iovec local = {word, sizeof word};
  const iovec remote = {reinterpret_cast<void*>(0x400000), sizeof word};
  return syscall(call, 1, &local, 1UL, &remote, 1UL, 0UL);
}

// first-process: process 1 is Pale's own; nothing of it may be read, changed or ended.
int first_process(const Words&) {
  say("attach", ptrace(PTRACE_ATTACH, 1, nullptr, nullptr));
  say("seize", ptrace(PTRACE_SEIZE, 1, nullptr, nullptr));
  say("read-memory", reach_memory(SYS_process_vm_readv));
  say("write-memory", reach_memory(SYS_process_vm_writev));
  for (const char* name :
       {"mem", "environ", "auxv", "maps", "syscall", "stack", "io", "clear_refs", "timers", "pagemap"}) {
    const int fd =
        open((std::string("/proc/1/") + name).c_str(), std::strcmp(name, "clear_refs") == 0 ? O_WRONLY : O_RDONLY);
    char byte = 0;
    say(std::string("proc-") + name, fd < 0 ? -1 : read(fd, &byte, 1));
  }
  say("proc-mem-write", open("/proc/1/mem", O_RDWR));
  for (const char* name : {"root", "cwd", "exe", "fd/0", "ns/mnt"}) {
    char target[64];
    const std::string path = std::string("/proc/1/") + name;
    say("link-" + std::string(name), readlink(path.c_str(), target, sizeof target));
    say("open-" + std::string(name), open(path.c_str(), O_PATH | O_DIRECTORY));
  }
  const long pidfd = syscall(SYS_pidfd_open, 1, 0);
  for (int fd = 0; fd < 32; ++fd) {
    if (const long got = syscall(SYS_pidfd_getfd, pidfd, fd, 0); got >= 0 || fd == 31) say("take-descriptor", got);
  }
  say("compare", syscall(SYS_kcmp, getpid(), 1, KCMP_FILE, 0, 0));
  say("setns", syscall(SYS_setns, pidfd, CLONE_NEWNS));
  say("madvise", syscall(440, pidfd, nullptr, 0, 0, 0));
  for (const int number : {SIGKILL, SIGSTOP, SIGTERM, SIGIO, SIGRTMIN})
    say("signal-" + std::to_string(number), kill(1, number));
  return 0;
}

// starve-first-process: as few descriptors as it has, so that it cannot look any more.
int starve_first_process(const Words&) {
  const rlimit few = {4, 4};
  say("prlimit", prlimit(1, RLIMIT_NOFILE, &few, nullptr));
  return 0;
}

int surface(const Words&) {
  bpf_attr program = {};
  program.map_type = BPF_MAP_TYPE_ARRAY;
  program.key_size = program.value_size = 4;
  program.max_entries = 1;
  perf_event_attr event = {};
  event.type = PERF_TYPE_SOFTWARE;
  event.size = sizeof event;
  say("bpf", syscall(SYS_bpf, BPF_MAP_CREATE, &program, sizeof program));
  say("perf_event_open", syscall(SYS_perf_event_open, &event, 0, -1, -1, 0));
  say("userfaultfd", syscall(SYS_userfaultfd, O_CLOEXEC));
  say("userfaultfd-user", syscall(SYS_userfaultfd, 1));        // UFFD_USER_MODE_ONLY: for everyone
  say("fanotify_init", syscall(SYS_fanotify_init, 0x200, 0));  // FAN_REPORT_FID: for everyone
  say("kexec_load", syscall(SYS_kexec_load, 0, 0, nullptr, 0));
#ifdef SYS_kexec_file_load
  say("kexec_file_load", syscall(SYS_kexec_file_load, -1, -1, 0, "", 0));
#endif
  say("init_module", syscall(SYS_init_module, "", 0, ""));
  say("finit_module", syscall(SYS_finit_module, 0, "", 0));
  say("delete_module", syscall(SYS_delete_module, "none", 0));
  say("reboot", reboot(RB_DISABLE_CAD));
  say("swapon", swapon("/dev/null", 0));
  say("swapoff", swapoff("/dev/null"));
  say("acct", acct(nullptr));
  say("sethostname", sethostname("hacked", 6));
  say("setdomainname", setdomainname("hacked", 6));
  say("syslog", syscall(SYS_syslog, 3, nullptr, 0));
  say("quotactl", syscall(SYS_quotactl, 0, nullptr, 0, nullptr));
  say("vhangup", vhangup());
#ifdef __x86_64__
  say("iopl", syscall(SYS_iopl, 3));
  say("ioperm", syscall(SYS_ioperm, 0, 1, 1));
  say("modify_ldt", syscall(SYS_modify_ldt, 0, nullptr, 0));
#endif
  say("personality", syscall(SYS_personality, 0x0400000));  // READ_IMPLIES_EXEC
  say("unreviewed", syscall(471));
  for (const int family : {AF_PACKET, AF_VSOCK, AF_ALG, AF_BLUETOOTH, AF_CAN, AF_KEY})
    say("socket-" + std::to_string(family), socket(family, SOCK_RAW, 0));
  say("socket-audit", socket(AF_NETLINK, SOCK_RAW, 9));
  return 0;
}

}  // namespace

std::vector<Attack> kernel_attacks() {
  return {{"terminal", terminal},
          {"ring", ring},
          {"foreign-call", foreign_call},
          {"namespaces", namespaces},
          {"first-process", first_process},
          {"starve-first-process", starve_first_process},
          {"surface", surface}};
}

}  // namespace pale::attack
