// On a terminal: job control, its size, its modes, a shell, an editor.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cstring>
#include <thread>

#include "support/session.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class OnATerminal : public testing::TestWithParam<Account> {
 protected:
  std::vector<std::string> pale(std::vector<std::string> command) const {
    std::vector<std::string> words = {pale_program(), "run", "--project-root", project_.workspace().text(), "--"};
    words.insert(words.end(), command.begin(), command.end());
    return words;
  }

  Process process(std::vector<std::string> arguments) const {
    Process process;
    process.arguments = std::move(arguments);
    process.account = GetParam();
    process.environment = project_.environment();
    process.environment.emplace_back("TERM=xterm");
    process.environment.emplace_back("PS1=> ");
    return process;
  }

  // An interactive shell, and the path of a script in the project.
  Process shell() const { return process({"/bin/bash", "--norc", "--noprofile", "--noediting", "-i"}); }
  std::string script(const std::string& name, std::string_view text) const {
    project_.workspace().write(name, text);
    return pale_program() + " run --project-root " + project_.workspace().text() + " -- sh " + name + "\n";
  }

  static void wait_a_moment() { std::this_thread::sleep_for(std::chrono::milliseconds(10)); }

  Project project_{GetParam()};
};

TEST_P(OnATerminal, TheCommandHasIt) {
  Session session(
      process(
          pale({"sh", "-c", "test -t 0 && test -t 1 && test -t 2 && tty && echo yes > /dev/tty && ps -o stat= -p $$"})),
      Line::Terminal);
  const Finished run = session.finish();
  EXPECT_EQ(run.exit_code, 0) << run.out;
  EXPECT_THAT(run.out, HasSubstr("/dev/console\r\n"));
  EXPECT_THAT(run.out, HasSubstr("yes\r\n"));
  EXPECT_THAT(run.out, HasSubstr("+\r\n"));  // in the foreground
}

// On a terminal of the account's own, which its mode lets nobody else open.
TEST_P(OnATerminal, ItsStreamsCanBeOpenedByTheirNames) {
  std::string line =
      script("job", "echo error > /dev/stderr; echo output > /dev/stdout; read x < /dev/stdin; echo got $x");
  line.pop_back();
  Session session(process({"/usr/bin/script", "-qec", line, "/dev/null"}), Line::Terminal);
  session.expect("error");
  session.expect("output");
  session.type("hello\n");
  session.expect("got hello");
  EXPECT_EQ(session.finish().exit_code, 0);
}

TEST_P(OnATerminal, ItsSizePassesAndChangesArrive) {
  Session session(process(pale({"python3", "-c", R"(
import os, signal
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGWINCH})
def show():
    size = os.get_terminal_size()
    os.write(1, f"{size.lines}x{size.columns}\n".encode())
show()
signal.sigwait({signal.SIGWINCH})
show())"})),
                  Line::Terminal);
  session.expect("24x80");
  session.resize({.rows = 40, .columns = 132});
  session.expect("40x132");
  EXPECT_EQ(session.finish().exit_code, 0);
}

TEST_P(OnATerminal, CtrlZStopsBothAndForegroundGoesOn) {
  Session session(shell(), Line::Terminal);
  session.type(script("job", "echo star''ted; read line; echo got $line; exit 3"));
  session.expect("started");
  session.type("\x1a");
  session.expect("Stopped");
  const std::vector<pid_t> family = descendants_of(session.pid());
  ASSERT_EQ(family.size(), 3U);  // pale, the first process inside, the command
  EXPECT_EQ(state_of(family[0]), 'T');
  EXPECT_EQ(state_of(family[2]), 'T');
  session.type("jobs\nfg\n");
  session.expect("Stopped");
  session.expect("pale run");
  session.type("hello\n");
  session.expect("got hello");
  session.type("echo code $?\n");
  session.expect("code 3");
  session.type("exit\n");
  session.finish();
}

TEST_P(OnATerminal, StoppedTwiceItStillGoesOn) {
  Session session(shell(), Line::Terminal);
  session.type(script("job", "for i in 1 2 3; do echo ask''ing; read line; echo got $line; done"));
  for (const std::string word : {"one", "two"}) {
    session.expect("asking");
    session.type("\x1a");
    session.expect("Stopped");
    session.type("fg\n");
    session.expect("pale run");
    session.type(word + "\n");
    session.expect("got " + word);
  }
  session.expect("asking");
  session.type("\x03");
  session.expect("> ");
  session.type("echo code $?\n");
  session.expect("code 130");
  session.type("exit\n");
  session.finish();
}

TEST_P(OnATerminal, AStoppedRunEndsWithItsShell) {
  Session session(shell(), Line::Terminal);
  session.type(script("job", "echo star''ted; read line"));
  session.expect("started");
  session.type("\x1a");
  session.expect("Stopped");
  // The kernel lists children while they come and go.
  std::vector<pid_t> family = descendants_of(session.pid());
  for (int tries = 0; tries < 1000 && family.size() != 3; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    family = descendants_of(session.pid());
  }
  ASSERT_EQ(family.size(), 3U);
  session.send_signal(SIGKILL);
  session.finish();
  for (const pid_t pid : family) {
    while (state_of(pid) != '?' && state_of(pid) != 'Z') std::this_thread::yield();
  }
}

TEST_P(OnATerminal, InTheBackgroundItWaitsBeforeItReadsTheTerminal) {
  Session session(shell(), Line::Terminal);
  std::string line = script("job", "read line; echo got $line");
  line.insert(line.size() - 1, " &");
  session.type(line);
  session.type("wait\n");
  session.expect("Stopped");
  session.type("fg\n");
  session.expect("pale run");
  session.type("hello\n");
  session.expect("got hello");
  session.type("exit\n");
  session.finish();
}

// The line editor of a shell has modes of its own while a job in the background asks for the terminal.
TEST_P(OnATerminal, BroughtToTheForegroundItHasTheModesOfAJobThere) {
  Session session(process({"/bin/bash", "--norc", "--noprofile", "-i"}), Line::Terminal);
  std::string line = script("job", "while ! [ -e go ]; do sleep .01; done; cat; echo en''ded");
  line.insert(line.size() - 1, " &");
  session.type(line);
  session.expect("[1] ");
  session.expect("> ");
  for (int tries = 0; tries < 1000 && (session.modes().c_lflag & ICANON) != 0U; ++tries) wait_a_moment();
  ASSERT_EQ(session.modes().c_lflag & ICANON, 0U);
  project_.workspace().write("go", "");
  const pid_t supervisor = descendants_of(session.pid()).at(0);
  for (int tries = 0; tries < 1000 && state_of(supervisor) != 'T'; ++tries) wait_a_moment();
  session.type("fg\n");
  session.expect("-- sh job\r\n");
  session.type("hello\n");
  session.expect("hello\r\nhello\r\n");  // as it was typed, and as cat has it
  EXPECT_NE(session.modes().c_lflag & ICANON, 0U);
  EXPECT_NE(session.modes().c_lflag & ECHO, 0U);
  session.type("\x04");
  session.expect("ended");
  session.type("exit\n");
  session.finish();
}

TEST_P(OnATerminal, InTheBackgroundItsEndLeavesTheModesOfTheForegroundAlone) {
  Session session(shell(), Line::Terminal);
  std::string line = script("job", "echo star''ted; exec sleep 50");
  line.insert(line.size() - 1, " &");
  session.type(line);
  session.expect("started");
  session.type(
      "sh -c 'stty -isig -opost; kill -TERM '$!'; while kill -0 '$!' 2>&-; do sleep .1; done; stty -a; stty sane'\n");
  session.expect("-isig");  // of the line that was typed
  session.expect("speed");
  session.expect("-opost");
  session.expect("-isig");
  session.type("exit\n");
  session.finish();
}

TEST_P(OnATerminal, ItsModesAreRestoredAfterACommandDiedInRawMode) {
  Session session(shell(), Line::Terminal);
  session.type("stty sane; echo mar''k\n");
  session.expect("mark");
  session.expect("> ");
  session.type(script("raw", "echo be''fore; read line; stty raw -echo; echo af''ter; kill -9 $$"));
  session.expect("before");
  const termios before = session.modes();
  session.type("\n");
  session.expect("after");
  session.expect("> ");
  const termios after = session.modes();
  EXPECT_EQ(after.c_iflag, before.c_iflag);
  EXPECT_EQ(after.c_oflag, before.c_oflag);
  EXPECT_EQ(after.c_lflag, before.c_lflag);
  EXPECT_EQ(after.c_cflag, before.c_cflag);
  session.type("echo code $?\n");
  session.expect("code 137");
  session.type("exit\n");
  session.finish();
}

TEST_P(OnATerminal, AShellRunsLinesAndItsExitCodePasses) {
  Session session(process({pale_program(), "shell", "--project-root", project_.workspace().text()}), Line::Terminal);
  session.type("echo hi; exit 3\n");
  const Finished run = session.finish();
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.out, HasSubstr("\rhi\r\n"));
  EXPECT_THAT(run.out, Not(HasSubstr("no job control")));
}

TEST_P(OnATerminal, AShellInsideHasJobControlOfItsOwn) {
  Session session(process({pale_program(), "shell", "--project-root", project_.workspace().text()}), Line::Terminal);
  session.type("sh -c 'echo star\"\"ted; read x; echo got $x'\n");
  session.expect("started");
  session.type("\x1a");
  session.expect("Stopped");
  session.expect("@pale");  // the prompt
  session.type("fg\n");
  session.expect("got $x");
  session.type("hello\n");
  session.expect("got hello");
  session.expect("@pale");
  session.type("exit 5\n");
  EXPECT_EQ(session.finish().exit_code, 5);
}

TEST_P(OnATerminal, VimEditsAFileOfTheProject) {
  project_.workspace().write("notes.txt", "second\n");
  Session session(process(pale({"vim", "notes.txt"})), Line::Terminal);
  session.expect("second");
  session.type("Ofirst\x1b:wq\r");
  EXPECT_EQ(session.finish().exit_code, 0);
  EXPECT_EQ(project_.workspace().read("notes.txt"), "first\nsecond\n");
  EXPECT_FALSE(project_.workspace().exists(".notes.txt.swp"));
}

INSTANTIATE_TEST_SUITE_P(, OnATerminal, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
