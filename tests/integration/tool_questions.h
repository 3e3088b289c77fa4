// What the tests of questions share: a project whose tools ask, what waits for an answer, and what was decided.
#pragma once

#include <gmock/gmock.h>

#include <fstream>

#include "support/tool_server.h"

namespace pale::test {

using Json = ToolServer::Json;

inline constexpr int kMostTries = 600;  // of 50 ms each

inline const Json kElicits = {{"elicitation", Json::object()}};

class WithQuestions : public testing::TestWithParam<Account> {
 protected:
  void manifest(const std::string& text) const { project_.workspace().write(".pale/project.toml", text); }
  void zones() const {
    manifest(
        "[zones.data]\n[zones.out]\napproval = { write = \"preApproved\", delete = \"blocked\" }\n"
        "[zones.shut]\napproval = { write = \"blocked\" }\n");
    project_.workspace().write("data/a", "one\n");
    project_.workspace().write("out/a", "one\n");
    project_.workspace().write("shut/a", "one\n");
  }
  // Of this project: others use the same PALE_HOME.
  std::vector<Json> waiting() const {
    std::vector<Json> own;
    const Json listed = Json::parse(project_.pale({"approvals", "--json"}).out);
    for (const Json& question : listed["questions"]) {
      if (question["project"] == project_.workspace().text()) own.push_back(question);
    }
    return own;
  }
  // The one question that waits, once it does.
  Json question() const {
    for (int tries = 0; tries < kMostTries; ++tries) {
      const auto own = waiting();
      if (!own.empty()) return own[0];
      usleep(50'000);
    }
    ADD_FAILURE() << "nothing waits";
    return Json();
  }
  std::string id() const { return question().value("id", ""); }
  // What was decided, the newest last.
  std::vector<Json> log() const {
    std::ifstream file(project_.pale_home() / "approvals/log.jsonl");
    std::vector<Json> lines;
    for (std::string line; std::getline(file, line);) {
      Json decided = Json::parse(line);
      if (decided["question"]["project"] == project_.workspace().text()) lines.push_back(std::move(decided));
    }
    return lines;
  }
  std::string read(const std::string& name) const { return project_.workspace().read(name); }
  static std::string words(const Json& message) { return message["result"]["content"][0].value("text", ""); }
  static Json allow(const Json& request, const std::string& action) {
    return {{"jsonrpc", "2.0"}, {"id", request["id"]}, {"result", {{"action", action}}}};
  }

  Project project_{GetParam()};
};

}  // namespace pale::test
