// places PROGRAM ARGUMENT…: the addresses of PROGRAM that run when it is started like that, in the order in which they first do; its
// children's too, until they become another program. For scripts/order-start.
#include <elf.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <set>
#include <unordered_set>

namespace {

unsigned long place_of(pid_t process) {
  user_regs_struct registers = {};
  iovec where = {&registers, sizeof registers};
  (void)ptrace(PTRACE_GETREGSET, process, NT_PRSTATUS, &where);
#ifdef __x86_64__
  return registers.rip;
#else
  return registers.pc;
#endif
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const pid_t first = fork();
  if (first == 0) {
    (void)ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    execv(argv[1], argv + 1);
    _exit(127);
  }
  int status = 0;
  (void)waitpid(first, &status, 0);
  (void)ptrace(PTRACE_SETOPTIONS, first, nullptr,
               PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
  (void)ptrace(PTRACE_SINGLESTEP, first, nullptr, nullptr);
  std::unordered_set<unsigned long> seen;
  std::set<pid_t> others;  // became another program
  for (pid_t process = 0; (process = waitpid(-1, &status, __WALL)) > 0;) {
    if (!WIFSTOPPED(status)) continue;
    const int signal = WSTOPSIG(status);
    const bool own = signal == SIGTRAP || signal == SIGSTOP;
    if (status >> 16 == PTRACE_EVENT_EXEC) others.insert(process);
    const bool steps = !others.contains(process);
    if (const unsigned long place = steps && own ? place_of(process) : 0; place != 0 && seen.insert(place).second)
      std::printf("%lx\n", place);
    (void)ptrace(steps ? PTRACE_SINGLESTEP : PTRACE_CONT, process, nullptr, own ? 0 : signal);
  }
  return 0;
}
