// The completion scripts, in real shells; and help for every command.
#include <regex>
#include <set>
#include <sstream>

#include "projects.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Completion : public WithProjects {
 protected:
  Completion() {
    for (const std::string shell : {"bash", "zsh", "fish"}) {
      const Finished made = pale({"completion", shell});
      EXPECT_EQ(made.exit_code, 0) << made.err;
      work().write("pale." + shell, made.out);
    }
    home().make_directory("bin");
    std::filesystem::create_symlink(pale_program(), home().path() / "bin/pale");
  }
  Finished in_shell(const Words& words) const {
    Process process;
    process.arguments = words;
    process.account = GetParam();
    process.environment = environment_with({"PATH=" + home().text() + "/bin:/usr/bin:/bin"});
    process.directory = root();
    return run(process);
  }
  // What bash would offer for the last of these words.
  Words bash(const Words& words) const {
    const Finished run =
        in_shell(Words{"/bin/bash", "--norc", "-c",
                       "source ./pale.bash; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _pale; "
                       "for word in \"${COMPREPLY[@]}\"; do echo \"$word\"; done",
                       "bash", "pale"} +
                 words);
    EXPECT_EQ(run.err, "") << testing::PrintToString(words);
    return lines_of(run.out);
  }
  Words fish(const std::string& line) const {
    const Finished run =
        in_shell({"/usr/bin/fish", "--no-config", "-c", "source ./pale.fish; complete -C '" + line + "'"});
    Words words;
    for (const std::string& each : lines_of(run.out)) words.push_back(each.substr(0, each.find('\t')));
    return words;
  }
};

TEST_P(Completion, BashCompletesCommands) {
  EXPECT_THAT(bash({""}), AllOf(Contains("run"), Contains("init"), Contains("project"), Contains("agent"),
                                Contains("explain"), Contains("config")));
  EXPECT_THAT(bash({"pro"}), ElementsAre("project"));
  EXPECT_THAT(bash({"project", ""}),
              UnorderedElementsAre("init", "list", "show", "default", "current", "remove", "rename", "move", "cleanup",
                                   "import", "create", "update", "delete"));
  EXPECT_THAT(bash({"project", "re"}), UnorderedElementsAre("remove", "rename"));
  EXPECT_THAT(bash({"agent", ""}), UnorderedElementsAre("run", "list"));
  EXPECT_THAT(bash({"config", "s"}), ElementsAre("set"));
  EXPECT_THAT(bash({"completion", ""}), UnorderedElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(bash({"nonsense", ""}), IsEmpty());
}

TEST_P(Completion, BashCompletesOptionsAndTheirValues) {
  EXPECT_THAT(bash({"run", "--pro"}), UnorderedElementsAre("--project-root", "--protect"));
  EXPECT_THAT(bash({"project", "list", "--"}), AllOf(Contains("--json"), Not(Contains("--network"))));
  EXPECT_THAT(bash({"run", "--network", ""}), UnorderedElementsAre("none", "allow", "open"));
  EXPECT_THAT(bash({"explain", "--trust", "re"}), ElementsAre("read_only"));
  EXPECT_THAT(bash({"agent", "run", "--agent", "c"}), UnorderedElementsAre("claude", "codex", "copilot"));
  EXPECT_THAT(bash({"config", "set", "n"}), ElementsAre("network"));
  EXPECT_THAT(bash({"init", "--i"}), ElementsAre("--id"));
  EXPECT_THAT(bash({"workspace", "create", "--"}), AllOf(Contains("--external-id"), Not(Contains("--network"))));
  EXPECT_THAT(bash({"serve", "--"}),
              UnorderedElementsAre("--port", "--bind", "--host", "--no-studio", "--rate", "--help"))
      << "what tests alone use is not offered";
  EXPECT_THAT(bash({"run", "--", "--pro"}), IsEmpty());
}

TEST_P(Completion, BashCompletesProjectsAndPaths) {
  EXPECT_THAT(bash({"run", "-p", ""}), IsEmpty());
  const TemporaryDirectory other(GetParam(), "other");
  init(work(), {"--id", "shop"});
  init(other, {"--id", "show"});
  EXPECT_THAT(bash({"run", "-p", ""}), UnorderedElementsAre("shop", "show"));
  EXPECT_THAT(bash({"run", "-p", "sho"}), UnorderedElementsAre("shop", "show"));
  EXPECT_THAT(bash({"project", "default", "shop"}), ElementsAre("shop"));
  EXPECT_THAT(bash({"project", "remove", "x"}), IsEmpty());
  work().make_directory("source/inner");
  work().write("source/file", "");
  EXPECT_THAT(bash({"run", "--project-root", "source/"}), ElementsAre("source/inner"));
  EXPECT_THAT(bash({"run", "--ro", "source/"}), UnorderedElementsAre("source/inner", "source/file"));
}

TEST_P(Completion, EachShellCanReadItsScript) {
  for (const Words& words : {Words{"/bin/bash", "-n", "./pale.bash"}, Words{"/bin/zsh", "-n", "./pale.zsh"},
                             Words{"/usr/bin/fish", "--no-execute", "./pale.fish"}}) {
    const Finished run = in_shell(words);
    EXPECT_EQ(run.exit_code, 0) << words.front() << run.err;
    EXPECT_EQ(run.err, "") << words.front();
  }
  EXPECT_EQ(pale({"completion", "tcsh"}).exit_code, 2);
}

TEST_P(Completion, ZshKnowsWhoCompletes) {
  EXPECT_THAT(work().read("pale.zsh"), StartsWith("#compdef pale\n"));
  const Finished run =
      in_shell({"/bin/zsh", "-f", "-c",
                "autoload -Uz compinit; compinit -D -u; source ./pale.zsh; print -r -- ${_comps[pale]}"});
  EXPECT_THAT(run.out, HasSubstr("_pale")) << run.err;
}

TEST_P(Completion, FishCompletesCommandsOptionsAndProjects) {
  init(work(), {"--id", "shop"});
  EXPECT_THAT(fish("pale pro"), ElementsAre("project"));
  EXPECT_THAT(fish("pale project re"), UnorderedElementsAre("remove", "rename"));
  EXPECT_THAT(fish("pale run --net"), ElementsAre("--network"));
  EXPECT_THAT(fish("pale run --network "), UnorderedElementsAre("none", "allow", "open"));
  EXPECT_THAT(fish("pale run -p sh"), ElementsAre("shop"));
  EXPECT_THAT(fish("pale project default sh"), ElementsAre("shop"));
  EXPECT_THAT(fish("pale project list --"), AllOf(Contains("--json"), Not(Contains("--network"))));
}

class Help : public WithProjects {};

TEST_P(Help, EveryCommandExplainsItselfOnStdout) {
  const Finished all = pale({"help"});
  EXPECT_EQ(all.exit_code, 0);
  const std::string listed = all.out.substr(0, all.out.find("\nTopics"));
  const std::regex line("\n  ([a-z]+(?: [a-z]+)?) {2,}");
  std::set<std::string> names;
  for (std::sregex_iterator found(listed.begin(), listed.end(), line), end; found != end; ++found)
    names.insert((*found)[1]);
  EXPECT_GE(names.size(), 23U);
  for (const std::string& name : names) {
    Words words;
    std::istringstream in(name);
    for (std::string word; in >> word;) words.push_back(word);
    const Finished help = pale(words + Words{"--help"});
    EXPECT_EQ(help.exit_code, 0) << name << help.err;
    EXPECT_EQ(help.err, "") << name;
    EXPECT_THAT(help.out, AllOf(HasSubstr("Usage: pale " + name), HasSubstr("Examples:\n  "))) << name;
    EXPECT_EQ(pale(Words{"help"} + words).out, help.out) << name;
    EXPECT_EQ(pale(words + Words{"-h"}).out, help.out) << name;
  }
}

TEST_P(Help, EveryTopicIsThereAndAnUnknownOneSuggestsAnother) {
  for (const std::string topic : {"manifest", "trust", "agents", "tenants", "configuration", "exit-codes"}) {
    const Finished help = pale({"help", topic});
    EXPECT_EQ(help.exit_code, 0) << topic;
    EXPECT_GT(std::ranges::count(help.out, '\n'), 5) << topic;
  }
  const Finished unknown = pale({"help", "manifst"});
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("manifest"));
}

TEST_P(Help, AWordThatIsNoCommandSuggestsOne) {
  for (const auto& [words, meant] :
       std::vector<std::pair<Words, std::string>>{{{"projekt", "list"}, "project"},
                                                  {{"project", "lst"}, "pale project list"},
                                                  {{"agnt", "run"}, "agent"},
                                                  {{"inti"}, "pale init"},
                                                  {{"config", "gte", "x"}, "pale config get"}}) {
    const Finished run = pale(words);
    EXPECT_EQ(run.exit_code, 2) << testing::PrintToString(words);
    EXPECT_THAT(run.err, HasSubstr(meant)) << testing::PrintToString(words);
  }
  const Finished group = pale({"project"});
  EXPECT_EQ(group.exit_code, 2);
  EXPECT_THAT(group.out, AllOf(HasSubstr("\n  init [PATH]"), HasSubstr("\n  cleanup ")));
}

INSTANTIATE_TEST_SUITE_P(, Completion, testing::ValuesIn(accounts()), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(, Help, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
