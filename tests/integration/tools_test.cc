// `pale mcp`: which tools there are, what they do in a real project, and how it ends.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/mcp_client.h"
#include "support/session.h"
#include "support/tool_server.h"

namespace pale::test {
namespace {

namespace fs = std::filesystem;

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class Mcp : public testing::TestWithParam<Account> {
 protected:
  static std::vector<std::string> names_in(ToolServer& server) {
    std::vector<std::string> names;
    const Json listed = server.ask("tools/list");
    for (const Json& tool : listed["tools"]) names.push_back(tool["name"]);
    return names;
  }

  Project project_{GetParam()};
};

TEST_P(Mcp, AProjectIsReadChangedAndLookedAtFromInside) {
  project_.workspace().write("src/a.txt", "one\ntwo\n");
  ToolServer server(project_);
  EXPECT_THAT(server.opened()["instructions"], HasSubstr(project_.workspace().text()));
  EXPECT_EQ(server.data("read_file", {{"path", "src/a.txt"}})["content"], "one\ntwo\n");
  EXPECT_EQ(server.data("read_file", {{"path", project_.workspace().text() + "/src/a.txt"}})["size"], 8);
  server.data("make_directory", {{"path", "docs/deep"}});
  server.data("write_file", {{"path", "docs/deep/b"}, {"content", "new"}});
  server.data("edit_file", {{"path", "src/a.txt"}, {"edits", {{{"oldText", "two"}, {"newText", "2"}}}}});
  server.data("move", {{"source", "docs/deep"}, {"destination", "docs/moved"}});
  EXPECT_EQ(server.data("list_directory", {{"path", "docs"}})["entries"][0]["name"], "moved");
  EXPECT_EQ(server.end(), 0);
  EXPECT_EQ(project_.workspace().read("src/a.txt"), "one\n2\n");
  EXPECT_EQ(project_.workspace().read("docs/moved/b"), "new");
  EXPECT_THAT(project_.workspace().snapshot(), Not(HasSubstr(".pale-new")));
}

// Nobody has said anything to it, and it is inside: the same process that answers then.
TEST_P(Mcp, EntersTheBoundaryBeforeItReadsItsFirstRequest) {
  ToolServer server(project_, {}, ToolServer::Silent{});
  const auto told = [](pid_t process, const std::string& key) {
    std::ostringstream text;
    text << std::ifstream("/proc/" + std::to_string(process) + "/status").rdbuf();
    const std::string status = text.str();
    const std::size_t at = status.find("\n" + key + ":\t");
    return at == std::string::npos ? "" : status.substr(at + key.size() + 3, 1);
  };
  const auto serves = [&](pid_t process) { return descendants_of(process).empty() && told(process, "Seccomp") == "2"; };
  pid_t inside = 0;
  for (int tries = 0; inside == 0 && tries < 600; ++tries) {
    usleep(50'000);
    for (const pid_t process : descendants_of(server.process())) inside = serves(process) ? process : inside;
  }
  ASSERT_NE(inside, 0);
  EXPECT_EQ(told(inside, "NoNewPrivs"), "1");
  const auto place = [](const std::string& process) { return fs::read_symlink("/proc/" + process + "/ns/mnt"); };
  EXPECT_NE(place(std::to_string(inside)), place("self"));
  const auto before = descendants_of(server.process());
  server.open();
  EXPECT_TRUE(server.opened().contains("serverInfo")) << server.opened();
  EXPECT_EQ(descendants_of(server.process()), before);
  EXPECT_EQ(server.end(), 0);
}

TEST_P(Mcp, WhatIsWrongIsSaidSoThatItCanBeMended) {
  {
    ToolServer server(project_, {"--trust", "read_only"});
    EXPECT_THAT(server.call("write_file", {{"path", "b"}, {"content", "x"}})["error"]["message"],
                HasSubstr("no tool \"write_file\" here: it takes trust workspace (pale mcp --trust workspace)"));
    EXPECT_THAT(server.call("create_directory")["error"]["message"], HasSubstr("it takes trust workspace"));
    EXPECT_THAT(server.call("call_worker")["error"]["message"], HasSubstr("it takes trust workspace"));
    EXPECT_THAT(server.call("red_file")["error"]["message"], HasSubstr("did you mean read_file?"));
    EXPECT_EQ(server.call("yy")["error"]["message"], "there is no tool \"yy\" here");
  }
  ToolServer server(project_, {"--trust", "shell"});
  EXPECT_THAT(server.call("call_worker")["error"]["message"], HasSubstr("no workers that can be called"));
  EXPECT_THAT(server.refusal("write_file", {{"path", "nodir/x"}, {"content", "x"}}),
              HasSubstr("nodir/x: No such file or directory\nmake_directory makes"));
  EXPECT_THAT(server.refusal("run_command", {{"command", {"no-such-program", "x"}}}),
              HasSubstr("the command cannot be started: no-such-program: No such file or directory"));
  EXPECT_THAT(server.refusal("run_command", {{"command", "true"}, {"directory", "nodir"}}),
              HasSubstr("nodir: No such file or directory"));
}

TEST_P(Mcp, TheCommonServersListWithSizesIsUnderstood) {
  project_.workspace().write("big", std::string(300, 'x'));
  project_.workspace().write("small", "x");
  project_.workspace().make_directory("d");
  ToolServer server(project_);
  const Json by_size = server.data("list_directory_with_sizes", {{"path", "."}, {"sortBy", "size"}});
  EXPECT_EQ(by_size["entries"][0], Json({{"name", "big"}, {"type", "file"}, {"size", 300}}));
  EXPECT_EQ(by_size["entries"][1]["name"], "small");
  const Json by_name = server.data("list_directory_with_sizes", {{"path", "."}, {"sortBy", "name"}});
  EXPECT_EQ(by_name["entries"].back(), Json({{"name", "small"}, {"type", "file"}, {"size", 1}}));
  EXPECT_THAT(server.refusal("list_directory_with_sizes", {{"path", "."}, {"sortBy", "age"}}),
              HasSubstr("sortBy: must be name or size"));
}

TEST_P(Mcp, TrustDecidesWhichToolsThereAre) {
  project_.workspace().write("a", "text");
  const auto with = [&](const char* trust) {
    ToolServer server(project_, {"--trust", trust});
    return names_in(server);
  };
  EXPECT_THAT(with("discovery"), Not(Contains("read_file")));
  EXPECT_THAT(with("discovery"), Contains("list_directory"));
  EXPECT_THAT(with("read_only"), Contains("read_file"));
  EXPECT_THAT(with("read_only"), Not(Contains("write_file")));
  EXPECT_THAT(with("workspace"), Contains("write_file"));
  EXPECT_THAT(with("read_only"), Not(Contains("run_command")));
  EXPECT_THAT(with("workspace"), Contains("run_command"));  // and it is asked about
  EXPECT_THAT(with("shell"), Contains("run_command"));
  EXPECT_THAT(with("full"), Contains("run_command"));
  // And a tool that is not there cannot be called.
  ToolServer server(project_, {"--trust", "read_only"});
  EXPECT_EQ(server.call("write_file", {{"path", "b"}, {"content", "x"}})["error"]["code"], -32602);
  EXPECT_FALSE(project_.workspace().exists("b"));
}

TEST_P(Mcp, ARefusalNamesThePathTheRuleAndWhatIsAllowedInstead) {
  project_.workspace().write(".git/config", "[core]");
  ToolServer server(project_);
  const std::string words = server.refusal("write_file", {{"path", ".git/config"}, {"content", "x"}});
  EXPECT_THAT(words, HasSubstr("write_file: .git/config: Read-only file system."));
  EXPECT_THAT(words, HasSubstr("The rule: protected " + project_.workspace().text() + "/.git/config"));
  EXPECT_THAT(words, HasSubstr("Changes are allowed below"));
  const Json why = server.data("boundary", {{"path", ".git/config"}, {"operation", "write"}});
  EXPECT_EQ(why["operations"][0]["outcome"], "read-only");
  EXPECT_THAT(server.refusal("read_file", {{"path", "/etc/shadow"}}), HasSubstr("The rule: read /etc (from system)"));
  const Json whole = server.data("boundary");
  EXPECT_EQ(whole["workspace"], project_.workspace().text());
  EXPECT_EQ(whole["network"], "none");
}

TEST_P(Mcp, ACommandRunsInsideAndItsLongOutputIsInAFile) {
  ToolServer server(project_, {"--trust", "shell"});
  const Json ran = server.data("run_command", {{"command", "echo $HOME; ls " + project_.home().text()}});
  EXPECT_THAT(ran["output"], HasSubstr("No such file or directory"));
  const Json longer = server.data("run_command", {{"command", "seq 1 100000"}});
  EXPECT_EQ(longer["truncated"], true);
  const Json rest = server.data("read_file", {{"path", longer["outputFile"]}, {"tail", 1}});
  EXPECT_EQ(rest["content"], "100000\n");
}

TEST_P(Mcp, AStageTakesTheChanges) {
  project_.workspace().write("a", "old");
  {
    ToolServer server(project_, {"--stage", "fix"});
    server.data("write_file", {{"path", "a"}, {"content", "new"}});
    server.data("make_directory", {{"path", "d"}});
    server.data("write_file", {{"path", "d/x"}, {"content", "x"}});
    server.data("move", {{"source", "d"}, {"destination", "e"}});
    EXPECT_EQ(server.data("read_file", {{"path", "a"}})["content"], "new");
  }
  EXPECT_EQ(project_.workspace().read("a"), "old");
  EXPECT_FALSE(project_.workspace().exists("e"));
  const Finished diff = project_.pale({"stage", "diff", "fix", "--project-root", project_.workspace().text()});
  EXPECT_THAT(diff.out, HasSubstr("+new"));
  EXPECT_THAT(diff.out, HasSubstr("e/x"));
}

TEST_P(Mcp, UnderLandlockAloneItIsServedAsWell) {
  project_.workspace().write("a", "text");
  ToolServer server(project_, {"--backend", "landlock", "--unsafe-weak-protection", "--trust", "shell"});
  EXPECT_EQ(server.data("read_file", {{"path", "a"}})["content"], "text");
  server.data("write_file", {{"path", "b"}, {"content", "x"}});
  EXPECT_THAT(server.refusal("read_file", {{"path", project_.home().text() + "/.ssh/id_test"}}),
              HasSubstr("Permission denied"));
  EXPECT_EQ(server.data("run_command", {{"command", "cat a"}})["output"], "text");
  EXPECT_EQ(server.end(), 0);
}

TEST_P(Mcp, ASignalEndsItAndWhatItRuns) {
  ToolServer server(project_, {"--trust", "shell"});
  server.data("run_command",
              {{"command", "(while :; do date +%N >> beat; sleep 0.05; done) > /dev/null 2>&1 & sleep 0.3"}});
  ASSERT_EQ(kill(server.process(), SIGTERM), 0);
  EXPECT_EQ(server.wait(), 128 + SIGTERM);
  const std::string beat = project_.workspace().read("beat");
  EXPECT_NE(beat, "");
  usleep(300'000);
  EXPECT_EQ(project_.workspace().read("beat"), beat);
}

TEST_P(Mcp, WhatStillRunsAtTheEndOfTheInputIsAnswered) {
  ToolServer server(project_, {"--trust", "shell"});
  server.begin("run_command", {{"command", "sleep 0.5; echo late > late; echo done"}});
  server.hang_up();
  EXPECT_EQ(server.next()["result"]["structuredContent"]["output"], "done\n");
  EXPECT_EQ(server.wait(), 0);
  EXPECT_EQ(project_.workspace().read("late"), "late\n");
}

TEST_P(Mcp, WhatItCannotDoItSaysBeforeItServes) {
  const std::string root = project_.workspace().text();
  EXPECT_EQ(project_.pale({"mcp", "--manage", "--project-root", root}).exit_code, 2);
  EXPECT_EQ(project_.pale({"mcp", "--project-root", root + "/none"}).exit_code, 2);
  const Finished word = project_.pale({"mcp", "extra"});
  EXPECT_EQ(word.exit_code, 2);
  EXPECT_THAT(word.err, HasSubstr("hint:"));
  const Finished dry = project_.pale({"mcp", "--project-root", root, "--dry-run"});
  EXPECT_EQ(dry.exit_code, 0);
  EXPECT_THAT(dry.out, HasSubstr(root));
}

TEST_P(Mcp, ARealClientIsContentWithEveryAnswer) {
  project_.workspace().write("a", "one\n");
  McpClient client(GetParam(), project_.environment(),
                   {"mcp", "--project-root", project_.workspace().text(), "--trust", "shell"});
  EXPECT_EQ(client.call("read_file", {{"path", "a"}})["content"], "one\n");
  client.call("read_multiple_files", {{"paths", {"a", "none"}}});
  client.call("write_file", {{"path", "b"}, {"content", "two\n"}});
  client.call("edit_file", {{"path", "b"}, {"edits", {{{"oldText", "two"}, {"newText", "2"}}}}});
  for (const char* tool : {"list_directory", "tree", "boundary"}) client.call(tool);
  client.call("boundary", {{"path", "a"}});
  client.call("file_info", {{"path", "a"}});
  client.call("make_directory", {{"path", "d"}});
  client.call("move", {{"source", "b"}, {"destination", "d/b"}});
  client.call("delete", {{"path", "d"}, {"recursive", true}});
  EXPECT_EQ(client.call("run_command", {{"command", {"echo", "hi"}}})["output"], "hi\n");
  EXPECT_THAT(client.refusal("read_file", {{"path", "/root/x"}}), HasSubstr("The rule:"));
  const int slow = client.begin("run_command", {{"command", "echo begun; sleep 30"}});
  EXPECT_EQ(client.next_progress(slow), "begun\n");
  client.cancel(slow);
  EXPECT_TRUE(client.result_of(slow).contains("failed"));
  EXPECT_EQ(client.call("read_file", {{"path", "a"}})["content"], "one\n");
}

INSTANTIATE_TEST_SUITE_P(, Mcp, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
