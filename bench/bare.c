// bare: what the kernel asks for, and nothing else; so that a target can be told from a wish.
//
//   bare namespaces COMMAND…  runs it in all the namespaces of a sandbox: no maps, no mounts, no filter, nothing is read back
//   bare listener COMMAND…    runs it while each opening of a file and each exec is asked about, and answered without a look
//
// In C, for musl-gcc: it must start in no time. Exits as the command does.
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef CLONE_NEWCGROUP
#define CLONE_NEWCGROUP 0x02000000
#endif
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

enum { kNotFound = 127, kFailed = 125, kStack = 1 << 16 };

static char stack[kStack];
static int listener = -1;

static int execute(void* command) {
  char** argv = command;
  execv(argv[0], argv);
  return kNotFound;
}

// It shares the memory and the descriptors of who answers: its listener is there at once.
static int be_listened_to(void* command) {
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 1, 0),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
  return listener < 0 ? kFailed : execute(command);
}

// 0 if nobody asked: who did is gone, or all are.
static int answer(void) {
  struct seccomp_notif question;
  memset(&question, 0, sizeof question);
  if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &question) != 0) return 0;
  struct seccomp_notif_resp leave = {.id = question.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &leave);
  return 1;
}

static int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

static int in_namespaces(char** command) {
  const int flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET;
  const int pid = clone(execute, stack + kStack, flags | CLONE_VM | CLONE_VFORK | SIGCHLD, command);
  int status = 0;
  if (pid < 0 || waitpid(pid, &status, 0) != pid) return kFailed;
  return exit_code(status);
}

static int listened_to(char** command) {
  int status = 0;
  const int pid = clone(be_listened_to, stack + kStack, CLONE_VM | CLONE_FILES | SIGCHLD, command);
  if (pid < 0) return kFailed;
  while (*(volatile int*)&listener < 0) {
    if (waitpid(pid, &status, WNOHANG) == pid) return exit_code(status);
    sched_yield();
  }
  ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
  while (answer() || waitpid(pid, &status, WNOHANG) == 0) continue;
  return exit_code(status);
}

int main(int argc, char** argv) {
  if (argc > 2 && strcmp(argv[1], "namespaces") == 0) return in_namespaces(argv + 2);
  if (argc > 2 && strcmp(argv[1], "listener") == 0) return listened_to(argv + 2);
  fprintf(stderr, "usage: bare namespaces|listener COMMAND…\n");
  return kFailed;
}
