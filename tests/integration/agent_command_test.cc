// [agent] command: a program that a committed manifest names. It is looked for inside: in the project and in the system; nothing
// of the user's is shown because of it.
#include "projects.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class AgentCommand : public WithProjects {
 protected:
  void program(const TemporaryDirectory& directory, const std::string& place, const std::string& line) const {
    directory.write(place, "#!/bin/sh\n" + line + "\n");
    std::filesystem::permissions(directory.path() / place, std::filesystem::perms(0755));
  }
  void command(const std::string& name) const {
    write_manifest("[project]\nid = \"app\"\n[agent]\ncommand = [\"" + name + "\", \"{task}\"]\n");
  }
};

TEST_P(AgentCommand, OneInTheProjectIsFoundFromAnywhere) {
  program(work(), "tools/agent.sh", "echo \"own: $1\"");
  command("./tools/agent.sh");
  init(work());
  EXPECT_EQ(pale_in(root(), {"agent", "run", "a task"}).out, "own: a task\n");
  // Somebody else's of the same name is not meant.
  const TemporaryDirectory elsewhere(GetParam(), "elsewhere");
  program(elsewhere, "tools/agent.sh", "echo \"theirs: $1\"");
  for (const std::string& directory : {std::string("/"), elsewhere.text()}) {
    const Finished run = pale_in(directory, {"agent", "run", "-p", "app", "a task"});
    EXPECT_EQ(run.out, "own: a task\n") << directory << run.err;
  }
}

TEST_P(AgentCommand, OneOfTheUsersBringsNothingElseOfHisAlong) {
  program(home(), ".cargo/bin/cargo",
          "cat '" + home().text() + "/.cargo/credentials.toml'; ls '" + home().text() + "'");
  home().write(".cargo/credentials.toml", "token-of-the-user\n");
  const Words path = {"PATH=" + home().text() + "/.cargo/bin:/usr/bin:/bin"};
  for (const std::string& name : {std::string("cargo"), home().text() + "/.cargo/bin/cargo"}) {
    command(name);
    const Finished run = pale_in(root(), {"agent", "run", "a task"}, path);
    EXPECT_THAT(run.out, Not(HasSubstr("token-of-the-user"))) << name;
    EXPECT_THAT(run.out, Not(HasSubstr(".ssh"))) << name;
  }
}

TEST_P(AgentCommand, AFileOfTheUsersIsNotShown) {
  const std::string secret = home().text() + "/.ssh/id_test";
  command(secret);
  const Finished run = pale_in(root(), {"agent", "run", "a task"});
  EXPECT_EQ(run.exit_code, 127);
  EXPECT_THAT(run.out + run.err, Not(HasSubstr(std::string(Project::kSecret))));
  EXPECT_THAT(run.err, HasSubstr("hint: "));
}

TEST_P(AgentCommand, OneOfTheSystemStarts) {
  command("echo");
  EXPECT_EQ(pale_in(root(), {"agent", "run", "a task"}).out, "a task\n");
}

TEST_P(AgentCommand, OneThatIsMissingIsSaidWithAHint) {
  command("no-such-agent");
  const Finished run = pale_in(root(), {"agent", "run", "a task"});
  EXPECT_EQ(run.exit_code, 127);
  EXPECT_THAT(run.err, testing::MatchesRegex("pale: [^\n]*no-such-agent[^\n]*\nhint: [^\n]+\n"));
}

TEST_P(AgentCommand, AScopeHoldsAnAgentAndIsTold) {
  program(work(), "lib/agent.sh", "echo x > lib/made; cat docs/secret; echo x > docs/new; true");
  work().write("docs/secret", "secret\n");
  command("./lib/agent.sh");
  const Finished run = pale_in(root(), {"agent", "run", "--workspace", "lib", "--workspace-mode", "strict", "a task"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, Not(HasSubstr("secret")));
  EXPECT_THAT(run.err, HasSubstr("[WORKSPACE] BLOCKED: File access outside workspace\n[WORKSPACE]   File: " + root() +
                                 "/docs/secret\n"));
  EXPECT_TRUE(work().exists("lib/made"));
  EXPECT_FALSE(work().exists("docs/new"));
  const auto sessions = nlohmann::json::parse(pale({"session", "list", "--json"}).out).at("sessions");
  ASSERT_EQ(sessions.size(), 1U);
  EXPECT_EQ(sessions.front().at("denials"), 2);
}

INSTANTIATE_TEST_SUITE_P(, AgentCommand, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
