#include "project/adapter.h"

#include <gmock/gmock.h>

#include "support/directory.h"

namespace pale::project {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

class Adapters : public test::InADirectory {
 protected:
  Adapter find(const std::string& name) const {
    const auto adapters = read_adapters(base());
    EXPECT_TRUE(adapters) << adapters.error().sentence();
    const auto found = std::ranges::find(*adapters, name, &Adapter::name);
    EXPECT_NE(found, adapters->end()) << name;
    return found == adapters->end() ? Adapter() : *found;
  }
  std::string refusal(const std::string& text) const {
    write("agents/a.toml", text);
    const auto adapters = read_adapters(base());
    EXPECT_FALSE(adapters) << text;
    return adapters ? "" : adapters.error().sentence();
  }
};

TEST_F(Adapters, ThoseOfTheWellKnownAgentsComeWithPale) {
  std::vector<std::string> names;
  const auto adapters = read_adapters(base());
  ASSERT_TRUE(adapters) << adapters.error().sentence();
  for (const Adapter& adapter : *adapters) {
    names.push_back(adapter.name);
    EXPECT_EQ(adapter.origin, "built in");
    EXPECT_FALSE(adapter.install.empty()) << adapter.name;
    EXPECT_FALSE(adapter.chat.empty()) << adapter.name;
    EXPECT_FALSE(adapter.home.empty()) << adapter.name;
    EXPECT_FALSE(adapter.environment.empty()) << adapter.name;
  }
  EXPECT_THAT(names, ElementsAre("aider", "claude", "codex", "copilot", "droid", "gemini", "opencode", "qwen"));
}

TEST_F(Adapters, ATaskTakesItsPlaceAsItIs) {
  const auto command = command_for(find("claude"), "say \"hi\"\n  and -p {task}");
  ASSERT_TRUE(command);
  EXPECT_EQ(command->front(), "claude");
  EXPECT_THAT(*command, Contains("say \"hi\"\n  and -p {task}"));
  EXPECT_EQ(*command_for(find("claude"), ""), find("claude").chat);
}

TEST_F(Adapters, TheUsersOwnComeFirst) {
  write("agents/claude.toml",
        "name = \"claude\"\ntask = [\"my-claude\", \"--do={task}\", \"{task}\"]\n[set]\nA = \"b\"\n");
  const Adapter claude = find("claude");
  EXPECT_EQ(claude.origin, at("agents/claude.toml").text());
  EXPECT_THAT(*command_for(claude, "x"), ElementsAre("my-claude", "--do=x", "x"));
  EXPECT_EQ(claude.set.at(0).second, "b");
  EXPECT_FALSE(command_for(claude, ""));
}

TEST_F(Adapters, ABrokenOneIsNamed) {
  EXPECT_THAT(refusal("name = \"a\"\ntsk = []"),
              AllOf(HasSubstr("agents/a.toml: line 2"), HasSubstr("unknown key tsk")));
  EXPECT_THAT(refusal("name = \"a\"\ntask = [\"a\"]"), HasSubstr("\"{task}\""));
  EXPECT_THAT(refusal("task = [\"{task}\"]"), HasSubstr("name must be a word"));
  EXPECT_THAT(refusal("name = \"a\"\ntask = [\"{task}\"]\n[home]\ncopy = [\"/etc/passwd\"]"),
              HasSubstr("below the home"));
  EXPECT_THAT(refusal("name = \"a\"\ntask = [\"{task}\"]\n[home]\ncopy = [\"../x\"]"), HasSubstr("below the home"));
  EXPECT_THAT(refusal("name = \"a\"\ntask = [\"{task}\"]\n[set]\nA = 1"), HasSubstr("set.A must be a text"));
}

TEST_F(Adapters, ACommandOfAManifestNeedsAPlaceForTheTask) {
  EXPECT_THAT(*command_for(adapter_of({"my-agent", "{task}"}, "m:1"), "go"), ElementsAre("my-agent", "go"));
  EXPECT_THAT(command_for(adapter_of({"my-agent"}, "m:1"), "go").error().sentence(),
              HasSubstr("no place for a task (m:1)"));
}

}  // namespace
}  // namespace pale::project
