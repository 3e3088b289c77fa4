// The specification of workspace isolation, a test for each of its scenarios, by its title.
#include "tenants.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class WorkspaceIsolation : public WithTenants {
 protected:
  std::string isolated(const Json& protected_paths = Json::array()) {
    return new_project({{"workspace_isolation", true}, {"protected_paths", protected_paths}});
  }
};

TEST_P(WorkspaceIsolation, CreateProjectWithIsolationEnabled) {
  const Json made = client_.call("project_create", {{"name", "chat"}, {"workspace_isolation", true}});
  EXPECT_EQ(made.at("workspace_isolation"), true);
  EXPECT_EQ(Json::parse(read(on_disk("chat") / "metadata.json")).at("workspace_isolation"), true);
  const std::string session = new_session("chat", new_workspace("chat"));
  EXPECT_EQ(output_in(session, "pwd; ls -A"), "/workspace\n");
}

TEST_P(WorkspaceIsolation, CreateProjectWithIsolationDisabledDefault) {
  const Json made = client_.call("project_create", {{"name", "chat"}});
  EXPECT_EQ(made.at("workspace_isolation"), false);
  EXPECT_EQ(made.at("protected_paths"), Json::array());
  EXPECT_EQ(Json::parse(read(on_disk("chat") / "metadata.json")).at("workspace_isolation"), false);
  const std::string workspace = new_workspace("chat");
  EXPECT_EQ(output_in(new_session("chat", workspace), "pwd; ls /workspace"),
            "/workspace/workspaces/" + workspace + "\nmetadata.json\nsessions\nworkspaces\n");
}

TEST_P(WorkspaceIsolation, QueryProjectIsolationSetting) {
  EXPECT_EQ(client_.call("project_get", {{"project_id", isolated()}}).at("workspace_isolation"), true);
  const Json listed = client_.call("project_list").at("projects");
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].at("workspace_isolation"), true);
  EXPECT_EQ(listed[0].at("protected_paths"), Json::array());
}

TEST_P(WorkspaceIsolation, ContainerMountInIsolatedMode) {
  const std::string project = isolated();
  const std::string workspace = new_workspace(project);
  const std::string session = new_session(project, workspace);
  EXPECT_EQ(output_in(session, "pwd"), "/workspace\n");
  run_in(session, "echo mine > here");
  EXPECT_EQ(read(workspace_on_disk(project, workspace) / "here"), "mine\n");
  const Json looked = run_in(session, "cat " + (on_disk(project) / "metadata.json").string() + "; ls " +
                                          project_.pale_home().string() + "; find / -name metadata.json 2>/dev/null");
  EXPECT_EQ(looked.at("stdout"), "");
  EXPECT_THAT(looked.value("stderr", ""), HasSubstr("No such file or directory"));
}

TEST_P(WorkspaceIsolation, ContainerMountInNonIsolatedMode) {
  const std::string project = new_project({});
  const std::string workspace = new_workspace(project);
  write(on_disk(project) / "shared.txt", "for all\n");
  const std::string session = new_session(project, workspace);
  EXPECT_EQ(output_in(session, "pwd"), "/workspace/workspaces/" + workspace + "\n");
  EXPECT_EQ(output_in(session, "cat /workspace/shared.txt"), "for all\n");
  run_in(session, "echo changed > /workspace/shared.txt; echo mine > here");
  EXPECT_EQ(read(on_disk(project) / "shared.txt"), "changed\n");
  EXPECT_EQ(read(workspace_on_disk(project, workspace) / "here"), "mine\n");
}

TEST_P(WorkspaceIsolation, WorkspaceCreationWithProjectAgentsMd) {
  const std::string project = isolated();
  write(on_disk(project) / "AGENTS.md", "be kind\n");
  const std::string workspace = new_workspace(project);
  EXPECT_EQ(read(workspace_on_disk(project, workspace) / "AGENTS.md"), "be kind\n");
  EXPECT_EQ(output_in(new_session(project, workspace), "cat /workspace/AGENTS.md"), "be kind\n");
}

TEST_P(WorkspaceIsolation, WorkspaceCreationWithoutProjectAgentsMd) {
  const std::string project = isolated();
  const std::string workspace = new_workspace(project);
  EXPECT_FALSE(std::filesystem::exists(workspace_on_disk(project, workspace) / "AGENTS.md"));
}

TEST_P(WorkspaceIsolation, WorkspaceAlreadyHasAgentsMd) {
  const std::string project = isolated();
  const std::string workspace = new_workspace(project);
  write(workspace_on_disk(project, workspace) / "AGENTS.md", "its own\n");
  write(on_disk(project) / "AGENTS.md", "the project's\n");
  EXPECT_EQ(output_in(new_session(project, workspace), "cat AGENTS.md"), "its own\n");
  EXPECT_EQ(read(workspace_on_disk(project, workspace) / "AGENTS.md"), "its own\n");
}

TEST_P(WorkspaceIsolation, AgentAttemptsToAccessParentDirectory) {
  const std::string project = isolated();
  const std::string other = new_workspace(project);
  write(workspace_on_disk(project, other) / "private.txt", "of another tenant\n");
  const std::string session = new_session(project, new_workspace(project));
  const std::string seen = output_in(session,
                                     "ls /workspace/../; cd ..; pwd; ls; cat workspaces/*/private.txt 2>&1; "
                                     "find / -path /usr -prune -o -name private.txt -o -name sessions -o -name '" +
                                         other + "' 2>/dev/null");
  for (const char* name : {"metadata.json", "sessions", "workspaces\n", "of another tenant"})
    EXPECT_THAT(seen, Not(HasSubstr(name)));
  EXPECT_THAT(seen, Not(HasSubstr(other)));
}

TEST_P(WorkspaceIsolation, ProtectAgentsMdAndFactoryDirectory) {
  const std::string project = isolated({"AGENTS.md", ".factory/"});
  write(on_disk(project) / "AGENTS.md", "rules\n");
  write(on_disk(project) / ".factory" / "mcp.json", "{}\n");
  const std::string workspace = new_workspace(project);
  const std::string session = new_session(project, workspace);
  const Json tried = run_in(session,
                            "echo x > AGENTS.md; echo x > .factory/mcp.json; echo x > .factory/new; rm -r .factory; "
                            "mv AGENTS.md away; echo fine > other.txt; cat AGENTS.md .factory/mcp.json other.txt");
  EXPECT_EQ(tried.at("stdout"), "rules\n{}\nfine\n");
  const auto on_host = workspace_on_disk(project, workspace);
  EXPECT_EQ(read(on_host / "AGENTS.md"), "rules\n");
  EXPECT_EQ(read(on_host / ".factory" / "mcp.json"), "{}\n");
  EXPECT_FALSE(std::filesystem::exists(on_host / ".factory" / "new"));
  EXPECT_EQ(read(on_host / "other.txt"), "fine\n");
}

TEST_P(WorkspaceIsolation, AgentAttemptsToModifyProtectedFile) {
  const std::string project = isolated({"AGENTS.md"});
  write(on_disk(project) / "AGENTS.md", "rules\n");
  const std::string workspace = new_workspace(project);
  const Json tried = run_in(new_session(project, workspace), "echo hacked > /workspace/AGENTS.md");
  EXPECT_NE(tried.at("exit_code"), 0);
  EXPECT_THAT(tried.value("stderr", ""), HasSubstr("Read-only file system"));
  EXPECT_EQ(read(workspace_on_disk(project, workspace) / "AGENTS.md"), "rules\n");
  ASSERT_EQ(tried.at("denied").size(), 1U);
  EXPECT_EQ(tried.at("denied")[0].at("path"), "/workspace/AGENTS.md");
  EXPECT_THAT(tried.at("denied")[0].value("rule", ""), HasSubstr("protected_paths"));
}

TEST_P(WorkspaceIsolation, ProtectedPathDoesNotExist) {
  const std::string project = isolated({"AGENTS.md", "nonexistent.md"});
  write(on_disk(project) / "AGENTS.md", "rules\n");
  const std::string workspace = new_workspace(project);
  const Json tried = run_in(new_session(project, workspace), "echo x > AGENTS.md; echo x > nonexistent.md; ls");
  EXPECT_EQ(tried.at("stdout"), "AGENTS.md\n");
  EXPECT_EQ(read(workspace_on_disk(project, workspace) / "AGENTS.md"), "rules\n");
  EXPECT_FALSE(std::filesystem::exists(workspace_on_disk(project, workspace) / "nonexistent.md"));
}

// Beyond the scenarios: by another hard link the file could be changed.
TEST_P(WorkspaceIsolation, AProtectedFileThatASessionLinkedBeforeIsRefused) {
  const std::string project = isolated();
  const std::string workspace = new_workspace(project);
  const std::string session = new_session(project, workspace);
  EXPECT_EQ(run_in(session, "echo rules > f && ln f AGENTS.md").at("exit_code"), 0);
  client_.call("session_end", {{"session_id", session}});
  client_.call("project_update", {{"project_id", project}, {"protected_paths", {"AGENTS.md"}}});
  const std::string refused = client_.refusal("session_start", {{"project_id", project}, {"workspace_id", workspace}});
  EXPECT_THAT(refused, HasSubstr("hard link"));
  EXPECT_THAT(refused, HasSubstr("AGENTS.md"));
}

TEST_P(WorkspaceIsolation, ProtectedPathsOnlyApplyWithIsolationEnabled) {
  const std::string project = new_project({{"protected_paths", {"AGENTS.md"}}});
  const std::string workspace = new_workspace(project);
  write(workspace_on_disk(project, workspace) / "AGENTS.md", "rules\n");
  EXPECT_EQ(run_in(new_session(project, workspace), "echo changed > AGENTS.md").at("exit_code"), 0);
  EXPECT_EQ(read(workspace_on_disk(project, workspace) / "AGENTS.md"), "changed\n");
}

// Beyond the scenarios: a project that is shown whole still decides over its own sessions.
TEST_P(WorkspaceIsolation, WithoutItWhatDecidesIsReadOnlyAllTheSame) {
  const std::string project = new_project({});
  const std::string workspace = new_workspace(project);
  const std::string session = new_session(project, workspace);
  const std::string before = read(on_disk(project) / "metadata.json");
  const Json tried = run_in(session,
                            "cd /workspace; echo '{}' > metadata.json; rm metadata.json; mv metadata.json x; "
                            "rm -rf sessions .pale; echo x > sessions/x; echo x > .pale/x; mv .pale y; "
                            "ln -s /etc sessions/z; cat metadata.json");
  EXPECT_EQ(tried.at("stdout"), before);
  EXPECT_EQ(read(on_disk(project) / "metadata.json"), before);
  EXPECT_TRUE(std::filesystem::exists(on_disk(project) / "sessions" / session / "session.json"));
  EXPECT_TRUE(std::filesystem::exists(on_disk(project) / ".pale" / "workspaces" / (workspace + ".json")));
  for (const char* name : {"sessions/x", ".pale/x", "x", "y"})
    EXPECT_FALSE(std::filesystem::exists(on_disk(project) / name));
}

INSTANTIATE_TEST_SUITE_P(As, WorkspaceIsolation, testing::ValuesIn(accounts()), account_suffix);

}  // namespace
}  // namespace pale::test
