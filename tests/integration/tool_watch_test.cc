// `pale mcp` in a strict scope: what was refused stands in the answer of the tool that tried, in the words of stderr, and in the
// session's log.
#include "projects.h"
#include "support/tool_server.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Json = nlohmann::ordered_json;

class WatchedTools : public WithProjects {
 protected:
  WatchedTools() {
    write_manifest("[workspace]\nfolders = [\"lib\"]\nmode = \"strict\"\n");
    work().write("lib/in", "in\n");
    work().write("docs/secret", "secret\n");
  }
  std::string block(const std::string& operation, const std::string& file) const {
    return "[WORKSPACE] BLOCKED: File access outside workspace\n[WORKSPACE]   File: " + root() + "/" + file +
           "\n[WORKSPACE]   Operation: " + operation + "\n[WORKSPACE]   Workspace folders: lib";
  }
};

TEST_P(WatchedTools, ACommandsAnswerSaysWhatItWasRefusedEachTime) {
  ToolServer server(project_, {"--trust", "shell"});
  for (int round = 0; round < 2; ++round) {
    const Json answer =
        server.call("run_command", {{"command", "cat docs/secret; cat docs/secret; echo x > docs/new; cat lib/in"}});
    const std::string text = answer["content"][0]["text"];
    EXPECT_THAT(text, AllOf(HasSubstr("in\n"), HasSubstr(block("read", "docs/secret") + "\n"),
                            HasSubstr(block("create", "docs/new") + "\n")))
        << round;
    EXPECT_EQ(answer["structuredContent"]["blocked"].dump(),
              Json::array({{{"operation", "read"}, {"file", root() + "/docs/secret"}},
                           {{"operation", "create"}, {"file", root() + "/docs/new"}}})
                  .dump());
  }
  const Json quiet = server.call("run_command", {{"command", "cat lib/in"}});
  EXPECT_FALSE(quiet["structuredContent"].contains("blocked"));
  EXPECT_THAT(quiet["content"][0]["text"].get<std::string>(), Not(HasSubstr("WORKSPACE")));
  EXPECT_EQ(server.end(), 0);
  const auto sessions = nlohmann::json::parse(pale({"session", "list", "--json"}).out).at("sessions");
  ASSERT_EQ(sessions.size(), 1U);
  EXPECT_EQ(sessions.front().at("denials"), 2);
}

TEST_P(WatchedTools, AFileToolsRefusalIsTheBlockAndNamesTheFileThatIsMeant) {
  ToolServer server(project_);
  EXPECT_THAT(server.refusal("read_file", {{"path", "docs/secret"}}), HasSubstr(block("read", "docs/secret")));
  EXPECT_THAT(server.refusal("write_file", {{"path", "docs/new"}, {"content", "x"}}),
              HasSubstr(block("create", "docs/new")));
  EXPECT_THAT(server.refusal("write_file", {{"path", "docs/secret"}, {"content", "x"}}),
              HasSubstr(block("write", "docs/secret")));
  EXPECT_EQ(server.end(), 0);
  const auto sessions = nlohmann::json::parse(pale({"session", "list", "--json"}).out).at("sessions");
  ASSERT_EQ(sessions.size(), 1U);
  const std::string log = pale({"session", "log", sessions.front().at("id")}).out;
  EXPECT_THAT(log, AllOf(HasSubstr(block("create", "docs/new")), Not(HasSubstr(".pale-new"))));
}

TEST_P(WatchedTools, OfManyTheFirstAreTold) {
  ToolServer server(project_, {"--trust", "shell"});
  const Json answer =
      server.call("run_command", {{"command", "for i in $(seq 100); do echo x > docs/$i; done 2> /dev/null"}});
  EXPECT_EQ(answer["structuredContent"]["blocked"].size(), 20U);
  EXPECT_THAT(answer["content"][0]["text"].get<std::string>(), HasSubstr("[WORKSPACE] and 80 more\n"));
  EXPECT_EQ(server.end(), 0);
}

INSTANTIATE_TEST_SUITE_P(, WatchedTools, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
