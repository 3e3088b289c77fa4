// The landlock backend alone, as where no user namespace is to be had: it keeps what it can and refuses the rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "base/json_value.h"
#include "support/session.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::Each;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

class LandlockBackend : public testing::TestWithParam<Account> {
 protected:
  LandlockBackend() {
    project_.workspace().write("AGENTS.md", "rules");
    project_.workspace().write("sub/file", "old");
  }
  std::string root() const { return project_.workspace().text(); }

  Finished run_landlock(const std::string& script, std::vector<std::string> flags) const {
    flags.insert(flags.begin(), {"--backend", "landlock"});
    return project_.run_script(script, flags);
  }
  // Read-only but for sub: nothing in it is protected.
  Finished run_narrow(const std::string& script, std::vector<std::string> flags = {}) const {
    flags.insert(flags.begin(), {"--ro", ".", "--rw", "sub"});
    return run_landlock(script, std::move(flags));
  }

  Process session(const std::string& script) const {
    Process process;
    process.arguments = {pale_program(), "run", "--project-root", root(), "--backend", "landlock",
                         "--ro",         ".",   "--rw",           "sub",  "--",        "sh",
                         "-c",           script};
    process.account = GetParam();
    process.environment = project_.environment();
    return process;
  }

  Project project_{GetParam()};
  TemporaryDirectory receipts_{GetParam(), "receipts"};
};

TEST_P(LandlockBackend, RefusesProtectionInsideAWritableRoot) {
  const Finished run = run_landlock("touch ran", {"--protect", "AGENTS.md"});
  EXPECT_EQ(run.exit_code, 125);
  EXPECT_THAT(run.err, AllOf(HasSubstr("(default)"), HasSubstr(root()), HasSubstr("--unsafe-weak-protection"),
                             HasSubstr("hint: ")));
  EXPECT_FALSE(project_.workspace().exists("ran"));
}

TEST_P(LandlockBackend, RefusesWhatLiesInsideSomethingThatIsGranted) {
  for (const auto& [flag, path] : std::vector<std::pair<std::string, std::string>>{
           {"--hide", "sub/file"}, {"--ro", "sub/file"}, {"--protect", "sub/new"}}) {
    const Finished run = run_narrow("touch sub/ran", {flag, path});
    EXPECT_EQ(run.exit_code, 125) << flag;
    EXPECT_THAT(run.err, AllOf(HasSubstr(root() + "/" + path + " "), HasSubstr("(" + flag + ")"), HasSubstr("hint: ")))
        << flag;
  }
  EXPECT_FALSE(project_.workspace().exists("sub/ran"));
}

TEST_P(LandlockBackend, WeakProtectionHoldsByNotificationAndIsRecorded) {
  const std::string receipt = receipts_.text() + "/receipt.json";
  const Finished run = run_landlock(R"(
echo no > .envrc; echo no > AGENTS.md; rm -f AGENTS.md; mv AGENTS.md away; ln AGENTS.md link; chmod 600 AGENTS.md; touch -d yesterday AGENTS.md
echo new > sub/new; mv sub moved; cat AGENTS.md)",
                                    {"--unsafe-weak-protection", "--protect", "AGENTS.md", "--receipt", receipt});
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "rules");
  EXPECT_THAT(run.err, HasSubstr("cannot create .envrc: Read-only file system"));
  EXPECT_EQ(project_.workspace().read("AGENTS.md"), "rules");
  EXPECT_EQ(project_.workspace().read("moved/new"), "new\n");
  for (const char* name : {".envrc", "away", "link"}) EXPECT_FALSE(project_.workspace().exists(name)) << name;
  const auto recorded = JsonValue::parse(receipts_.read("receipt.json"), 16);
  ASSERT_TRUE(recorded.has_value());
  std::vector<std::string> weaker;
  for (const JsonValue& line : recorded->find("weaker")->items()) weaker.push_back(*line.text());
  EXPECT_THAT(weaker, Each(HasSubstr("notification alone")));
  EXPECT_THAT(weaker, IsSupersetOf({HasSubstr(root() + "/.envrc "), HasSubstr(root() + "/AGENTS.md ")}));
}

TEST_P(LandlockBackend, NeedsNoFlagWhereNothingWritableIsProtected) {
  const Finished run = run_narrow(
      "echo no > top; echo no > AGENTS.md; echo new > sub/file; mkdir sub/dir && mv sub/file sub/dir; cat AGENTS.md");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(run.out, "rules");
  EXPECT_THAT(run.err, HasSubstr("cannot create top: Permission denied"));
  EXPECT_EQ(project_.workspace().read("sub/dir/file"), "new\n");
  EXPECT_EQ(project_.workspace().read("AGENTS.md"), "rules");
}

TEST_P(LandlockBackend, NothingElseOfTheHostCanBeReadOrWritten) {
  const TemporaryDirectory outside(GetParam(), "outside");
  outside.write("file", "theirs");
  outside.write("other", "theirs");
  const std::string place = outside.text();
  const Finished run = run_narrow("cat " + place + "/file; ls " + place + "; echo no > " + place + "/file; echo no > " +
                                  place + "/new; rm -f " + place + "/other; cat " + project_.home().text() +
                                  "/.ssh/id_test; cat /etc/shadow; ls / /root");
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(outside.read("file"), "theirs");
  EXPECT_TRUE(outside.exists("other"));
  EXPECT_FALSE(outside.exists("new"));
}

TEST_P(LandlockBackend, ModesAndTimesOfFilesOutsideCannotBeChanged) {
  const TemporaryDirectory outside(GetParam(), "outside");
  outside.write("file", "theirs");
  const std::string before = outside.snapshot();
  run_narrow("chmod 777 AGENTS.md " + outside.text() + "/file; touch -d yesterday " + outside.text() + "/file");
  EXPECT_EQ(outside.snapshot(), before);
  const auto mode = std::filesystem::status(project_.workspace().path() / "AGENTS.md").permissions();
  EXPECT_EQ(mode & std::filesystem::perms::others_write, std::filesystem::perms::none);
}

TEST_P(LandlockBackend, TheNetworkNoneMeansNoInternetSockets) {
  const std::string script = R"(python3 -c '
import socket
for family in (socket.AF_INET, socket.AF_INET6):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        try:
            socket.socket(family, kind)
            print("socket")
        except OSError as error:
            print(error.strerror)
a, b = socket.socketpair()
print("unix")')";
  const std::string denied = "Permission denied\n";
  EXPECT_EQ(run_narrow(script).out, denied + denied + denied + denied + "unix\n");
  EXPECT_THAT(run_narrow(script, {"--network", "open"}).out, Not(HasSubstr(denied)));
}

// What a unix socket is for is refused, and those who can do without go on.
TEST_P(LandlockBackend, OnlyConnectedPairsOfUnixSocketsCanBeHadWhateverTheNetwork) {
  const std::string script = R"(python3 -c '
import pwd, socket, syslog
for kind in (socket.SOCK_STREAM, socket.SOCK_SEQPACKET, socket.SOCK_DGRAM):
    for make in (socket.socket, socket.socketpair):
        try:
            made = make(socket.AF_UNIX, kind | socket.SOCK_NONBLOCK)
            made[0].send(b"sent")
            print(made[1].recv(10).decode())
        except OSError as error:
            print(error.strerror)
syslog.syslog("to nobody")
print(pwd.getpwnam("root").pw_uid)')";
  const std::string denied = "Permission denied\n", pair = denied + "sent\n";
  for (const char* network : {"none", "open"})
    EXPECT_EQ(run_narrow(script, {"--network", network}).out, pair + pair + denied + denied + "0\n") << network;
}

TEST_P(LandlockBackend, AProcessSetsItsOwnLimitsPrioritiesAndProcessors) {
  const std::string script = R"(python3 -c '
import os, resource, threading
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
resource.prlimit(os.getppid(), resource.RLIMIT_CORE)
before = os.getpriority(os.PRIO_PROCESS, 0)
os.setpriority(os.PRIO_PROCESS, 0, before + 3)
thread = threading.Thread(target=lambda: os.sched_setaffinity(threading.get_native_id(), os.sched_getaffinity(0)))
thread.start(); thread.join()
print(os.nice(1) - before)' && ulimit -n 100 && nice -n 5 taskset -c 0 ionice -c 3 echo all)";
  const Finished run = run_narrow(script);
  EXPECT_EQ(run.out, "4\nall\n") << run.err;
}

TEST_P(LandlockBackend, ExplainAndTheReceiptSayWhatIsRefusedInPlaceOfNamespaces) {
  const std::string receipt = receipts_.text() + "/receipt.json";
  const std::string sockets = "unix sockets, but for connected pairs";
  EXPECT_EQ(run_narrow("true", {"--receipt", receipt}).exit_code, 0);
  EXPECT_THAT(receipts_.read("receipt.json"), HasSubstr("\"refused\":[\"" + sockets));
  EXPECT_THAT(run_narrow("true", {"--dry-run"}).out,
              AllOf(HasSubstr("  none: no sockets at all"), HasSubstr("  refused: " + sockets)));
  EXPECT_THAT(run_narrow("true", {"--dry-run", "--json"}).out, HasSubstr("\"refused\":[\"" + sockets));
}

TEST_P(LandlockBackend, ProcessesOutsideCannotBeSignalledNorTheirMemoryRead) {
  Process sleeper;
  sleeper.arguments = {"/bin/sh", "-c", "echo up; exec sleep 1000"};
  sleeper.account = GetParam();
  sleeper.environment = project_.environment();
  Session outside(sleeper, Line::Pipes);
  outside.expect("up");
  const std::string pid = std::to_string(outside.pid());
  const Finished run = run_narrow("kill -KILL " + pid + "; kill -0 " + pid + "; cat /proc/" + pid +
                                  "/environ; sleep 1000 & kill $! && echo own");
  EXPECT_EQ(run.out, "own\n");
  EXPECT_THAT(run.err, HasSubstr("Operation not permitted"));
  EXPECT_NE(state_of(outside.pid()), 'Z');
}

TEST_P(LandlockBackend, BackgroundProcessesEndWithTheRun) {
  const Finished run = run_narrow("setsid sleep 1000 & (setsid sh -c 'trap \"\" TERM; sleep 1000' &) ; exit 8");
  EXPECT_EQ(run.exit_code, 8);  // And the output was closed, or this would never have ended.
}

TEST_P(LandlockBackend, KillingPaleEndsEverythingInside) {
  Session session(this->session("setsid sleep 1000 & (setsid sleep 1000 &); echo up; sleep 1000"), Line::Pipes);
  session.expect("up");
  const std::vector<pid_t> inside = descendants_of(session.pid());
  ASSERT_GE(inside.size(), 4U);
  session.send_signal(SIGKILL);
  EXPECT_EQ(session.finish().exit_code, 137);
  for (const pid_t pid : inside) {
    while (state_of(pid) != '?' && state_of(pid) != 'Z') std::this_thread::yield();
  }
}

TEST_P(LandlockBackend, SignalsReachTheCommandOnce) {
  Session session(this->session("trap 'echo got' USR1; echo up; until read line; do :; done; exit 4"), Line::Pipes);
  session.expect("up");
  session.send_signal(SIGUSR1);
  session.expect("got");
  session.type("\n");
  const Finished run = session.finish();
  EXPECT_EQ(run.exit_code, 4);
  EXPECT_EQ(run.out.find("got"), run.out.rfind("got"));
}

INSTANTIATE_TEST_SUITE_P(, LandlockBackend, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
