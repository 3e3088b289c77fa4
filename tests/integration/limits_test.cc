// --timeout, --memory and --pids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "support/host.h"

namespace pale::test {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

class LimitsOfARun : public testing::TestWithParam<Account> {
 protected:
  Project project_{GetParam()};
};

TEST_P(LimitsOfARun, TheCommandIsToldToEndWhenItsTimeIsOver) {
  // On a slow machine the time may be over before the command could say what it does then: it gets more.
  Finished run;
  for (int seconds = 1; seconds < 60 && run.out.empty(); seconds *= 2) {
    run = project_.run_script("trap 'echo told; exit 7' TERM; while :; do sleep 0.1; done",
                              {"--timeout", std::to_string(seconds)});
  }
  EXPECT_EQ(run.out, "told\n");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.err, HasSubstr("time limit"));
}

TEST_P(LimitsOfARun, ACommandThatDoesNotListenIsKilledAfterAMoment) {
  const Finished run = project_.run_script("trap '' TERM; while :; do sleep 100; done", {"--timeout", "1s"});
  EXPECT_EQ(run.exit_code, 137);
  EXPECT_THAT(run.err, HasSubstr("time limit"));
}

TEST_P(LimitsOfARun, ACommandThatEndsInTimeIsNotTouched) {
  const Finished run = project_.run_script("exit 5", {"--timeout", "10m"});
  EXPECT_EQ(run.exit_code, 5);
  EXPECT_EQ(run.err, "");
}

TEST_P(LimitsOfARun, MemoryBeyondTheLimitCannotBeHad) {
  const Finished much =
      project_.run_command({"--memory", "128M"}, {"python3", "-c", "x = b'x' * (512 << 20); print('had it')"});
  EXPECT_THAT(much.out, Not(HasSubstr("had it")));
  EXPECT_THAT(much.exit_code, AnyOf(1, 137)) << much.err;  // MemoryError by rlimit, the kernel's killer by cgroup
  const Finished little =
      project_.run_command({"--memory", "128M"}, {"python3", "-c", "x = b'x' * (32 << 20); print('had it')"});
  EXPECT_EQ(little.out, "had it\n") << little.err;
}

TEST_P(LimitsOfARun, ProcessesBeyondTheLimitCannotBeStarted) {
  const Finished run = project_.run_command({"--pids", "12"}, {"python3", "-c", R"(
import os, signal
children = []
try:
    for _ in range(100):
        pid = os.fork()
        if pid == 0:
            signal.pause()
        children.append(pid)
except BlockingIOError:
    print("no more")
print(len(children) <= 12)
for pid in children:
    os.kill(pid, signal.SIGKILL))"});
  EXPECT_EQ(run.out, "no more\nTrue\n") << run.err;
  EXPECT_EQ(run.exit_code, 0);
}

// A cgroup counts all of a sandbox. An ordinary user may have none: a resource limit counts the command and what it starts.
TEST_P(LimitsOfARun, ALimitThatLeavesNoRoomSaysWhatWould) {
  const Finished run = project_.run_command({"--pids", "1"}, {"true"});
  if (GetParam() == Account::Root) {
    EXPECT_EQ(run.exit_code, 125);
    EXPECT_THAT(run.err, HasSubstr("hint: --pids 2"));
  } else {
    EXPECT_THAT(run.exit_code, AnyOf(0, 125)) << run.err;
  }
  EXPECT_EQ(project_.run_command({"--pids", "2"}, {"true"}).exit_code, 0);
}

TEST_P(LimitsOfARun, AForkBombEndsWithItsRun) {
  // The shell starts one process, while there is room, and then counts without starting any: a pipe in its own hands
  // would be two, and the second may be refused.
  const Finished run = project_.run_script(
      "bomb() { bomb | bomb & }; (bomb) & i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; exit 4",
      {"--pids", "40"});
  EXPECT_EQ(run.exit_code, 4) << run.err;
  EXPECT_EQ(project_.run_script("exit 0").exit_code, 0);
}

TEST_P(LimitsOfARun, ALimitThatIsNoNumberIsAnError) {
  for (const auto& [flag, value] :
       std::vector<std::pair<std::string, std::string>>{{"--memory", "much"},
                                                        {"--memory", "0"},
                                                        {"--memory", ""},
                                                        {"--pids", "-1"},
                                                        {"--pids", "1K"},
                                                        {"--timeout", "soon"},
                                                        {"--timeout", "99999999999999999999"}}) {
    const Finished run = project_.run_command({flag, value}, {"true"});
    EXPECT_EQ(run.exit_code, 2) << flag << " " << value;
    EXPECT_THAT(run.err, HasSubstr("hint: " + flag)) << value;
  }
}

INSTANTIATE_TEST_SUITE_P(, LimitsOfARun, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
