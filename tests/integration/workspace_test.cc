// Workspaces of managed projects: pale workspace create, list, show, delete.
#include "managed.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::UnorderedElementsAre;
namespace fs = std::filesystem;

class WorkspaceCommands : public WithManagedProjects {
 protected:
  WorkspaceCommands() { create_project("app", {"--isolated"}); }
  void give(const std::string& name, const std::string& text) const { write_pale_home("projects/app/" + name, text); }
  std::string read_workspace(const std::string& id, const std::string& name) const {
    return read_pale_home("projects/app/workspaces/" + id + "/" + name);
  }
  bool has(const std::string& id, const std::string& name) const {
    return fs::symlink_status(workspace_directory("app", id) / name).type() != fs::file_type::not_found;
  }
};
INSTANTIATE_TEST_SUITE_P(As, WorkspaceCommands, testing::ValuesIn(accounts()),
                         [](const auto& which) { return account_name(which.param); });

TEST_P(WorkspaceCommands, AreMadeListedShownAndDeleted) {
  const json made = answer({"workspace", "create", "-p", "app", "--external-id", "+49 170", "--source", "signal"});
  const std::string id = made.at("id");
  EXPECT_THAT(id, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_EQ(made.at("external_id"), "+49 170");
  EXPECT_EQ(made.at("source"), "signal");
  EXPECT_EQ(made.at("last_session_at"), nullptr);
  EXPECT_EQ(made.at("directory"), workspace_directory("app", id).string());
  EXPECT_TRUE(fs::is_directory(workspace_directory("app", id)));
  const std::string other = create_workspace("app");
  EXPECT_EQ(answer({"workspace", "list", "-p", "app"}).at("workspaces").size(), 2U);
  EXPECT_THAT(pale({"workspace", "list", "-p", "app"}).out,
              AllOf(HasSubstr("EXTERNAL ID"), ContainsRegex(id + " +\\+49 170 +just now +never\n"), HasSubstr(other)));
  EXPECT_THAT(pale({"workspace", "show", "-p", "app", id}).out,
              AllOf(ContainsRegex("external id +\\+49 170\n"), ContainsRegex("last session +never\n")));
  EXPECT_EQ(answer({"workspace", "delete", "-p", "app", id, "--yes"}).at("deleted"), true);
  EXPECT_FALSE(fs::exists(workspace_directory("app", id)));
  EXPECT_EQ(pale({"workspace", "list", "-p", "app", "--ids"}).out, other + "\n");
  const Finished gone = pale({"workspace", "show", "-p", "app", id});
  EXPECT_EQ(gone.exit_code, 2);
  EXPECT_THAT(gone.err, HasSubstr("no workspace"));
}

TEST_P(WorkspaceCommands, WhatIsKnownOfThemLiesWhereNoAgentWrites) {
  const std::string id = create_workspace("app", {"--external-id", "x"});
  const json record = json::parse(read_pale_home("projects/app/.pale/workspaces/" + id + ".json"));
  EXPECT_EQ(record.at("id"), id);
  for (const char* key : {"created_at", "last_session_at", "external_id", "source"}) EXPECT_TRUE(record.contains(key));
  EXPECT_THAT(names(workspace_directory("app", id)), IsEmpty());
  const std::string session = start_session("app", id);
  EXPECT_NE(answer({"workspace", "show", "-p", "app", id}).at("last_session_at"), nullptr);
  EXPECT_EQ(pale({"session", "end", session}).exit_code, 0);
}

// COMPAT 3: workspace_id: ".." accepted.
TEST_P(WorkspaceCommands, WrongIdsAreRefusedWithASentence) {
  const std::string id = create_workspace("app");
  for (const std::string& wrong : wrong_ids()) {
    for (const Words& words : {Words{"workspace", "show", "-p", "app", wrong},
                               Words{"workspace", "delete", "-p", "app", wrong, "--yes", "--force"}}) {
      const Finished done = pale(words);
      EXPECT_EQ(done.exit_code, 2) << wrong;
      EXPECT_THAT(done.err, HasSubstr("not an id of a workspace (a UUID in lower case)")) << wrong;
      EXPECT_LT(done.err.size(), 400U);
    }
  }
  EXPECT_EQ(pale({"workspace", "show", "-p", "app", ""}).exit_code, 2);
  std::string upper = id;
  std::ranges::transform(upper, upper.begin(), [](char byte) { return static_cast<char>(std::toupper(byte)); });
  EXPECT_EQ(hint_of(pale({"workspace", "show", "-p", "app", upper})), id);
  EXPECT_EQ(pale({"workspace", "list"}).exit_code, 2);
  EXPECT_EQ(pale({"workspace", "list", "-p", "missing"}).exit_code, 2);
  EXPECT_TRUE(fs::exists(workspace_directory("app", id)));
  EXPECT_TRUE(fs::exists(project_directory("app") / "metadata.json"));
}

TEST_P(WorkspaceCommands, OfAnotherProjectDoNotExist) {
  create_project("other");
  const std::string id = create_workspace("other");
  EXPECT_EQ(pale({"workspace", "show", "-p", "app", id}).exit_code, 2);
  EXPECT_EQ(pale({"workspace", "delete", "-p", "app", id, "--yes"}).exit_code, 2);
  EXPECT_TRUE(fs::exists(workspace_directory("other", id)));
}

TEST_P(WorkspaceCommands, GetAgentsAndFactoryOfTheProject) {
  give("AGENTS.md", "rules");
  give(".factory/droids/one.md", "one");
  const json made = answer({"workspace", "create", "-p", "app"});
  const std::string id = made.at("id");
  EXPECT_EQ(made.at("copied"), (json{"AGENTS.md", ".factory"}));
  EXPECT_EQ(read_workspace(id, "AGENTS.md"), "rules");
  EXPECT_EQ(read_workspace(id, ".factory/droids/one.md"), "one");
  create_project("open");
  write_pale_home("projects/open/AGENTS.md", "rules");
  write_pale_home("projects/open/.factory/x", "x");
  const std::string shared = create_workspace("open");
  EXPECT_THAT(names(workspace_directory("open", shared)), ElementsAre(".factory"));
}

TEST_P(WorkspaceCommands, KeepTheirOwnWhenASessionStarts) {
  const std::string own = create_workspace("app"), none = create_workspace("app");
  give("workspaces/" + own + "/AGENTS.md", "the workspace's");
  give("AGENTS.md", "the project's");
  for (const std::string& id : {own, none}) {
    const std::string session = start_session("app", id);
    EXPECT_EQ(pale({"session", "run", session, "--", "/bin/cat", "/workspace/AGENTS.md"}).out,
              id == own ? "the workspace's" : "the project's");
    EXPECT_EQ(pale({"session", "end", session}).exit_code, 0);
  }
  EXPECT_EQ(read_workspace(own, "AGENTS.md"), "the workspace's");
}

// COMPAT 3: AGENTS.md as a symlink was followed by the host-side copy.
TEST_P(WorkspaceCommands, GetNothingThroughALink) {
  const TemporaryDirectory outside(GetParam(), "outside");
  outside.write("secret", "of the host");
  fs::create_symlink(outside.path() / "secret", project_directory("app") / "AGENTS.md");
  give(".factory/good", "x");
  fs::create_symlink(outside.path() / "secret", project_directory("app") / ".factory/link");
  const Finished made = pale({"workspace", "create", "-p", "app"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.err, AllOf(HasSubstr("not copied: AGENTS.md, a symbolic link"), HasSubstr(".factory/link")));
  std::string id = pale({"workspace", "list", "-p", "app", "--ids"}).out;
  id.pop_back();
  EXPECT_FALSE(has(id, "AGENTS.md"));
  EXPECT_FALSE(has(id, ".factory/link"));
  EXPECT_TRUE(has(id, ".factory/good"));
  // Nor into one.
  fs::remove(project_directory("app") / "AGENTS.md");
  give("AGENTS.md", "rules");
  fs::create_symlink(outside.path() / "new", workspace_directory("app", id) / "AGENTS.md");
  give_tree(project_.pale_home(), GetParam());
  const std::string session = start_session("app", id);
  EXPECT_FALSE(outside.exists("new"));
  EXPECT_TRUE(fs::is_symlink(workspace_directory("app", id) / "AGENTS.md"));
  EXPECT_EQ(pale({"session", "end", session}).exit_code, 0);
}

TEST_P(WorkspaceCommands, ThatBecameALinkAreNeitherOpenedNorDeletedThrough) {
  const TemporaryDirectory outside(GetParam(), "outside");
  outside.write("kept", "x");
  const std::string id = create_workspace("app");
  fs::remove(workspace_directory("app", id));
  fs::create_directory_symlink(outside.path(), workspace_directory("app", id));
  const Finished started = pale({"session", "start", "-p", "app", "--workspace", id});
  EXPECT_NE(started.exit_code, 0);
  EXPECT_THAT(started.err, HasSubstr("symbolic link"));
  EXPECT_EQ(pale({"workspace", "delete", "-p", "app", id, "--yes"}).exit_code, 0);
  EXPECT_EQ(outside.read("kept"), "x");
}

TEST_P(WorkspaceCommands, DeletingAsksAndFailsWhereNobodyCanAnswer) {
  const std::string id = create_workspace("app");
  const Finished asked = pale({"workspace", "delete", "-p", "app", id});
  EXPECT_EQ(asked.exit_code, 3);
  EXPECT_TRUE(fs::exists(workspace_directory("app", id)));
  EXPECT_EQ(run_hint(hint_of(asked)).exit_code, 0);
  EXPECT_FALSE(fs::exists(workspace_directory("app", id)));
}

TEST_P(WorkspaceCommands, ThatASessionLivesInAreNotDeletedUnlessItIsEnded) {
  const std::string id = create_workspace("app"), other = create_workspace("app");
  const std::string session = start_session("app", id);
  EXPECT_EQ(answer({"workspace", "show", "-p", "app", id}).at("live_sessions"), 1);
  EXPECT_EQ(answer({"workspace", "show", "-p", "app", other}).at("live_sessions"), 0);
  const Finished refused = pale({"workspace", "delete", "-p", "app", id, "--yes"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr(id), HasSubstr("--force")));
  EXPECT_TRUE(lives(session));
  EXPECT_EQ(pale({"workspace", "delete", "-p", "app", other, "--yes"}).exit_code, 0) << "it is another one's";
  EXPECT_TRUE(lives(session));
  const Finished forced = pale({"workspace", "delete", "-p", "app", id, "--yes", "--force"});
  EXPECT_EQ(forced.exit_code, 0) << forced.err;
  EXPECT_FALSE(lives(session));
  EXPECT_FALSE(fs::exists(workspace_directory("app", id)));
}

TEST_P(WorkspaceCommands, ThatAnAgentMadeDeepAndClosedAreDeletedAllTheSame) {
  const std::string id = create_workspace("app");
  const std::string session = start_session("app", id);
  const Finished made =
      pale({"session", "run", session, "--", "/bin/sh", "-c",
            "i=0; while [ $i -lt 1500 ]; do mkdir d && cd d || exit; i=$((i+1)); done; cd /workspace; "
            "mkdir closed; touch closed/x; chmod 0 closed; ln -s / link"});
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_EQ(pale({"session", "end", session}).exit_code, 0);
  const Finished deleted = pale({"workspace", "delete", "-p", "app", id, "--yes"});
  EXPECT_EQ(deleted.exit_code, 0) << deleted.err;
  EXPECT_THAT(names(project_directory("app") / "workspaces"), IsEmpty());
}

TEST_P(WorkspaceCommands, AKillWhileOneIsMadeLeavesAllOfItOrNothing) {
  give("AGENTS.md", std::string(100'000, 'x'));
  for (int each = 0; each < 30; ++each) give(".factory/" + std::to_string(each), std::string(1000, 'x'));
  const Process process = process_of({"workspace", "create", "-p", "app"});
  for (int each = 0; each < 60; ++each) kill_after(process, each * std::chrono::microseconds(200));
  const json listed = answer({"workspace", "list", "-p", "app"}).at("workspaces");
  for (const json& each : listed) {
    const std::string id = each.at("id");
    EXPECT_EQ(read_workspace(id, "AGENTS.md").size(), 100'000U);
    EXPECT_EQ(names(workspace_directory("app", id) / ".factory").size(), 30U);
  }
  create_workspace("app");
  EXPECT_EQ(names(project_directory("app") / "workspaces").size(), listed.size() + 1);
  EXPECT_EQ(names(project_directory("app") / ".pale/workspaces").size(), listed.size() + 1);
  EXPECT_FALSE(fs::exists(project_directory("app") / ".pale/incoming"));
}

TEST_P(WorkspaceCommands, MadeAtOnceAreAllThere) {
  EXPECT_EQ(shell("for n in 1 2 3 4 5 6 7 8; do $PALE workspace create -p app & done; wait").exit_code, 0);
  EXPECT_EQ(answer({"workspace", "list", "-p", "app"}).at("workspaces").size(), 8U);
}

}  // namespace
}  // namespace pale::test
