// What the tests of tenants share: an account with a PALE_HOME of its own, and a client that manages it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "support/mcp_client.h"

namespace pale::test {

class WithTenants : public testing::TestWithParam<Account> {
 protected:
  WithTenants() : project_(GetParam(), PaleHome::Own), client_(GetParam(), project_.environment()) {}
  ~WithTenants() override {
    // Whatever a test left running goes before its files do.
    for (const Json& session : client_.call("session_list", {{"state", "running"}}).value("sessions", Json::array()))
      client_.call("session_end", {{"session_id", session.at("id")}});
  }

  Finished pale(std::vector<std::string> words, std::string input = {}) const {
    return project_.pale(std::move(words), {}, std::move(input));
  }
  std::filesystem::path on_disk(const std::string& project) const {
    return project_.pale_home() / "projects" / project;
  }
  std::filesystem::path workspace_on_disk(const std::string& project, const std::string& workspace) const {
    return on_disk(project) / "workspaces" / workspace;
  }
  void write(const std::filesystem::path& path, std::string_view text) const {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
    give_tree(path.parent_path(), GetParam());
  }
  static std::string read(const std::filesystem::path& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::string new_project(Json settings) {
    if (!settings.contains("name")) settings["name"] = "chat";
    return client_.call("project_create", settings).value("id", "");
  }
  std::string new_workspace(const std::string& project) {
    return client_.call("workspace_create", {{"project_id", project}}).value("id", "");
  }
  std::string new_session(const std::string& project, const std::string& workspace, Json more = Json::object()) {
    more.update({{"project_id", project}, {"workspace_id", workspace}});
    return client_.call("session_start", more).value("id", "");
  }
  Json run_in(const std::string& session, const std::string& line) {
    return client_.call("session_run", {{"session_id", session}, {"command", line}});
  }
  std::string output_in(const std::string& session, const std::string& line) {
    return run_in(session, line).value("stdout", "");
  }

  Project project_;
  McpClient client_;
};

inline std::string account_suffix(const testing::TestParamInfo<Account>& info) { return account_name(info.param); }

}  // namespace pale::test
