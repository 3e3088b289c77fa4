// ESCAPE 1, after the race is won: whatever else a program did, what appeared at a protected path does not stay there.
#include <sys/stat.h>

#include <csignal>
#include <functional>

#include "escape/escape.h"
#include "support/session.h"

namespace pale::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Sweep : public Escape {
 protected:
  Sweep() : Escape(PaleHome::Own) {}

  // A run during which a program won each race, which the host does in its place; its first process saw nothing of it.
  Finished won(const std::function<void()>& planting, const std::vector<std::string>& starter = {}) const {
    Session session(pale_run_by(starter, {}, {"./attack", "stay"}), Line::Pipes);
    session.expect("here");
    const pid_t first = descendants_of(session.pid()).at(0);
    EXPECT_EQ(kill(first, SIGSTOP), 0);
    planting();
    EXPECT_EQ(kill(first, SIGKILL), 0);
    return session.finish();
  }

  void close(const std::string& name) const { ASSERT_EQ(chmod((workspace().path() / name).c_str(), 0), 0) << name; }
  unsigned mode(const std::string& name) const {
    struct stat info = {};
    EXPECT_EQ(lstat((workspace().path() / name).c_str(), &info), 0) << name;
    return info.st_mode & 07777U;
  }
};

TEST_P(Sweep, E01_ADirectoryThatIsClosedHidesNothing) {
  workspace().make_directory(".git");
  workspace().write(".claude/settings.json", "{}");
  const Finished run = won([&] {
    for (const char* name : {".mcp.json", ".git/commondir", ".claude/settings.local.json"})
      workspace().write(name, "x");
    for (const char* name : {".git", ".claude", "."}) close(name);
  });
  EXPECT_EQ(run.exit_code, 3) << run.out;
  for (const char* name : {".", ".git", ".claude"}) {
    EXPECT_EQ(mode(name), 0U) << "only for a moment it was another one";
    fs::permissions(workspace().path() / name, fs::perms::owner_all);
  }
  for (const char* name : {".mcp.json", ".git/commondir", ".claude/settings.local.json"}) {
    EXPECT_FALSE(workspace().exists(name)) << name;
    EXPECT_THAT(run.out, HasSubstr("/" + std::string(name) + " appeared at a protected path")) << name;
  }
  EXPECT_EQ(workspace().read(".claude/settings.json"), "{}");
  EXPECT_EQ(quarantined(), 3U);
  EXPECT_TRUE(project_.records_are_idle());
}

TEST_P(Sweep, E01_WhatAppearedMayBeClosedItself) {
  const Finished run = won([&] {
    workspace().write(".vscode/deep/tasks.json", "x");
    for (const char* name : {".vscode/deep", ".vscode"}) close(name);
  });
  EXPECT_EQ(run.exit_code, 3) << run.out;
  EXPECT_FALSE(workspace().exists(".vscode"));
  EXPECT_EQ(quarantined(), 1U);
}

TEST_P(Sweep, E01_AlsoIfTheQuarantineLiesOnAnotherFilesystem) {
  const TemporaryDirectory other(GetParam(), "home", "/dev/shm");
  const Finished run = won(
      [&] {
        workspace().write(".vscode/deep/tasks.json", "x");
        for (const char* name : {".vscode/deep/tasks.json", ".vscode/deep"}) close(name);
      },
      {"/usr/bin/env", "PALE_HOME=" + other.text()});
  EXPECT_EQ(run.exit_code, 3) << run.out;
  EXPECT_FALSE(workspace().exists(".vscode"));
  EXPECT_THAT(other.snapshot(), HasSubstr("-.vscode/deep/tasks.json"));
}

TEST_P(Sweep, E01_WhatCannotBeMovedThereHasAnotherNameAtLeast) {
  std::ofstream(project_.pale_home() / "quarantine") << "not a directory";
  const Finished run = won([&] {
    for (const char* name : {".envrc", ".mcp.json"}) workspace().write(name, "x");
  });
  EXPECT_EQ(run.exit_code, 3) << run.out;
  EXPECT_THAT(run.out, HasSubstr("is now " + workspace().text() + "/quarantine-"));
  EXPECT_THAT(run.out, HasSubstr("hint: rm -rf "));
  for (const char* name : {".envrc", ".mcp.json"}) EXPECT_FALSE(workspace().exists(name)) << name;
  fs::remove(project_.pale_home() / "quarantine");
  EXPECT_EQ(shell("exit 7").exit_code, 7);
  EXPECT_TRUE(project_.records_are_idle());
}

// Above the project nobody opens anything: then it stays on record, and other projects are no worse for it.
TEST_P(Sweep, E01_WhatCannotBeReachedIsLeftToTheNextCommandAndBlocksNone) {
  const TemporaryDirectory above(GetParam(), "above");
  above.make_directory("project");
  const auto run_there = [&](const std::vector<std::string>& command) {
    std::vector<std::string> words = {pale_program(), "run", "--project-root", above.text() + "/project", "--"};
    words.insert(words.end(), command.begin(), command.end());
    return on_host(words);
  };
  Session session(run_there({"sh", "-c", "echo here; exec sleep 60"}), Line::Pipes);
  session.expect("here");
  ASSERT_EQ(kill(descendants_of(session.pid()).at(0), SIGSTOP), 0);
  above.write("project/.mcp.json", "x");
  ASSERT_EQ(chmod(above.text().c_str(), 0), 0);
  session.send_signal(SIGKILL);
  session.finish();
  const Finished elsewhere = shell("exit 7");
  EXPECT_EQ(elsewhere.exit_code, 7) << elsewhere.err;
  const bool reached = GetParam() == Account::Root;  // whom no mode keeps out
  EXPECT_EQ(project_.records_are_idle(), reached);
  ASSERT_EQ(chmod(above.text().c_str(), 0755), 0);
  if (!reached) {
    EXPECT_THAT(elsewhere.err, HasSubstr(above.text() + "/project"));
    EXPECT_THAT(elsewhere.err, HasSubstr("hint: each run tries again"));
    EXPECT_TRUE(above.exists("project/.mcp.json"));
  }
  EXPECT_EQ(shell("exit 7").exit_code, 7);
  EXPECT_FALSE(above.exists("project/.mcp.json"));
  EXPECT_TRUE(project_.records_are_idle());
  EXPECT_EQ(quarantined(), 1U);
}

// Without namespaces a program reaches its supervisor's limits.
TEST_P(Sweep, E01_ASupervisorThatCanOpenNothingLeavesItToTheNextCommand) {
  Session session(on_host(pale_run({"--backend", "landlock", "--unsafe-weak-protection"}, {"./attack", "stay"})),
                  Line::Pipes);
  session.expect("here");
  const std::vector<pid_t> family = descendants_of(session.pid());
  ASSERT_EQ(family.size(), 2U);
  ASSERT_EQ(kill(family[0], SIGSTOP), 0);
  workspace().write(".mcp.json", "x");
  const std::string supervisor = std::to_string(session.pid());
  ASSERT_EQ(pale::test::run(on_host({"/usr/bin/prlimit", "--pid", supervisor, "--nofile=0:0"})).exit_code, 0);
  ASSERT_EQ(kill(family[1], SIGKILL), 0);
  session.send_signal(SIGUSR1);  // It wakes up, and cannot wait any more.
  const Finished run = session.finish();
  EXPECT_EQ(run.exit_code, 3) << run.out;
  EXPECT_THAT(run.out, HasSubstr("a protected path could not be cleared"));
  EXPECT_FALSE(project_.records_are_idle());
  EXPECT_EQ(shell("exit 7").exit_code, 7);
  EXPECT_FALSE(workspace().exists(".mcp.json"));
  EXPECT_TRUE(project_.records_are_idle());
}

INSTANTIATE_TEST_SUITE_P(, Sweep, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
