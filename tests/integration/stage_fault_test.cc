// An apply or an undo that is killed at any moment, or runs out of space, leaves the old tree or the new one, and nothing else.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <functional>
#include <numeric>
#include <sstream>
#include <stdexcept>
#include <tuple>

#include "projects.h"

namespace pale::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int kPending = 4;

// --- faults -----------------------------------------------------------------------------------------------------------

// What befalls a process at one of its calls: those that change names, or those that take space, counted from 1 on.
struct Fault {
  enum class Kind {
    None,
    Kill,
    FullDisk,   // this one and all that follow fail with ENOSPC
    FullFiles,  // the same, but names can still change places
  };
  Kind kind = Kind::None;
  int at = 0;
};

struct Befallen {
  bool befell = false;  // it got that far
  int exit_code = -1;
  int calls = 0;     // that count
  std::string text;  // all it wrote
};

sock_filter step(int code, unsigned value, std::size_t yes, std::size_t no) {
  return {static_cast<std::uint16_t>(code), static_cast<std::uint8_t>(yes), static_cast<std::uint8_t>(no), value};
}

// Asks about every call but the many that change nothing.
std::vector<sock_filter> filter() {
  constexpr unsigned kHarmless[] = {SYS_statx,         SYS_close, SYS_openat2,      SYS_getdents64, SYS_fgetxattr,
                                    SYS_flistxattr,    SYS_read,  SYS_pread64,      SYS_lseek,      SYS_readlinkat,
                                    SYS_clock_gettime, SYS_flock, SYS_rt_sigreturn, SYS_exit_group};
  constexpr unsigned kFlags = offsetof(seccomp_data, args) + 2 * sizeof(std::uint64_t);  // little-endian
  std::vector<sock_filter> code = {step(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr), 0, 0)};
  std::size_t left = std::size(kHarmless);
  for (const unsigned call : kHarmless) code.push_back(step(BPF_JMP | BPF_JEQ | BPF_K, call, left-- + 3, 0));
  code.push_back(step(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 2));
  code.push_back(step(BPF_LD | BPF_W | BPF_ABS, kFlags, 0, 0));
  code.push_back(step(BPF_JMP | BPF_JSET | BPF_K, O_CREAT | O_TRUNC, 0, 1));
  code.push_back(step(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF, 0, 0));
  code.push_back(step(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0));
  return code;
}

bool flushes(const seccomp_data& call) { return call.nr == SYS_fsync || call.nr == SYS_fdatasync; }

// Contents go to files that nobody knows yet: in between a kill makes no difference.
bool changes_names(const seccomp_data& call) {
  constexpr int kCalls[] = {SYS_mkdirat, SYS_unlinkat, SYS_renameat2, SYS_openat, SYS_symlinkat,
                            SYS_mknodat, SYS_linkat,   SYS_fchmod,    SYS_write};
  return std::ranges::find(kCalls, call.nr) != std::end(kCalls);
}

bool takes_space(const seccomp_data& call, Fault::Kind kind) {
  constexpr int kCalls[] = {SYS_copy_file_range, SYS_mkdirat, SYS_openat, SYS_symlinkat, SYS_mknodat,
                            SYS_ftruncate,       SYS_linkat,  SYS_fsync,  SYS_fdatasync, SYS_fsetxattr};
  if (call.nr == SYS_write || call.nr == SYS_pwrite64) return call.args[0] > 2;
  if (call.nr == SYS_renameat2) return kind == Fault::Kind::FullDisk;
  return std::ranges::find(kCalls, call.nr) != std::end(kCalls);
}

// Starts a process that asks about its calls.
class Asking {
 public:
  explicit Asking(const Process& process) : output_(memfd_create("output", MFD_CLOEXEC)) {
    void* page = mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto* listener = new (page) std::atomic<int>(-1);
    const std::vector<sock_filter> code = filter();
    const sock_fprog program = {static_cast<unsigned short>(code.size()), const_cast<sock_filter*>(code.data())};
    pid_ = fork();
    if (pid_ == 0) become(process, program, *listener);
    while (*listener == -1 && waitpid(pid_, nullptr, WNOHANG) == 0) usleep(50);
    const int handle = static_cast<int>(syscall(SYS_pidfd_open, pid_, 0));
    listener_ = static_cast<int>(syscall(SYS_pidfd_getfd, handle, listener->load(), 0));
    close(handle);
    munmap(page, sizeof(std::atomic<int>));
    if (listener_ < 0) throw std::runtime_error("seccomp");
  }
  ~Asking() {
    close(listener_);
    close(output_);
  }
  Asking(const Asking&) = delete;
  Asking& operator=(const Asking&) = delete;

  pid_t pid() const { return pid_; }
  // False once it has ended.
  bool next(seccomp_notif& question) const {
    for (;;) {
      pollfd fd = {listener_, POLLIN, 0};
      if (poll(&fd, 1, -1) < 0 || (fd.revents & POLLIN) == 0) return false;
      question = {};
      if (ioctl(listener_, SECCOMP_IOCTL_NOTIF_RECV, &question) == 0) return true;
    }
  }
  void let_go_on(const seccomp_notif& question) const { answer(question, 0, SECCOMP_USER_NOTIF_FLAG_CONTINUE); }
  // Without doing it: 0, or the negative of an error.
  void pretend(const seccomp_notif& question, int result) const { answer(question, result, 0); }
  Befallen finish(Befallen befallen) const {
    int status = 0;
    waitpid(pid_, &status, 0);
    befallen.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    char buffer[4096];
    const ssize_t got = pread(output_, buffer, sizeof buffer, 0);
    befallen.text.assign(buffer, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    return befallen;
  }

 private:
  [[noreturn]] void become(const Process& process, const sock_fprog& program, std::atomic<int>& listener) const {
    const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(null, 0);
    dup2(output_, 1);
    dup2(output_, 2);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    const long fd = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    listener = fd < 0 ? -2 : static_cast<int>(fd);
    fd < 0 ? _exit(96) : execute(process);
  }
  void answer(const seccomp_notif& question, int error, unsigned flags) const {
    seccomp_notif_resp response = {.id = question.id, .val = 0, .error = error, .flags = flags};
    (void)ioctl(listener_, SECCOMP_IOCTL_NOTIF_SEND, &response);
  }

  int output_;
  pid_t pid_ = -1;
  int listener_ = -1;
};

// Runs it to its end, or to the fault. Nothing is flushed, which only takes time: there is no power failure here.
Befallen run_with(const Process& process, Fault fault) {
  const Asking asking(process);
  Befallen befallen;
  bool started = false;
  seccomp_notif question;
  while (asking.next(question)) {
    const bool counts = started && (fault.kind == Fault::Kind::Kill ? changes_names(question.data)
                                                                    : takes_space(question.data, fault.kind));
    if (counts) ++befallen.calls;
    const bool due = counts && fault.kind != Fault::Kind::None && befallen.calls >= fault.at;
    befallen.befell = befallen.befell || due;
    if (due && fault.kind == Fault::Kind::Kill) {
      kill(asking.pid(), SIGKILL);
    } else if (due) {
      asking.pretend(question, -ENOSPC);
    } else if (flushes(question.data)) {
      asking.pretend(question, 0);
    } else {
      asking.let_go_on(question);
    }
    // What it does before it is the program under test does not count.
    started = started || question.data.nr == SYS_execve;
  }
  return asking.finish(befallen);
}

// --- the tests --------------------------------------------------------------------------------------------------------

// PALE_HOME on the project's filesystem, where whatever comes or goes lies; or on another, so that it lies in the project.
enum class Home { Near, Far };

constexpr const char* kProject = R"(
mkdir -p gone/deep replaced mode kept; seq 50 > changed; seq 9 > deleted; echo 1 > gone/deep/file; echo 2 > gone/file
echo 3 > replaced/inner; echo 4 > mode/file; echo 5 > kept/changed; echo 6 > becomes; ln -s kept link; echo 7 > from)";
constexpr const char* kWork = R"(
echo more >> changed; rm deleted; rm -r gone; rm -r replaced; echo file > replaced; mkdir -p new/tree; echo n > new/tree/n
chmod 700 mode; echo c > kept/changed; rm becomes; mkdir becomes; ln -sfn new link; mv from to)";

class StageFaults : public testing::TestWithParam<std::tuple<Account, Home>> {
 protected:
  StageFaults() {
    shell("cd " + root() + kProject, account());
    give_tree(work_.path(), account());
    old_ = work_.snapshot();
    const Finished staged = run(process({"run", "--stage", "s"}, {"--", "/bin/sh", "-ec", kWork}));
    EXPECT_EQ(staged.exit_code, 0) << staged.err;
    find_stages();
    shell("cp -a " + root() + " project; cp -a " + stages_.string() + " stages");
    EXPECT_EQ(work_.snapshot(), old_);
    expect_done(kApply, "an apply that nothing befalls");
    new_ = work_.snapshot();
    EXPECT_NE(new_, old_);
  }

  ~StageFaults() override { fs::remove_all(stages_); }

  // PALE_HOME may be shared with other tests; this project's stages are under its name.
  void find_stages() {
    for (const auto& entry : fs::directory_iterator(fs::path(pale_home()) / "stages")) {
      if (entry.path().filename().string().starts_with(work_.path().filename().string())) stages_ = entry.path();
    }
    ASSERT_FALSE(stages_.empty());
  }

  // To where the stage was made. The copies are younger than the stage: --theirs, for they look changed since.
  void restore() const {
    shell("find " + root() + " -mindepth 1 -delete; cp -a project/. " + root() + "; rm -rf " + stages_.string() +
          "; cp -a stages " + stages_.string());
  }

  Account account() const { return std::get<Account>(GetParam()); }
  std::string root() const { return work_.text(); }
  std::string pale_home() const {
    return std::get<Home>(GetParam()) == Home::Near ? project_.pale_home().string() : far_.text();
  }

  Process process(const Words& words, const Words& more = {}) const {
    Process process;
    process.arguments = Words{pale_program()} + words + Words{"--project-root", root()} + more;
    process.account = account();
    process.environment = project_.environment() + Words{"PALE_HOME=" + pale_home()};
    return process;
  }
  void shell(const std::string& line, Account account = Account::Root) const {
    const Finished done = run({.arguments = {"/bin/sh", "-ec", "umask 022; " + line},
                               .account = account,
                               .environment = {"PATH=/usr/bin:/bin"},
                               .directory = account == Account::Root ? saved_.text() : "/"});
    if (done.exit_code != 0) throw std::runtime_error(line + ": " + done.err);
  }
  void expect_done(const Words& words, const std::string& when) const {
    const Befallen done = run_with(process(words), {});
    EXPECT_EQ(done.exit_code, 0) << when << ": " << testing::PrintToString(words) << done.text;
  }
  void expect_tree(const std::string& wanted, const std::string& when) const {
    EXPECT_EQ(work_.snapshot(), wanted) << when;
  }

  // In an order whose every beginning is spread over the whole, so that a slow machine may stop early. The other account
  // begins in the middle.
  void for_every(int count, std::chrono::milliseconds enough, const std::function<void(int)>& act) const {
    using Clock = std::chrono::steady_clock;
    constexpr int kFewest = 12;
    const int first = account() == Account::Root ? 0 : count / 2;
    const auto start = Clock::now();
    int stride = std::max(1, count * 5 / 8);
    while (std::gcd(stride, count) != 1) ++stride;
    for (int tries = 0; tries < count && !HasFailure(); ++tries) {
      if (tries >= kFewest && Clock::now() - start > enough) break;
      act(1 + (first + tries) * stride % count);
    }
  }

  // What a command that was interrupted leaves to the next one.
  void expect_whole_after_next_command(const std::string& when) const {
    const Befallen next = run_with(process({"stage", "list"}), {});
    const std::string tree = work_.snapshot();
    EXPECT_TRUE(tree == old_ || tree == new_) << when << ": a mixture\n" << tree << "\nold:\n" << old_;
    EXPECT_EQ(litter(), Words{}) << when;
    const bool pending = tree == old_ && !undoing_;
    EXPECT_EQ(next.exit_code, pending ? kPending : 0) << when << next.text;
  }
  // Already before the next command, which tidies up.
  void expect_no_mixture(const std::string& when) const {
    std::istringstream lines(work_.snapshot());
    std::string tree;
    for (std::string line; std::getline(lines, line);) tree += line.starts_with(".pale") ? "" : line + "\n";
    EXPECT_TRUE(tree == old_ || tree == new_) << when << ": a mixture\n" << tree << "\nold:\n" << old_;
  }
  Words litter() const {
    Words names;
    for (const auto& entry : fs::recursive_directory_iterator(stages_)) {
      const std::string name = entry.path().filename().string();
      if (name == "under-way" || name.find(".new") != std::string::npos) names.push_back(entry.path().string());
    }
    return names;
  }
  // Apply and undo still do what they do.
  void expect_to_go_on(const std::string& when) const {
    if (work_.snapshot() == old_ && !undoing_) expect_done(kApply, when);
    if (!undoing_) expect_tree(new_, when + ", applied again");
    const std::string other = work_.snapshot() == old_ ? new_ : old_;
    expect_done(kUndo, when);
    expect_tree(other, when + ", undone");
  }

  // The state that a command begins in.
  void prepare() const {
    restore();
    if (undoing_) expect_done(kApply, "before the undo");
  }
  const Words& command() const { return undoing_ ? kUndo : kApply; }
  int calls(Fault::Kind kind) const {
    prepare();
    return run_with(process(command()), {kind, 1 << 30}).calls;
  }

  void kill_at_every_call() const {
    for_every(calls(Fault::Kind::Kill), 1500ms, [this](int at) {
      const std::string when = "killed at call " + std::to_string(at);
      prepare();
      EXPECT_TRUE(run_with(process(command()), {Fault::Kind::Kill, at}).befell) << when;
      expect_whole_after_next_command(when);
      expect_to_go_on(when);
    });
  }
  // The next command is killed as well.
  void kill_twice() const {
    int second = 0;
    for_every(calls(Fault::Kind::Kill), 400ms, [&, this](int at) {
      second = second % 40 + 3;
      const std::string when = "killed at call " + std::to_string(at) + ", then at " + std::to_string(second);
      prepare();
      run_with(process(command()), {Fault::Kind::Kill, at});
      run_with(process({"stage", "list"}), {Fault::Kind::Kill, second});
      expect_whole_after_next_command(when);
      expect_to_go_on(when);
    });
  }
  void fill_disk_at_every_call(Fault::Kind kind) const {
    for_every(calls(kind), 900ms, [kind, this](int at) {
      const std::string when = "no space from call " + std::to_string(at) + " on";
      prepare();
      const Befallen done = run_with(process(command()), {kind, at});
      EXPECT_TRUE(done.befell && done.exit_code != 0) << when << done.exit_code << done.text;
      if (kind == Fault::Kind::FullFiles) expect_no_mixture(when + done.text);
      expect_whole_after_next_command(when);
      expect_to_go_on(when);
    });
  }

  static inline const Words kApply = {"stage", "apply", "s", "--yes", "--theirs"};
  static inline const Words kUndo = {"stage", "undo"};
  Project project_{account()};
  TemporaryDirectory far_{account(), "far", "/dev/shm"};
  TemporaryDirectory work_{account(), "faults"};
  TemporaryDirectory saved_{Account::Root, "saved"};
  fs::path stages_;
  std::string old_, new_;
  bool undoing_ = false;
};

TEST_P(StageFaults, AnApplyThatIsKilledIsDoneOrNotDone) {
  kill_at_every_call();
  kill_twice();
}

TEST_P(StageFaults, AnUndoThatIsKilledIsDoneOrNotDone) {
  undoing_ = true;
  kill_at_every_call();
  kill_twice();
}

TEST_P(StageFaults, AnApplyThatRunsOutOfSpaceIsDoneOrNotDone) {
  fill_disk_at_every_call(Fault::Kind::FullFiles);
  fill_disk_at_every_call(Fault::Kind::FullDisk);
}

TEST_P(StageFaults, AnUndoThatRunsOutOfSpaceIsDoneOrNotDone) {
  undoing_ = true;
  fill_disk_at_every_call(Fault::Kind::FullFiles);
  fill_disk_at_every_call(Fault::Kind::FullDisk);
}

std::string name_of(const testing::TestParamInfo<std::tuple<Account, Home>>& info) {
  return account_name(std::get<Account>(info.param)) + (std::get<Home>(info.param) == Home::Near ? "Near" : "Far");
}
INSTANTIATE_TEST_SUITE_P(, StageFaults,
                         testing::Combine(testing::ValuesIn(accounts()), testing::Values(Home::Near, Home::Far)),
                         name_of);

}  // namespace
}  // namespace pale::test
