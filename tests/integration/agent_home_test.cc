// The private HOME of a project: what of the user's is copied into it, and that nothing comes back out.
#include "projects.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class AgentHome : public WithProjects {
 protected:
  AgentHome() {
    write_manifest("[project]\nid = \"app\"\n");
    home().write("tools/my-agent", "#!/bin/sh\neval \"$1\"\n");
    std::filesystem::permissions(home().path() / "tools/my-agent", std::filesystem::perms(0755));
    copies("\".my-agent/settings.json\"");
  }
  void copies(const std::string& list) const {
    write_pale_home("agents/my-agent.toml",
                    "name = \"my-agent\"\ntask = [\"my-agent\", \"{task}\"]\n[home]\ncopy = [" + list + "]\n");
  }
  // The task is a line for the shell.
  Finished agent(const std::string& line, const std::string& directory = "") const {
    return pale_in(directory.empty() ? root() : directory, {"agent", "run", "--agent", "my-agent", line},
                   {"PATH=" + home().text() + "/tools:/usr/bin:/bin"});
  }
  // The private home on the host, for a project that has been run.
  std::filesystem::path private_home() const {
    for (const auto& entry : std::filesystem::directory_iterator(in_pale_home("homes"))) {
      if (entry.path().filename().string().starts_with(work().path().filename().string())) return entry.path();
    }
    ADD_FAILURE() << "there is no private home";
    return {};
  }
};

TEST_P(AgentHome, WhatAnAdapterNamesIsCopiedOnceAndChangesNeverReachTheUser) {
  home().write(".my-agent/settings.json", "{\"user\": true}\n");
  const std::string before = home().snapshot();
  const Finished first =
      agent("cat ~/.my-agent/settings.json; echo agent > ~/.my-agent/settings.json; rm -f ~/.ssh/id_test; ls -A ~");
  EXPECT_EQ(first.out, "{\"user\": true}\n.my-agent\n") << first.err;
  EXPECT_EQ(agent("cat ~/.my-agent/settings.json").out, "agent\n");
  home().write(".my-agent/settings.json", "{\"user\": 2}\n");
  EXPECT_EQ(agent("cat ~/.my-agent/settings.json").out, "agent\n");
  EXPECT_EQ(home().read(".my-agent/settings.json"), "{\"user\": 2}\n");
  home().write(".my-agent/settings.json", "{\"user\": true}\n");
  EXPECT_EQ(home().snapshot(), before);
}

TEST_P(AgentHome, DirectoriesAndLinksOfTheUsersAreCopiedWithWhatTheyHold) {
  home().write("dotfiles/config.toml", "linked\n");
  home().make_directory(".my-agent");
  std::filesystem::create_symlink("../dotfiles/config.toml", home().path() / ".my-agent/config.toml");
  home().write(".my-agent/skills/one/SKILL.md", "skill\n");
  copies("\".my-agent/config.toml\", \".my-agent/skills\", \".my-agent/missing\"");
  const Finished run = agent("cat ~/.my-agent/config.toml ~/.my-agent/skills/one/SKILL.md; ls ~/.my-agent");
  EXPECT_EQ(run.out, "linked\nskill\nconfig.toml\nskills\n") << run.err;
}

TEST_P(AgentHome, ItIsKeptBetweenRunsAndDiffersBetweenProjects) {
  const TemporaryDirectory other(GetParam(), "other");
  other.write(".pale/project.toml", "[project]\nid = \"app\"\n");
  EXPECT_EQ(agent("echo mine > ~/memory").exit_code, 0);
  EXPECT_EQ(agent("cat ~/memory").out, "mine\n");
  EXPECT_EQ(agent("ls -A ~", other.text()).out, "");
  EXPECT_EQ(script("cat ~/memory").out, "mine\n");
  EXPECT_FALSE(home().exists("memory"));
}

TEST_P(AgentHome, NobodyElseCanLookIntoIt) {
  home().write(".my-agent/settings.json", "secret\n");
  ASSERT_EQ(agent("true").exit_code, 0);
  using std::filesystem::perms;
  const auto others = perms::group_all | perms::others_all;
  EXPECT_EQ(std::filesystem::status(private_home() / ".my-agent/settings.json").permissions() & others, perms::none);
  const auto homes = std::filesystem::status(in_pale_home("homes")).permissions() & others;
  const auto own = std::filesystem::status(private_home()).permissions() & others;
  EXPECT_TRUE(homes == perms::none || own == perms::none);
}

// The host copies while an agent's links lie there from an earlier run.
TEST_P(AgentHome, ALinkThatAnAgentLeftIsNotFollowed) {
  const TemporaryDirectory victim(GetParam(), "victim");
  victim.write("file", "as it was\n");
  victim.make_directory("dir");
  const std::string before = victim.snapshot();
  home().write(".my-agent/settings.json", "the user's\n");
  home().write(".plain", "the user's\n");
  home().write(".tree/deep/file", "the user's\n");
  copies("");
  const std::string to = victim.text();
  ASSERT_EQ(
      agent("ln -s " + to + " ~/.my-agent; ln -s " + to + "/made ~/.plain; ln -s " + to + "/dir ~/.tree").exit_code, 0);
  copies("\".my-agent/settings.json\", \".plain\", \".tree\"");
  agent("true");
  EXPECT_EQ(victim.snapshot(), before);
  ASSERT_EQ(agent("rm ~/.my-agent ~/.plain ~/.tree; mkdir ~/.my-agent ~/.tree; ln -s " + to +
                  "/file ~/.my-agent/settings.json; ln -s " + to + "/dir ~/.tree/deep")
                .exit_code,
            0);
  agent("true");
  EXPECT_EQ(victim.snapshot(), before);
  EXPECT_EQ(victim.read("file"), "as it was\n");
}

TEST_P(AgentHome, ADirectoryOfTheUsersThatHoldsALinkDoesNotCopyWhatItLeadsTo) {
  home().make_directory(".my-agent/skills");
  std::filesystem::create_symlink(home().path() / ".ssh/id_test", home().path() / ".my-agent/skills/key");
  copies("\".my-agent/skills\"");
  const Finished run = agent("cat ~/.my-agent/skills/key");
  EXPECT_EQ(run.out.find(Project::kSecret), std::string::npos) << run.out;
}

TEST_P(AgentHome, TheHomeItselfAsALinkIsNotUsed) {
  ASSERT_EQ(agent("true").exit_code, 0);
  const TemporaryDirectory victim(GetParam(), "victim");
  victim.write("mine", "mine\n");
  const auto place = private_home();
  std::filesystem::remove_all(place);
  std::filesystem::create_directory_symlink(victim.path(), place);
  home().write(".my-agent/settings.json", "x\n");
  const std::string before = victim.snapshot();
  const Finished run = agent("ls -A ~; echo x > ~/new");
  EXPECT_EQ(victim.snapshot(), before) << run.out << run.err;
}

INSTANTIATE_TEST_SUITE_P(, AgentHome, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
