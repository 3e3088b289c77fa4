// Signals sent to `pale` reach the command, each once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <thread>

#include "support/session.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Says which signals it got; ends with the next line of its input.
constexpr const char* kCounter = R"(
import os, select, signal, sys
got = []
def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\n").encode())
# Through a pipe: what comes just before a blocking read would wait for that read.
numbers, wakeup = os.pipe()
os.set_blocking(wakeup, False)
signal.set_wakeup_fd(wakeup)
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1, signal.SIGUSR2):
    signal.signal(number, lambda number, frame: None)
say("ready")
while True:
    ready = select.select([0, numbers], [], [])[0]
    if numbers in ready:
        for number in os.read(numbers, 64):
            got.append(number)
            say("got", number)
    elif 0 in ready:
        break
say("all", got)
sys.exit(6)
)";

class Signals : public testing::TestWithParam<Account> {
 protected:
  Process pale(std::vector<std::string> command) const {
    Process process;
    process.arguments = {pale_program(), "run", "--project-root", project_.workspace().text(), "--"};
    process.arguments.insert(process.arguments.end(), command.begin(), command.end());
    process.account = GetParam();
    process.environment = project_.environment();
    return process;
  }

  Project project_{GetParam()};
};

TEST_P(Signals, EachReachesTheCommandExactlyOnce) {
  Session session(pale({"python3", "-c", kCounter}), Line::Pipes);
  session.expect("ready");
  for (const int number : {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGQUIT, SIGUSR2, SIGTERM}) {
    session.send_signal(number);
    session.expect("got " + std::to_string(number) + "\n");
  }
  session.type("\n");
  const Finished run = session.finish();
  EXPECT_THAT(run.out, HasSubstr("all [15, 2, 10, 1, 3, 12, 15]\n"));
  EXPECT_EQ(run.exit_code, 6);
}

TEST_P(Signals, TheyEndACommandThatDoesNothingAboutThem) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP, SIGUSR1}) {
    Session session(pale({"sh", "-c", "echo up; exec sleep 1000"}), Line::Pipes);
    session.expect("up");
    session.send_signal(number);
    EXPECT_EQ(session.finish().exit_code, 128 + number);
  }
}

TEST_P(Signals, CtrlCReachesACommandOnATerminalExactlyOnce) {
  Session session(pale({"python3", "-c", kCounter}), Line::Terminal);
  session.expect("ready");
  session.type("\x03");
  session.expect("got 2\r\n");
  session.type("\x1c");
  session.expect("got 3\r\n");
  session.type("\n");
  const Finished run = session.finish();
  EXPECT_THAT(run.out, HasSubstr("all [2, 3]\r\n"));
  EXPECT_EQ(run.exit_code, 6);
}

TEST_P(Signals, CtrlCInAPipelineReachesTheCommandExactlyOnce) {
  // As in `pale run … | tee log`: the command shares its process group with the rest of the pipeline.
  Process shell = pale({"python3", "-c", kCounter});
  shell.arguments.insert(shell.arguments.begin(),
                         {"/bin/bash", "-c", "trap : INT; { \"$@\"; echo code $? >&2; } | (trap '' INT; cat)", "bash"});
  Session session(shell, Line::Terminal);
  session.expect("ready");
  session.type("\x03");
  session.expect("got 2\r\n");
  session.type("\n");
  // Either the shell or cat comes first.
  EXPECT_THAT(session.finish().out, AllOf(HasSubstr("all [2]\r\n"), HasSubstr("code 6")));
}

TEST_P(Signals, CtrlCEndsACommandWithExitCode130) {
  Session session(pale({"sh", "-c", "echo up; exec sleep 1000"}), Line::Terminal);
  session.expect("up");
  session.type("\x03");
  EXPECT_EQ(session.finish().exit_code, 130);
}

TEST_P(Signals, KillingPaleEndsEverythingInside) {
  Session session(
      pale({"sh", "-c", "setsid sleep 1000 & setsid sh -c 'trap \"\" TERM HUP; echo up; sleep 1000' & wait"}),
      Line::Pipes);
  session.expect("up");
  const std::vector<pid_t> inside = descendants_of(session.pid());
  ASSERT_GE(inside.size(), 4U);
  session.send_signal(SIGKILL);
  EXPECT_EQ(session.finish().exit_code, 137);  // Ends only when nobody holds the output any more.
  for (const pid_t pid : inside) {
    while (state_of(pid) != '?' && state_of(pid) != 'Z') std::this_thread::yield();
  }
  EXPECT_EQ(project_.run_command({}, {"true"}).exit_code, 0);
}

TEST_P(Signals, WhatTheCommandLeavesBehindEndsWithIt) {
  const Finished run = project_.run_script("setsid sh -c 'sleep 1000' & (setsid sleep 1000 &) ; exit 9");
  EXPECT_EQ(run.exit_code, 9);  // And the output was closed, or this would never have ended.
}

INSTANTIATE_TEST_SUITE_P(, Signals, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
