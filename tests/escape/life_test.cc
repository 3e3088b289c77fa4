// ESCAPES 42, 44 and 46: refusing to start, changing the rules from inside, outliving the session, taking too much.
#include <fcntl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "escape/escape.h"
#include "support/session.h"

namespace pale::test {
namespace {

namespace fs = std::filesystem;

using testing::AnyOf;
using testing::ContainsRegex;
using testing::Eq;
using testing::HasSubstr;
using testing::Lt;
using testing::Not;

class Life : public Escape {
 protected:
  static constexpr std::uint32_t kAny = 0xffffffff;
  // A call that a kernel may not have: all of it, or where (argument & mask) == value.
  struct Primitive {
    const char* says;  // what the refusal must speak of
    long call;
    int argument = 0;
    std::uint32_t mask = 0;
    std::uint32_t value = 0;
  };

  static std::vector<std::string> without(const Primitive& missing, int number) {
    return {PALE_ATTACK,
            "without",
            std::to_string(missing.call),
            std::to_string(missing.argument),
            std::to_string(missing.mask),
            std::to_string(missing.value),
            std::to_string(number)};
  }

  void expect_refusal(const Primitive& missing, const std::vector<std::string>& flags = {}) const {
    for (const int number : {ENOSYS, EPERM}) {
      const std::vector<std::string> command = {"/bin/sh", "-c", "echo started; echo started > marker"};
      const Finished finished = run(pale_run_by(without(missing, number), flags, command));
      EXPECT_THAT(finished.exit_code, AnyOf(125, 3)) << missing.says << ": " << finished.err;
      EXPECT_THAT(finished.err, ContainsRegex(missing.says));
      EXPECT_THAT(finished.out, Not(HasSubstr("started"))) << missing.says;
      EXPECT_FALSE(workspace().exists("marker")) << missing.says;
      fs::remove(workspace().path() / "marker");
    }
  }
};

TEST_P(Life, E42_WithoutAKernelPrimitiveNothingStarts) {
  const Primitive primitives[] = {
      {"namespaces", SYS_clone, 0, CLONE_NEWUSER, CLONE_NEWUSER},
      {"open filesystem", SYS_fsopen},
      {"filesystem option|make filesystem", SYS_fsconfig},
      {"mount", SYS_fsmount},
      {"clone mount", SYS_open_tree},
      {"restrict mount", SYS_mount_setattr},
      {"attach mount", SYS_move_mount},
      {"show the device", SYS_mount},
      {"enter the new root", SYS_pivot_root},
      {"old root", SYS_umount2},
      {"host name", SYS_sethostname},
      {"network", SYS_unshare, 0, CLONE_NEWNET, CLONE_NEWNET},
      {"ipc", SYS_unshare, 0, CLONE_NEWIPC, CLONE_NEWIPC},
      {"network", SYS_setns},
      {"Landlock", SYS_landlock_create_ruleset, 2, kAny, 0},
      {"Landlock", SYS_landlock_add_rule},
      {"Landlock", SYS_landlock_restrict_self},
      {"system call filter", SYS_seccomp, 0, kAny, SECCOMP_SET_MODE_FILTER},
      {"system call filter", SYS_seccomp, 1, SECCOMP_FILTER_FLAG_NEW_LISTENER, SECCOMP_FILTER_FLAG_NEW_LISTENER},
      {"no_new_privs", SYS_prctl, 0, kAny, PR_SET_NO_NEW_PRIVS},
      {"tie to parent", SYS_prctl, 0, kAny, PR_SET_PDEATHSIG},
      {"hide memory", SYS_prctl, 0, kAny, PR_SET_DUMPABLE},
      {"capabilities", SYS_capset},
      {"descriptors", SYS_close_range},
      {"watch a directory", SYS_fcntl, 1, kAny, F_NOTIFY},
      {"signals", SYS_signalfd4},
  };
  for (const Primitive& missing : primitives) expect_refusal(missing, {"--backend", "namespaces"});
  // On its own Pale may look for another way, but finds none that keeps a protected path firmly.
  for (const Primitive& missing : {primitives[0], primitives[5], primitives[7]}) expect_refusal(missing);
}

TEST_P(Life, E42_WithoutLandlockNothingStarts) {
  const Primitive landlock = {"Landlock", SYS_landlock_create_ruleset};
  expect_refusal(landlock);
  expect_refusal(landlock, {"--network", "open", "--unsafe-weak-protection"});
  expect_refusal(landlock, {"--backend", "landlock", "--unsafe-weak-protection"});
}

// Where the user accepts it, as on Linux 5.18 or before: the mounts, the filter and the watch hold by themselves.
TEST_P(Life, E42_WithoutLandlockTheRestHolds) {
  workspace().write(".mcp.json", "{}");
  const std::string script = R"(
    ./attack create open .envrc; ./attack create proc-self-fd-high .git; ./attack replace .mcp.json
    ./attack namespaces .mcp.json; ./attack ring
    cat $SECRET; echo hacked > /usr/hacked && echo succeeded
    trap '' TERM IO RTMIN  # Sent to the first process, they come back here.
    ./attack first-process | grep -v ^signal; kill -9 1
    exit 7)";
  const Primitive landlock = {"Landlock", SYS_landlock_create_ruleset};
  const Finished finished =
      run(pale_run_by(without(landlock, ENOSYS), {"--unsafe-weak-protection"}, {"/bin/bash", "-c", names() + script}));
  EXPECT_EQ(finished.exit_code, 7) << finished.err;
  EXPECT_THAT(finished.out, Not(HasSubstr("succeeded")));
  EXPECT_THAT(finished.out, Not(HasSubstr(Project::kSecret)));
  EXPECT_FALSE(workspace().exists(".envrc"));
  EXPECT_FALSE(workspace().exists(".git"));
  EXPECT_EQ(workspace().read(".mcp.json"), "{}");
}

TEST_P(Life, E44_NothingInsideChangesTheRules) {
  workspace().write("pale", "");
  fs::copy_file(pale_program(), workspace().path() / "pale", fs::copy_options::overwrite_existing);
  workspace().write(".envrc", "export A=1");
  const std::string before = workspace().snapshot() + project_.home().snapshot();
  const Finished run = shell(R"(
    export PALE_HOME=/tmp/pale PALE_PROTECT=none PALE_BACKEND=none PALE_NETWORK=open PALE_UNSAFE=1 HOME=/tmp
    mkdir -p .pale /tmp/.pale $PALE_HOME
    printf '[agent]\nprotected = []\n' | tee .pale/project.toml /tmp/.pale/config.toml $PALE_HOME/config.toml
    for f in /run/pale/boundary.json /run/pale; do
      echo '{}' > $f; rm -rf $f; mv $f /tmp/b; ln -sf /tmp/x $f; chmod 777 $f; mount --bind /tmp $f
    done
    attack="echo hacked > .envrc; echo hacked > .mcp.json; mkdir .vscode; echo hacked > /usr/hacked;
            cat $SECRET; echo hacked > $OUTSIDE/x"
    sh -c "$attack"
    for flags in '' '--rw /' '--rw /usr' "--rw $OUTSIDE" '--rw .envrc' '--rw .vscode' '--network open' \
                 '--unsafe-weak-protection' '--backend landlock --unsafe-weak-protection' '--backend namespaces'; do
      ./pale run --project-root $PWD $flags -- sh -c "$attack"
    done
    exit 7)");
  EXPECT_EQ(run.exit_code, 7) << run.err;
  EXPECT_THAT(run.out, Not(HasSubstr(Project::kSecret)));
  EXPECT_EQ(workspace().snapshot() + project_.home().snapshot(), before);
  EXPECT_FALSE(fs::exists("/usr/hacked"));
  // Nor is the next run any looser for it.
  const Finished next = shell("echo hacked > .envrc; echo hacked > .mcp.json; exit 7");
  EXPECT_EQ(next.exit_code, 7);
  EXPECT_EQ(workspace().snapshot() + project_.home().snapshot(), before);
}

TEST_P(Life, E46_OrphansDieWithTheSession) {
  const auto still = [&] { return workspace().read("beats"); };
  const auto expect_dead = [&] {
    const std::string last = still();
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    EXPECT_EQ(still(), last);
    EXPECT_FALSE(last.empty()) << "it lived";
    fs::remove(workspace().path() / "beats");
  };
  const std::string begin = "./attack daemon beats; while [ ! -s beats ]; do sleep 0.01; done; ";
  EXPECT_EQ(shell(begin + "exit 7").exit_code, 7);
  expect_dead();
  shell(begin + "sleep 60", {"--timeout", "1s"});
  expect_dead();
  for (const int number : {SIGTERM, SIGKILL}) {
    Session session(on_host(pale_run({}, {"/bin/sh", "-c", begin + "echo ready; exec sleep 60"})), Line::Pipes);
    session.expect("ready");
    const std::vector<pid_t> family = descendants_of(session.pid());
    EXPECT_GE(family.size(), 3U);
    session.send_signal(number);
    EXPECT_EQ(session.finish().exit_code, 128 + number);
    expect_dead();
    for (const pid_t pid : family) EXPECT_THAT(state_of(pid), AnyOf('?', 'Z')) << pid;
  }
}

TEST_P(Life, E46_ProcessesAreCounted) {
  const Finished run = attack({"processes", "500"}, {"--pids", "64"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(std::stoi(run.out.substr(run.out.find(' '))), AnyOf(Lt(64), Eq(64)));
  const auto start = std::chrono::steady_clock::now();
  project_.run_command({"--pids", "64", "--timeout", "1s"},
                       {"/bin/bash", "-c", "bomb() { bomb | bomb & }; bomb; sleep 30"});
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST_P(Life, E46_MemoryIsBounded) {
  const Finished run = attack({"memory", "1000"}, {"--memory", "200M"});
  if (run.exit_code == 0) {
    EXPECT_LT(std::stoi(run.out.substr(run.out.find(' '))), 200);
  } else {
    EXPECT_EQ(run.exit_code, 128 + SIGKILL) << run.err;
  }
}

TEST_P(Life, E46_PrivateFilesystemsAreBounded) {
  const Finished run = attack({"space", "/tmp", "/dev/shm"});
  const long memory = sysconf(_SC_PHYS_PAGES) / 256 * (sysconf(_SC_PAGESIZE) / 4096);  // MiB
  for (const std::string& line : lines_of(run.out)) {
    const long size = std::stol(line.substr(line.find(' ')));
    EXPECT_GT(size, 0) << line;
    EXPECT_LT(size, memory) << line;
  }
  EXPECT_EQ(lines_of(run.out).size(), 2U);
  // The rest of the new root takes nothing at all.
  const Finished full = shell(R"(
    for d in / /dev /run /run/pale /proc /etc /usr; do head -c 1000000 /dev/zero > $d/fill && echo succeeded; done
    exit 7)");
  EXPECT_EQ(full.exit_code, 7);
  EXPECT_THAT(full.out, Not(HasSubstr("succeeded")));
}

INSTANTIATE_TEST_SUITE_P(, Life, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
