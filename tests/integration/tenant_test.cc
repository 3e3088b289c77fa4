// Managed projects: pale project create, update, delete, and how list and show speak of them.
#include "managed.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using testing::UnorderedElementsAre;
namespace fs = std::filesystem;

class Tenants : public WithManagedProjects {};
INSTANTIATE_TEST_SUITE_P(As, Tenants, testing::ValuesIn(accounts()),
                         [](const auto& which) { return account_name(which.param); });

TEST_P(Tenants, AProjectIsMadeWithWhatWasSaid) {
  const json made =
      create_project("Chat Agents", {"--description", "for Signal", "--isolated", "--protected-path", "AGENTS.md",
                                     "--protected-path", ".factory/", "--sessions", "20", "--memory", "2G", "--pids",
                                     "200", "--disk", "10G", "--time", "2h", "--max-recursion-depth", "3"});
  EXPECT_EQ(made.at("id"), "chat-agents");
  EXPECT_EQ(made.at("workspace_isolation"), true);
  EXPECT_EQ(made.at("protected_paths"), (json{"AGENTS.md", ".factory/"}));
  EXPECT_EQ(made.at("limits"),
            (json{{"sessions", 20}, {"memory", 2UL << 30U}, {"pids", 200}, {"disk", 10UL << 30U}, {"seconds", 7200}}));
  EXPECT_EQ(made.at("max_recursion_depth"), 3);
  const json stored = json::parse(read_pale_home("projects/chat-agents/metadata.json"));
  for (const auto& [key, value] : stored.items()) EXPECT_EQ(made.at(key), value) << key;
  EXPECT_EQ(answer({"project", "show", "chat-agents"}), made);
  EXPECT_EQ(answer({"project", "show", "-p", "chat-agents"}), made);
  EXPECT_THAT(pale({"project", "show", "chat-agents"}).out,
              AllOf(ContainsRegex("type +managed\n"), ContainsRegex("isolation +yes\n"),
                    ContainsRegex("protected +AGENTS.md, .factory/\n"), ContainsRegex("limits +sessions 20, ")));
}

// COMPAT 3: project_get omitted both settings, and false was dropped.
TEST_P(Tenants, ShowAndListSayBothSettingsEvenIfTheyAreFalseAndEmpty) {
  create_project("plain");
  const json shown = answer({"project", "show", "plain"});
  const json listed = answer({"project", "list"}).at("projects").at(0);
  const json stored = json::parse(read_pale_home("projects/plain/metadata.json"));
  for (const json& each : {shown, listed, stored}) {
    EXPECT_EQ(each.at("workspace_isolation"), false);
    EXPECT_EQ(each.at("protected_paths"), json::array());
  }
  EXPECT_THAT(pale({"project", "show", "plain"}).out,
              AllOf(ContainsRegex("isolation +no\n"), ContainsRegex("protected +none\n")));
}

// COMPAT 3: protected_paths: ["../../../etc/shadow"] mounted the host file.
TEST_P(Tenants, AProtectedPathThatLeavesTheWorkspaceIsRefusedByName) {
  create_project("there");
  for (const std::string bad : {"../../../etc/shadow", "/etc/shadow", "..", "a/../../b", ".", ""}) {
    for (const Words& words : {Words{"project", "create", "new"}, Words{"project", "update", "there"}}) {
      const Finished done = pale(words + Words{"--protected-path", "good", "--protected-path", bad});
      EXPECT_EQ(done.exit_code, 2) << bad;
      EXPECT_THAT(done.err, AllOf(HasSubstr("protected_paths"), HasSubstr("'" + bad + "'"))) << bad;
    }
  }
  EXPECT_EQ(answer({"project", "show", "there"}).at("protected_paths"), json::array());
  EXPECT_EQ(pale({"project", "list", "--ids"}).out, "there\n");
}

TEST_P(Tenants, IdsAreUniqueAndNeverLeadElsewhere) {
  EXPECT_EQ(create_project("App").at("id"), "app");
  EXPECT_EQ(create_project("App").at("id"), "app-2");
  EXPECT_EQ(create_project("Other", {"--id", "00112233-4455-4677-8899-aabbccddeeff"}).at("id"),
            "00112233-4455-4677-8899-aabbccddeeff");
  const Finished taken = pale({"project", "create", "X", "--id", "app"});
  EXPECT_EQ(taken.exit_code, 2);
  EXPECT_THAT(taken.err, HasSubstr("already: app"));
  const Words before = names(in_pale_home("projects"));
  for (const std::string& id : wrong_ids()) {
    for (const Words& words :
         {Words{"project", "create", "X", "--id", id}, Words{"project", "update", id, "--isolated"},
          Words{"project", "delete", id, "--yes"}, Words{"workspace", "list", "-p", id}}) {
      const Finished done = pale(words);
      EXPECT_EQ(done.exit_code, 2) << id;
      EXPECT_THAT(done.err, StartsWith("pale: not an id for a managed project")) << id;
      EXPECT_LT(done.err.size(), 400U);
    }
  }
  EXPECT_NE(pale({"project", "create", ""}).exit_code, 0);
  EXPECT_NE(pale({"project", "create", "X", "--id", ""}).exit_code, 0);
  EXPECT_EQ(names(in_pale_home("projects")), before);
}

TEST_P(Tenants, OneWordMeansOneProjectWhoeversItIs) {
  init(work(), {"--id", "mine"});
  EXPECT_EQ(create_project("mine").at("id"), "mine-2");
  EXPECT_EQ(pale({"project", "create", "X", "--id", "mine"}).exit_code, 2);
  const TemporaryDirectory other(GetParam(), "other");
  EXPECT_EQ(pale({"project", "init", other.text(), "--id", "mine-2"}).exit_code, 2);
  EXPECT_FALSE(other.exists(".pale"));
  EXPECT_EQ(pale({"project", "rename", "mine", "mine-2"}).exit_code, 2);
  const Finished workspaces = pale({"workspace", "list", "-p", "mine"});
  EXPECT_EQ(workspaces.exit_code, 2);
  EXPECT_THAT(workspaces.err, AllOf(HasSubstr("not a managed project"), HasSubstr(work().text())));
  EXPECT_EQ(pale({"project", "list", "--ids"}).out, "mine\nmine-2\n");
  EXPECT_THAT(pale({"project", "list"}).out, ContainsRegex("mine-2 .*\\(managed\\)\n"));
}

TEST_P(Tenants, TwoMadeAtOnceGetDifferentIds) {
  EXPECT_EQ(shell("for n in 1 2 3 4 5 6 7 8; do $PALE project create Same & done; wait").exit_code, 0);
  std::set<std::string> ids;
  const json listed = answer({"project", "list"});
  for (const json& each : listed.at("projects")) ids.insert(each.at("id"));
  EXPECT_EQ(ids, (std::set<std::string>{"same", "same-2", "same-3", "same-4", "same-5", "same-6", "same-7", "same-8"}));
}

TEST_P(Tenants, AKillWhileOneIsMadeLeavesAllOfItOrNothing) {
  const Process process = process_of({"project", "create", "Same"});
  for (int each = 0; each < 60; ++each) kill_after(process, each * std::chrono::microseconds(150));
  const Finished list = pale({"project", "list", "--json"});
  ASSERT_EQ(list.exit_code, 0) << list.err;
  EXPECT_EQ(list.err, "") << "none of them is damaged";
  const json listed = json::parse(list.out);
  for (const json& each : listed.at("projects")) {
    EXPECT_THAT(names(each.at("root").get<std::string>()),
                UnorderedElementsAre(".pale", "metadata.json", "sessions", "workspaces"));
  }
  create_project("last");
  for (const std::string& name : names(in_pale_home("projects"))) EXPECT_THAT(name, Not(StartsWith(".new"))) << name;
}

TEST_P(Tenants, AKillWhileOneIsChangedLeavesTheOldOrTheNew) {
  create_project("app", {"--isolated"});
  const Process process = process_of({"project", "update", "app", "--description", std::string(9000, 'x')});
  for (int each = 0; each < 40; ++each) {
    ASSERT_EQ(pale({"project", "update", "app", "--description", "old"}).exit_code, 0);
    kill_after(process, each * std::chrono::microseconds(200));
    const json shown = answer({"project", "show", "app"});
    const std::string description = shown.at("description");
    EXPECT_TRUE(description == "old" || description.size() == 9000) << description.size();
    EXPECT_EQ(shown.at("workspace_isolation"), true);
  }
  ASSERT_EQ(pale({"project", "update", "app", "--description", "last"}).exit_code, 0);
  EXPECT_THAT(names(in_pale_home("projects")), ElementsAre(".lock", "app", "app.lock"));
}

TEST_P(Tenants, AnUpdateChangesWhatItNames) {
  create_project("app", {"--isolated", "--protected-path", "a", "--memory", "1G", "--pids", "5"});
  json changed = answer({"project", "update", "app", "--protected-path", "b", "--memory", "none"});
  EXPECT_EQ(changed.at("protected_paths"), json{"b"});
  EXPECT_EQ(changed.at("workspace_isolation"), true);
  EXPECT_EQ(changed.at("limits").at("memory"), nullptr);
  EXPECT_EQ(changed.at("limits").at("pids"), 5);
  changed = answer({"project", "update", "app", "--no-isolated", "--no-protected-paths", "--name", "Another"});
  EXPECT_EQ(changed.at("workspace_isolation"), false);
  EXPECT_EQ(changed.at("protected_paths"), json::array());
  EXPECT_EQ(changed.at("name"), "Another");
  EXPECT_EQ(changed.at("id"), "app");
  EXPECT_EQ(answer({"project", "show", "app"}), changed);
  for (const Words& wrong : {Words{}, Words{"--json"}, Words{"--isolated", "--no-isolated"},
                             Words{"--protected-path", "x", "--no-protected-paths"}, Words{"--memory", "much"},
                             Words{"--pids", "0"}, Words{"--name", ""}})
    EXPECT_EQ(pale(Words{"project", "update", "app"} + wrong).exit_code, 2);
  EXPECT_EQ(pale({"project", "update", "missing", "--isolated"}).exit_code, 2);
  EXPECT_EQ(answer({"project", "show", "app"}), changed);
}

TEST_P(Tenants, KeysThatAreNotPalesSurviveAnUpdate) {
  create_project("app");
  json stored = json::parse(read_pale_home("projects/app/metadata.json"));
  stored["x-owner"] = {{"team", "a"}};
  write_pale_home("projects/app/metadata.json", stored.dump());
  answer({"project", "update", "app", "--isolated"});
  EXPECT_EQ(json::parse(read_pale_home("projects/app/metadata.json")).at("x-owner"), (json{{"team", "a"}}));
}

TEST_P(Tenants, BrokenSettingsAreAnErrorWithItsPlaceAndStayAsTheyAre) {
  create_project("good");
  create_project("bad");
  const std::string broken = "{\n  \"workspace_isolation\": \"true\"\n}";
  write_pale_home("projects/bad/metadata.json", broken);
  for (const Words& words : {Words{"project", "show", "bad"}, Words{"project", "update", "bad", "--isolated"},
                             Words{"workspace", "create", "-p", "bad"}}) {
    const Finished done = pale(words);
    EXPECT_EQ(done.exit_code, 125);
    EXPECT_THAT(done.err, AllOf(HasSubstr("bad/metadata.json"), HasSubstr("line 2, column 26"))) << done.err;
  }
  const Finished list = pale({"project", "list", "--ids"});
  EXPECT_EQ(list.out, "good\n");
  EXPECT_THAT(list.err, HasSubstr("bad/metadata.json"));
  EXPECT_EQ(read_pale_home("projects/bad/metadata.json"), broken);
  EXPECT_EQ(pale({"project", "delete", "bad", "--yes"}).exit_code, 0);
}

TEST_P(Tenants, DeletingAsksAndFailsWhereNobodyCanAnswer) {
  create_project("app");
  create_workspace("app");
  const Finished asked = pale({"project", "delete", "app"});
  EXPECT_EQ(asked.exit_code, 3);
  EXPECT_THAT(asked.err, AllOf(HasSubstr("project app with 1 workspace"), HasSubstr("--yes")));
  EXPECT_TRUE(fs::exists(project_directory("app")));
  EXPECT_EQ(run_hint(hint_of(asked)).exit_code, 0);
  EXPECT_THAT(names(in_pale_home("projects")), ElementsAre(".lock"));
  EXPECT_EQ(pale({"project", "delete", "app", "--yes"}).exit_code, 2);
  EXPECT_EQ(pale({"project", "list", "--ids"}).out, "");
}

// COMPAT 3: delete stopped the container before checking active sessions.
TEST_P(Tenants, ADeleteIsRefusedBeforeAnythingIsStoppedWhileASessionLives) {
  create_project("app", {"--isolated"});
  const std::string workspace = create_workspace("app");
  const std::string session = start_session("app", workspace);
  ASSERT_TRUE(lives(session));
  EXPECT_EQ(answer({"project", "show", "app"}).at("live_sessions"), 1);
  const Finished refused = pale({"project", "delete", "app", "--yes"});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("--force"));
  EXPECT_TRUE(lives(session));
  EXPECT_EQ(pale({"session", "run", session, "--", "/bin/true"}).exit_code, 0);
  EXPECT_TRUE(fs::exists(workspace_directory("app", workspace)));
  EXPECT_EQ(pale({"project", "delete", "app", "--force"}).exit_code, 3) << "it asks all the same";
  EXPECT_TRUE(lives(session));
  const Finished forced = pale({"project", "delete", "app", "--force", "--yes"});
  EXPECT_EQ(forced.exit_code, 0) << forced.err;
  EXPECT_FALSE(lives(session));
  EXPECT_FALSE(fs::exists(project_directory("app")));
  EXPECT_TRUE(!fs::exists(in_pale_home("homes")) || fs::is_empty(in_pale_home("homes")));
}

TEST_P(Tenants, ABoundaryStaysAsItIsWhileASessionLives) {
  create_project("app", {"--isolated"});
  const std::string session = start_session("app", create_workspace("app"));
  for (const Words& change : {Words{"--no-isolated"}, Words{"--protected-path", "AGENTS.md"}}) {
    const Finished refused = pale(Words{"project", "update", "app"} + change);
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.err, HasSubstr("pale session end"));
  }
  EXPECT_EQ(pale({"project", "update", "app", "--name", "Another", "--isolated"}).exit_code, 0);
  EXPECT_EQ(pale({"session", "end", session}).exit_code, 0);
  EXPECT_EQ(pale({"project", "update", "app", "--no-isolated"}).exit_code, 0);
}

// COMPAT 3: agents edited the project's metadata.
TEST_P(Tenants, AnAgentCannotChangeSettingsEvenAfterTheyWereChangedUnderIt) {
  create_project("app");
  const std::string session = start_session("app", create_workspace("app"));
  const std::string attack =
      "cd /workspace; echo '{\"workspace_isolation\": false}' > metadata.json; rm -f metadata.json; mv metadata.json "
      "x; "
      "ln metadata.json y; cp metadata.json z && mv z metadata.json; echo > sessions/x; mkdir .pale/x; mv .pale q; "
      "mv sessions r; true";
  const std::string before = read_pale_home("projects/app/metadata.json");
  EXPECT_EQ(pale({"session", "run", session, "--", "/bin/sh", "-c", attack}).exit_code, 0);
  EXPECT_EQ(read_pale_home("projects/app/metadata.json"), before);
  ASSERT_EQ(pale({"project", "update", "app", "--description", "changed"}).exit_code, 0);
  const std::string after = read_pale_home("projects/app/metadata.json");
  EXPECT_EQ(pale({"session", "run", session, "--", "/bin/sh", "-c", attack}).exit_code, 0);
  EXPECT_EQ(read_pale_home("projects/app/metadata.json"), after);
  EXPECT_EQ(answer({"project", "show", "app"}).at("description"), "changed");
  EXPECT_FALSE(fs::exists(project_directory("app") / "sessions/x"));
  EXPECT_EQ(pale({"session", "end", session}).exit_code, 0);
}

TEST_P(Tenants, EveryProjectIsPrivateToItsUser) {
  create_project("app");
  EXPECT_EQ(fs::status(in_pale_home("projects/app")).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(in_pale_home("projects/app/metadata.json")).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

}  // namespace
}  // namespace pale::test
