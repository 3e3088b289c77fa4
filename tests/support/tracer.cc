#include "support/tracer.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <stdexcept>

namespace pale::test {
namespace {

constexpr int kOptions = PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC |
                         PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL;
constexpr long kRestMs = 400;       // nobody moves for so long: all wait
constexpr long kPatienceMs = 5000;  // for the others to follow
constexpr long kGoingOnMs = 800;    // the same, where they may do without the victim

// Interrupts a waitpid() after a while.
class Alarm {
 public:
  Alarm() {
    struct sigaction quiet = {};
    quiet.sa_handler = [](int) {};  // without SA_RESTART
    sigaction(SIGALRM, &quiet, &before_);
  }
  ~Alarm() {
    set(0);
    sigaction(SIGALRM, &before_, nullptr);
  }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  // Rings again and again: one that comes before the wait begins would be lost.
  static void set(long milliseconds) {
    const timeval time = {milliseconds / 1000, milliseconds % 1000 * 1000};
    const itimerval timer = {time, time};
    setitimer(ITIMER_REAL, &timer, nullptr);
  }

 private:
  struct sigaction before_ = {};
};

pid_t start(const Process& process) {
  const pid_t pid = fork();
  if (pid < 0) throw std::runtime_error("fork");
  if (pid == 0) {
    setpgid(0, 0);
    const int null = open("/dev/null", O_RDWR);
    for (const int fd : {0, 1, 2}) dup2(null, fd);
    close(null);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    execute(process);
  }
  int status = 0;
  if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status)) throw std::runtime_error("traceme");
  ptrace(PTRACE_SETOPTIONS, pid, nullptr, kOptions);
  ptrace(PTRACE_CONT, pid, nullptr, nullptr);
  return pid;
}

class Tracer {
 public:
  Tracer(const Process& process, Victim victim) : victim_(victim) { meet(start(process)); }

  Family run() {
    Alarm::set(kRestMs);
    for (;;) {
      int status = 0;
      const pid_t pid = waitpid(-1, &status, __WALL);
      if (pid < 0 && errno == EINTR) {
        time_is_over();
      } else if (pid < 0) {
        return family_;
      } else if (WIFSTOPPED(status)) {
        stopped(pid, status);
      } else {
        std::erase(alive_, pid);
      }
    }
  }

 private:
  std::size_t meet(pid_t pid) {
    const auto known = std::ranges::find(family_.members, pid);
    if (known != family_.members.end()) return static_cast<std::size_t>(known - family_.members.begin());
    family_.members.push_back(pid);
    family_.stops.push_back(0);
    alive_.push_back(pid);
    return family_.members.size() - 1;
  }

  void stopped(pid_t pid, int status) {
    const std::size_t member = meet(pid);
    const int event = status >> 16;
    if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE) {
      unsigned long child = 0;
      ptrace(PTRACE_GETEVENTMSG, pid, nullptr, &child);
      meet(static_cast<pid_t>(child));
    }
    // What it does before it is the program under test does not count.
    if (event == PTRACE_EVENT_EXEC && member == 0) started_ = true;
    const bool at_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
    if (at_call) ++family_.stops[member];
    if (!over_ && at_call && member == victim_.member && family_.stops[member] == victim_.stop) {
      family_.killed = true;
      end(pid, member <= 1 ? kPatienceMs : kGoingOnMs);
      return;
    }
    const bool signal = event == 0 && !at_call && WSTOPSIG(status) != SIGSTOP && WSTOPSIG(status) != SIGTRAP;
    const bool watched = started_ && !over_ && (victim_.stop == 0 || member == victim_.member);
    ptrace(watched ? PTRACE_SYSCALL : PTRACE_CONT, pid, nullptr, signal ? WSTOPSIG(status) : 0);
    if (!over_) Alarm::set(kRestMs);
  }

  void end(pid_t pid, long patience) {
    over_ = true;
    kill(pid, SIGKILL);
    Alarm::set(patience);
  }

  void time_is_over() {
    const bool outer_lives = std::ranges::find(alive_, family_.members[0]) != alive_.end();
    if (!over_ || (outer_lives && !family_.went_on)) {
      family_.went_on = over_;
      end(family_.members[0], kPatienceMs);
      return;
    }
    family_.survivors = alive_;
    for (const pid_t pid : alive_) kill(pid, SIGKILL);
  }

  Alarm alarm_;
  Victim victim_;
  Family family_;
  std::vector<pid_t> alive_;
  bool started_ = false;
  bool over_ = false;
};

}  // namespace

Family run_and_kill(const Process& process, Victim victim) { return Tracer(process, victim).run(); }

}  // namespace pale::test
