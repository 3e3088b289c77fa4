// The success criteria that the specification of projects ends with, each as a user would see it.
#include "projects.h"

namespace pale::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::MatchesRegex;

class Success : public WithProjects {};

// Running the agent from the tool's own repository directory fails with a clear error.
TEST_P(Success, Criterion1AnAgentDoesNotRunInPalesOwnSourceTree) {
  const char* source = std::getenv("PALE_SOURCE");
  ASSERT_NE(source, nullptr) << "PALE_SOURCE is not set: run ./dev test";
  home().write("tools/my-agent", "#!/bin/sh\ntouch ran\n");
  std::filesystem::permissions(home().path() / "tools/my-agent", std::filesystem::perms(0755));
  write_pale_home("agents/my-agent.toml", "name = \"my-agent\"\ntask = [\"my-agent\", \"{task}\"]\n");
  const Words agent = {"agent", "run", "--agent", "my-agent", "build a game"};
  const Words path = {"PATH=" + home().text() + "/tools:/usr/bin:/bin"};
  // The current directory is no project: nothing falls back to it.
  const Finished bare = pale_in(source, agent, path);
  EXPECT_EQ(bare.exit_code, 2) << bare.err;
  EXPECT_THAT(bare.err, HasSubstr("no project context"));
  for (const std::string place : {".", "src"}) {
    const Finished named = pale_in(source, agent + Words{"--project-root", place}, path);
    EXPECT_EQ(named.exit_code, 3) << named.err;
    EXPECT_EQ(named.out, "");
    EXPECT_THAT(named.err,
                MatchesRegex("pale: cannot use Pale's own source tree as a project: [^\n]+\nhint: create a separate "
                             "directory for the project: [^\n]+\n"));
  }
  EXPECT_FALSE(std::filesystem::exists(std::string(source) + "/ran"));
  EXPECT_FALSE(std::filesystem::exists(std::string(source) + "/src/ran"));
  // With a default project it works there, and not here.
  init(work(), {"--id", "game"});
  ASSERT_EQ(pale({"project", "default", "game"}).exit_code, 0);
  EXPECT_EQ(pale_in(source, agent, path).exit_code, 0);
  EXPECT_TRUE(work().exists("ran"));
  EXPECT_FALSE(std::filesystem::exists(std::string(source) + "/ran"));
}

// `project init .` creates a valid manifest.
TEST_P(Success, Criterion2InitMakesAValidManifest) {
  const Finished made = pale_in(root(), {"project", "init", "."});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  const Finished shown = pale_in(root(), {"project", "show", "--json"});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  const json project = json::parse(shown.out);
  EXPECT_EQ(project.at("root"), root());
  EXPECT_EQ(project.at("manifest"), root() + "/.pale/project.toml");
  EXPECT_EQ(project.at("workspace_type"), "manifest");
  EXPECT_THAT(project.at("created").get<std::string>(), MatchesRegex("20[0-9-]+T[0-9:]+Z"));
  EXPECT_EQ(script("echo inside > made").exit_code, 0);
  EXPECT_EQ(work().read("made"), "inside\n");
  // Any reader of TOML can read it.
  const Finished read = run({.arguments = {"/usr/bin/python3", "-c",
                                           "import sys, tomllib\nm = tomllib.load(open(sys.argv[1], 'rb'))\n"
                                           "print(m['project']['id'], m['workspace']['type'], m['agent']['trust'])",
                                           root() + "/.pale/project.toml"},
                             .account = GetParam(),
                             .environment = project_.environment()});
  EXPECT_EQ(read.out, project.at("id").get<std::string>() + " existing workspace\n") << read.err;
}

// Projects persist across sessions via the registry.
TEST_P(Success, Criterion3ProjectsPersistFromOneInvocationToTheNext) {
  const TemporaryDirectory other(GetParam(), "other");
  init(work(), {"--id", "app"});
  init(other, {"--id", "game"});
  ASSERT_EQ(pale({"project", "default", "app"}).exit_code, 0);
  EXPECT_THAT(pale({"project", "list"}).out,
              AllOf(HasSubstr("app "), HasSubstr(root()), HasSubstr("game "), HasSubstr(other.text())));
  EXPECT_EQ(pale({"run", "--", "pwd"}).out, root() + "\n");
  EXPECT_EQ(pale({"run", "-p", "game", "--", "pwd"}).out, other.text() + "\n");
  EXPECT_EQ(pale({"project", "remove", "game"}).exit_code, 0);
  EXPECT_EQ(pale({"project", "list", "--ids"}).out, "app\n");
  EXPECT_TRUE(other.exists(".pale/project.toml"));
}

INSTANTIATE_TEST_SUITE_P(, Success, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
