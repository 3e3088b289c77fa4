#include "tools/conversation.h"

#include "support/workbench.h"

namespace pale::tools {
namespace {

using testing::HasSubstr;

class Talk : public Workbench {
 protected:
  // The answers to one line, a JSON each.
  std::vector<Json> say_line(const std::string& line) {
    conversation_.unsent().clear();
    conversation_.take(line);
    std::vector<Json> answers;
    std::istringstream lines(conversation_.unsent());
    for (std::string answer; std::getline(lines, answer);) answers.push_back(Json::parse(answer));
    return answers;
  }
  Json say(const std::string& method, const Json& params = Json::object()) {
    const auto answers = say_line(Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}}.dump());
    return answers.size() == 1 ? answers.front() : Json{{"answers", answers.size()}};
  }
  Json initialize(const std::string& version = "2025-11-25") {
    return say("initialize", {{"protocolVersion", version}, {"capabilities", Json::object()}});
  }
  static Json newer(Json params = Json::object(), const std::string& version = "2026-07-28") {
    params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", version},
                       {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
    return params;
  }

  DeskLine desk_;
  Conversation conversation_{place_, "1.2.3", desk_};
};

TEST_F(Talk, OpensWithInitialize) {
  EXPECT_EQ(say("tools/list")["error"]["code"], kInvalidRequest);
  EXPECT_EQ(say("ping")["result"], Json::object());
  const Json opened = initialize();
  EXPECT_EQ(opened["result"]["protocolVersion"], "2025-11-25");
  EXPECT_EQ(opened["result"]["serverInfo"]["version"], "1.2.3");
  EXPECT_THAT(opened["result"]["instructions"], HasSubstr(base().text()));
  EXPECT_EQ(initialize()["error"]["code"], kInvalidRequest);
  EXPECT_TRUE(say_line(R"({"jsonrpc": "2.0", "method": "notifications/initialized"})").empty());
}

TEST_F(Talk, TheVersionIsTheNewestThatIsNotTooNew) {
  const std::pair<const char*, const char*> pairs[] = {{"2025-11-25", "2025-11-25"}, {"2025-06-18", "2025-06-18"},
                                                       {"2025-03-26", "2024-11-05"}, {"2024-11-05", "2024-11-05"},
                                                       {"2099-01-01", "2025-11-25"}, {"1999-01-01", "2025-11-25"}};
  for (const auto& [wanted, given] : pairs) {
    Conversation fresh(place_, "1", desk_);
    fresh.take(Json{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "initialize"}, {"params", {{"protocolVersion", wanted}}}}
                   .dump());
    EXPECT_EQ(Json::parse(fresh.unsent())["result"]["protocolVersion"], given) << wanted;
  }
  EXPECT_EQ(say("initialize")["error"]["code"], kInvalidParams);
}

TEST_F(Talk, TheNewerEraRemembersNothing) {
  const Json found = say("server/discover", newer());
  EXPECT_EQ(found["result"]["resultType"], "complete");
  EXPECT_EQ(found["result"]["supportedVersions"], Json::array({"2026-07-28"}));
  EXPECT_EQ(found["result"]["cacheScope"], "private");
  EXPECT_EQ(found["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "pale-tools");
  EXPECT_GT(say("tools/list", newer())["result"]["tools"].size(), 10U);
  write("a", "text");
  const Json read = say("tools/call", newer({{"name", "read_file"}, {"arguments", {{"path", "a"}}}}));
  EXPECT_EQ(read["result"]["structuredContent"]["content"], "text");
  EXPECT_EQ(read["result"]["resultType"], "complete");
  EXPECT_FALSE(read["result"].contains("ttlMs"));
  const Json unknown = say("tools/list", newer({}, "2031-01-01"));
  EXPECT_EQ(unknown["error"]["code"], kUnsupportedVersion);
  EXPECT_EQ(unknown["error"]["data"]["supported"], Json::array({"2026-07-28"}));
  EXPECT_EQ(say("server/discover")["error"]["code"], kInvalidParams);
  EXPECT_EQ(say("ping", newer())["error"]["code"], kMethodNotFound);
}

TEST_F(Talk, EveryToolSaysWhatItTakesGivesAndDoes) {
  initialize();
  const Json tools = say("tools/list")["result"]["tools"];
  EXPECT_EQ(tools.size(), tools_for(place_).size());
  for (const Json& tool : tools) {
    EXPECT_EQ(tool["inputSchema"]["type"], "object") << tool["name"];
    EXPECT_EQ(tool["outputSchema"]["type"], "object") << tool["name"];
    EXPECT_TRUE(tool["annotations"]["readOnlyHint"].is_boolean()) << tool["name"];
    EXPECT_FALSE(tool["description"].get<std::string>().empty());
  }
  EXPECT_EQ(say("tools/list")["result"]["tools"], tools);
}

TEST_F(Talk, WhatIsTrustedLessHasFewerTools) {
  const auto names = [this](Power power) {
    place_.power = power;
    std::vector<std::string> found;
    for (const Tool* tool : tools_for(place_)) found.emplace_back(tool->name);
    return found;
  };
  using testing::Contains;
  using testing::Not;
  EXPECT_THAT(names(Power::List), Not(Contains("read_file")));
  EXPECT_THAT(names(Power::List), Contains("tree"));
  EXPECT_THAT(names(Power::Read), Contains("read_file"));
  for (const char* name : {"write_file", "edit_file", "move", "delete", "make_directory"}) {
    EXPECT_THAT(names(Power::Read), Not(Contains(name)));
    EXPECT_THAT(names(Power::Write), Contains(name));
    place_.power = Power::Read;
    EXPECT_EQ(find_tool(name, place_), nullptr);
  }
  EXPECT_THAT(names(Power::Write), Not(Contains("run_command")));
  EXPECT_THAT(names(Power::Run), Contains("run_command"));
}

TEST_F(Talk, NamesOfTheCommonServerAreUnderstood) {
  initialize();
  write("a", "text");
  const Json read = say("tools/call", {{"name", "read_text_file"}, {"arguments", {{"path", "a"}}}});
  EXPECT_EQ(read["result"]["content"][0]["text"], "text");
  EXPECT_TRUE(say("tools/call", {{"name", "list_allowed_directories"}})["result"].contains("structuredContent"));
}

TEST_F(Talk, AWrongCallIsToldToTheModelOrToTheOlderClient) {
  initialize();
  EXPECT_EQ(say("tools/call", {{"name", "none"}})["error"]["code"], kInvalidParams);
  EXPECT_EQ(say("tools/call")["error"]["code"], kInvalidParams);
  const Json wrong = say("tools/call", {{"name", "read_file"}, {"arguments", {{"path", 3}}}});
  EXPECT_EQ(wrong["result"]["isError"], true);
  EXPECT_THAT(wrong["result"]["content"][0]["text"], HasSubstr("read_file: INVALID_PATH: path: must be a text"));
  Conversation older(place_, "1", desk_);
  older.take(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}})");
  older.unsent().clear();
  older.take(R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_file","arguments":{"path":3}}})");
  EXPECT_EQ(Json::parse(older.unsent())["error"]["code"], kInvalidParams);
}

TEST_F(Talk, WhatIsNoMessageIsAnsweredAndTheNextIsServed) {
  initialize();
  EXPECT_EQ(say_line("{oops").front()["error"]["code"], kParseError);
  EXPECT_EQ(say_line("[]").front()["error"]["code"], kInvalidRequest);
  EXPECT_TRUE(say_line("  \r").empty());
  EXPECT_TRUE(say_line(R"({"jsonrpc": "2.0", "id": 9, "result": {}})").empty());
  EXPECT_TRUE(
      say_line(R"({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4}})").empty());
  EXPECT_EQ(say("resources/list")["error"]["code"], kMethodNotFound);
  EXPECT_EQ(say("ping")["result"], Json::object());
}

}  // namespace
}  // namespace pale::tools
