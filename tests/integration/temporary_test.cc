// --temporary: a project for one run, gone afterwards, whatever the command did to it.
#include <signal.h>

#include "projects.h"
#include "support/session.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class Temporary : public WithProjects {
 protected:
  Words in_work() const { return {"TMPDIR=" + root()}; }
  Finished temporary(const std::string& line, const Words& flags = {}) const {
    return pale(Words{"run", "--temporary"} + flags + Words{"--", "/bin/sh", "-c", line}, in_work());
  }
  Words homes() const {
    Words names;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(in_pale_home("homes"), none))
      names.push_back(entry.path().filename());
    return names;
  }
  void expect_nothing_left() const {
    EXPECT_EQ(work().snapshot(), "");
    EXPECT_THAT(homes(), IsEmpty());
    EXPECT_TRUE(project_.records_are_idle());
  }
};

TEST_P(Temporary, ItIsAProjectOfItsOwnAndGoneAfterwards) {
  const Finished run =
      temporary("pwd; ls -A; echo made > file; cat file; mkdir -p .git/hooks; echo memory > ~/memory; exit 5");
  EXPECT_EQ(run.exit_code, 5) << run.err;
  EXPECT_THAT(run.out, AllOf(StartsWith(root() + "/pale-"), HasSubstr("\nmade\n")));
  EXPECT_THAT(run.err, HasSubstr("Read-only file system"));
  expect_nothing_left();
  EXPECT_FALSE(std::filesystem::exists(in_pale_home("projects.json")));
}

TEST_P(Temporary, EachIsItsOwn) {
  EXPECT_NE(temporary("pwd").out, temporary("pwd; cat ~/memory; echo x > ~/memory").out);
  EXPECT_EQ(temporary("ls -A | wc -l").out, "0\n");
  expect_nothing_left();
}

TEST_P(Temporary, WhereverTheCallerStandsItStartsInIt) {
  write_manifest("[project]\nid = \"here\"\n[agent]\ntrust = \"discovery\"\n");
  const TemporaryDirectory place(GetParam(), "place");
  const Finished run =
      pale_in(root(), {"run", "--temporary", "--", "sh", "-c", "pwd; echo x > file"}, {"TMPDIR=" + place.text()});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, StartsWith(place.text() + "/pale-"));
  EXPECT_EQ(place.snapshot(), "");
}

TEST_P(Temporary, WhatIsHardToRemoveIsRemoved) {
  const TemporaryDirectory victim(GetParam(), "victim");
  victim.write("file", "kept\n");
  const std::string before = victim.snapshot();
  const Finished run = temporary(
      "mkdir -p a/b/c; touch a/b/c/d; chmod 000 a/b/c a/b; chmod 555 a; mkdir closed; chmod 000 closed; mkfifo fifo; "
      "ln -s " +
      victim.text() + " link; ln -s " + victim.text() +
      "/file flink; mkdir \"$(printf 'new\\nline')\"; touch -- -rf; "
      "mkdir -p ~/closed/x; chmod 000 ~/closed; i=0; while [ $i -lt 200 ]; do mkdir d 2>/dev/null && cd d; i=$((i+1)); "
      "done");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_nothing_left();
  EXPECT_EQ(victim.snapshot(), before);
}

TEST_P(Temporary, ARootThatTheCommandClosedIsRemoved) {
  EXPECT_EQ(temporary("touch file; chmod 000 .; pwd").out.find(root() + "/pale-"), 0U);
  expect_nothing_left();
}

TEST_P(Temporary, ADeepTreeIsRemoved) {
  const Finished run = temporary("mkdir -p $(printf 'd/%.0s' $(seq 2000))");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  expect_nothing_left();
}

TEST_P(Temporary, WithKeepItStaysAndItsPlaceIsSaid) {
  const Finished run = temporary("echo made > file; pwd", {"--keep"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string place = run.out.substr(0, run.out.size() - 1);
  EXPECT_THAT(run.err, HasSubstr("kept in " + place));
  EXPECT_EQ(work().read(std::filesystem::path(place).filename().string() + "/file"), "made\n");
  EXPECT_EQ(temporary("true").exit_code, 0);  // which cleans up what others left
  EXPECT_TRUE(std::filesystem::exists(place + "/file"));
  EXPECT_EQ(pale({"run", "--project-root", place, "--", "cat", "file"}).out, "made\n");
}

TEST_P(Temporary, AfterAKillTheNextCommandRemovesIt) {
  Process process;
  process.arguments = {pale_program(),
                       "run",
                       "--temporary",
                       "--",
                       "sh",
                       "-c",
                       "echo x > file; mkdir closed; chmod 000 closed; echo up; read line"};
  process.account = GetParam();
  process.environment = environment_with(in_work());
  {
    Session session(process, Line::Pipes);
    session.expect("up");
    session.send_signal(SIGKILL);
    session.finish();
  }
  EXPECT_NE(work().snapshot(), "");
  const TemporaryDirectory other(GetParam(), "other");
  const Finished next = pale({"run", "--project-root", other.text(), "--", "true"});
  EXPECT_EQ(next.exit_code, 0) << next.err;
  EXPECT_EQ(work().snapshot(), "");
  EXPECT_THAT(homes(), testing::ElementsAre(StartsWith(other.path().filename().string())));
}

// At any moment, not only while the command runs: while the project is made or removed, too.
TEST_P(Temporary, AKillAtAnyMomentLeavesNothingAfterTheNextCommand) {
  ASSERT_EQ(temporary("true").exit_code, 0);  // The first run of all takes longer.
  for (int round = 0; round < 40; ++round) {
    Process process;
    process.arguments = {pale_program(), "run", "--temporary", "--", "sh", "-c", "mkdir -p a/b/c; echo x > a/b/c/d"};
    process.account = GetParam();
    process.environment = environment_with(in_work());
    Session session(process, Line::Pipes);
    usleep(static_cast<useconds_t>(round * 400));  // no synchronisation: any moment will do
    session.send_signal(SIGKILL);
    session.finish();
  }
  EXPECT_EQ(temporary("true").exit_code, 0);
  expect_nothing_left();
}

TEST_P(Temporary, WhatASignalEndsIsGoneToo) {
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    Process process;
    process.arguments = {
        pale_program(), "run", "--temporary", "--", "sh", "-c", "echo x > file; echo up; exec sleep 300"};
    process.account = GetParam();
    process.environment = environment_with(in_work());
    Session session(process, Line::Pipes);
    session.expect("up");
    session.send_signal(number);
    EXPECT_EQ(session.finish().exit_code, 128 + number);
    expect_nothing_left();
  }
}

TEST_P(Temporary, ACommandThatCannotStartLeavesNothing) {
  EXPECT_EQ(pale({"run", "--temporary", "--", "/no/such/program"}, in_work()).exit_code, 127);
  EXPECT_EQ(pale({"run", "--temporary", "--ro", "/no/such/place", "--", "true"}, in_work()).exit_code, 2);
  expect_nothing_left();
}

TEST_P(Temporary, ItIsOneOfTwoWaysToNameAProject) {
  EXPECT_EQ(temporary("true", {"-p", "app"}).exit_code, 2);
  EXPECT_EQ(temporary("true", {"--project-root", root()}).exit_code, 2);
  EXPECT_EQ(pale({"run", "--keep", "--project-root", root(), "--", "true"}).exit_code, 2);
  expect_nothing_left();
}

TEST_P(Temporary, ThereIsNothingToShowOfItBeforeItIsThere) {
  const Finished run = temporary("touch ran", {"--dry-run"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, AllOf(HasSubstr("--dry-run"), HasSubstr("hint: ")));
  expect_nothing_left();
}

TEST_P(Temporary, AShellAndAnAgentMayHaveOneToo) {
  EXPECT_EQ(pale_in("/", {"shell", "--temporary"}, in_work(), "echo x > file; ls\n").out, "file\n");
  home().write("tools/my-agent", "#!/bin/sh\necho \"$1\" > file; cat file; pwd\n");
  std::filesystem::permissions(home().path() / "tools/my-agent", std::filesystem::perms(0755));
  write_pale_home("agents/my-agent.toml", "name = \"my-agent\"\ntask = [\"my-agent\", \"{task}\"]\n");
  const Finished agent = pale({"agent", "run", "--temporary", "--agent", "my-agent", "the task"},
                              in_work() + Words{"PATH=" + home().text() + "/tools:/usr/bin:/bin"});
  EXPECT_THAT(agent.out, StartsWith("the task\n" + root() + "/pale-")) << agent.err;
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(, Temporary, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
