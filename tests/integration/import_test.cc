// pale project import: what people bring from other tools, what of it is taken, and what is left and said.
#include "projects.h"

namespace pale::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Import : public WithProjects {
 protected:
  Finished import_file(const std::string& name) const { return pale_in(root(), {"project", "import", name}); }
  json shown() const {
    const Finished show = pale({"project", "show", "--project-root", root(), "--json"});
    EXPECT_EQ(show.exit_code, 0) << show.err;
    return show.exit_code == 0 ? json::parse(show.out) : json();
  }
  static std::string sunwell(const std::string& created) {
    return "# theirs\n[project]\nid = \"my-app\"\nname = \"My \\\"FastAPI\\\" App\"\ncreated = " + created +
           "\nowner = \"me\"\n\n[workspace]\ntype = \"existing\"\n\n[agent]\ntrust = \"workspace\"\nprotected = "
           "[\".git\", "
           "\"migrations\", \"../outside\"]\n\n[state]\ndir = \"/var/state\"\n";
  }
};

TEST_P(Import, ASunwellProjectIsTakenAndWhatIsLeftIsSaidWithItsPlace) {
  work().write(".sunwell/project.toml", sunwell("\"2026-01-23T14:30:00Z\""));
  work().write("migrations/1.sql", "create\n");
  const Finished run = import_file(".sunwell/project.toml");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("took  project my-app"), HasSubstr("took  agent.trust"),
                             HasSubstr("took  agent.protected")));
  EXPECT_THAT(run.out, testing::ContainsRegex("left  project.owner \\(line 6, column 1\\): "));
  EXPECT_THAT(run.out, testing::ContainsRegex("left  state[^\n]* \\(line 15, column [0-9]+\\): "));
  EXPECT_THAT(run.out, testing::ContainsRegex("left  agent.protected: \\.\\./outside \\(line 13"));
  EXPECT_EQ(shown().at("id"), "my-app");
  EXPECT_EQ(shown().at("name"), "My \"FastAPI\" App");
  EXPECT_EQ(shown().at("registered"), true);
  const Finished inside = script("echo x > migrations/1.sql; touch .git; echo free > free");
  EXPECT_EQ(work().read("migrations/1.sql"), "create\n") << inside.err;
  EXPECT_FALSE(work().exists(".git"));
  EXPECT_EQ(work().read("free"), "free\n");
  EXPECT_EQ(work().read(".sunwell/project.toml"), sunwell("\"2026-01-23T14:30:00Z\""));
}

TEST_P(Import, TheTimeOfItsMakingInEveryForm) {
  struct Case {
    std::string written;
    std::string read;
  };
  for (const Case& each :
       {Case{"\"2026-01-23T14:30:00Z\"", "2026-01-23T14:30:00Z"}, Case{"\"2026-01-23\"", "2026-01-23T00:00:00Z"},
        Case{"\"2026-01-23T14:30:00.590373\"", "2026-01-23T14:30:00Z"},
        Case{"2026-01-23T14:30:00Z", "2026-01-23T14:30:00Z"},
        Case{"2026-01-23T14:30:00.25+02:00", "2026-01-23T12:30:00Z"},
        Case{"2026-01-23 14:30:00", "2026-01-23T14:30:00Z"}, Case{"2026-01-23", "2026-01-23T00:00:00Z"}}) {
    std::filesystem::remove_all(work().path() / ".pale");
    work().write(".sunwell/project.toml", sunwell(each.written));
    EXPECT_EQ(import_file(".sunwell/project.toml").exit_code, 0) << each.written;
    EXPECT_EQ(shown().at("created"), each.read) << each.written;
  }
}

TEST_P(Import, WhatOnlyTheUserCanGrantIsAskedForAndNotTaken) {
  work().write(".sunwell/project.toml", "[project]\nid = \"app\"\n[agent]\ntrust = \"full\"\n");
  ASSERT_EQ(import_file(".sunwell/project.toml").exit_code, 0);
  const Finished run = script("touch ran");
  EXPECT_EQ(run.exit_code, 3);
  EXPECT_THAT(run.err, HasSubstr("pale config set trust full"));
  EXPECT_FALSE(work().exists("ran"));
}

TEST_P(Import, SandboxedBecomesStaged) {
  work().write(".sunwell/project.toml", "[project]\nid = \"app\"\n[workspace]\ntype = \"sandboxed\"\n");
  ASSERT_EQ(import_file(".sunwell/project.toml").exit_code, 0);
  EXPECT_THAT(work().read(".pale/project.toml"), HasSubstr("type = \"staged\""));
}

TEST_P(Import, AManifestThatIsThereIsLeftUntouched) {
  for (const std::string name : {".sunwell/project.toml", "golem-forge.config.yaml"}) {
    work().write(name, name.ends_with("toml") ? sunwell("\"2026-01-23\"") : "sandbox:\n  mode: direct\n");
    write_manifest("# mine\n");
    const std::string before = work().snapshot();
    const Finished run = import_file(name);
    EXPECT_EQ(run.exit_code, 2) << name;
    EXPECT_THAT(run.err, AllOf(HasSubstr("manifest already"), HasSubstr("hint: ")));
    EXPECT_EQ(work().snapshot(), before);
  }
}

TEST_P(Import, ItIsNotWrittenThroughALink) {
  const TemporaryDirectory elsewhere(GetParam(), "elsewhere");
  std::filesystem::create_directory_symlink(elsewhere.path(), work().path() / ".pale");
  work().write(".sunwell/project.toml", sunwell("\"2026-01-23\""));
  EXPECT_NE(import_file(".sunwell/project.toml").exit_code, 0);
  EXPECT_EQ(elsewhere.snapshot(), "");
  EXPECT_FALSE(is_registered("my-app"));
}

TEST_P(Import, AnIdThatIsTakenKeepsTheOthersEntryAndLeavesNoManifest) {
  const TemporaryDirectory first(GetParam(), "first");
  init(first, {"--id", "my-app"});
  work().write(".sunwell/project.toml", sunwell("\"2026-01-23\""));
  const std::string before = work().snapshot();
  EXPECT_EQ(import_file(".sunwell/project.toml").exit_code, 2);
  EXPECT_EQ(entry("my-app").at("root"), first.text());
  EXPECT_EQ(work().snapshot(), before);
}

TEST_P(Import, FilesThatCannotBeUnderstoodAreReportedWithTheirPlace) {
  struct Case {
    std::string name;
    std::string text;
    std::string says;
  };
  for (const Case& each : {Case{"project.toml", "[project\n", "line 1, column 9"},
                           Case{"projects.json", "{\n \"projects\": ]", "line 2, column 14"},
                           Case{"projects.json", "{\"entries\": {}}", "\"projects\""},
                           Case{"golem-forge.config.yaml", "sandbox:\n\tmode: x\n", "line 2"},
                           Case{"golem-forge.config.yaml", "- a\n", "golem-forge"},
                           Case{"config.ini", "[a]\n", "cannot tell what this is"}}) {
    work().write(each.name, each.text);
    const std::string before = work().snapshot();
    const Finished run = import_file(each.name);
    EXPECT_EQ(run.exit_code, 2) << each.text << run.out << run.err;
    EXPECT_THAT(run.err, AllOf(HasSubstr(each.says), HasSubstr("hint: "))) << each.text;
    EXPECT_EQ(work().snapshot(), before);
  }
  EXPECT_EQ(import_file("missing.toml").exit_code, 2);
  EXPECT_EQ(pale({"project", "list", "--ids"}).out, "");
}

TEST_P(Import, ARegistryOfSunwellsIsTakenEntryByEntry) {
  const TemporaryDirectory bare(GetParam(), "bare");
  const TemporaryDirectory taken(GetParam(), "taken");
  init(taken, {"--id", "taken"});
  work().write(".sunwell/project.toml", sunwell("\"2026-01-23\""));
  const json theirs = {{"projects",
                        {{"my-app",
                          {{"root", root()},
                           {"manifest", root() + "/.sunwell/project.toml"},
                           {"last_used", "2026-01-15T20:10:08.590596"},
                           {"workspace_type", "manifest"}}},
                         {"bare",
                          {{"root", bare.text()},
                           {"manifest", nullptr},
                           {"last_used", "2026-01-15T20:10:08.590596"},
                           {"workspace_type", "registered"}}},
                         {"gone", {{"root", root() + "/gone"}, {"manifest", nullptr}}},
                         {"taken", {{"root", bare.text() + "/"}, {"manifest", nullptr}}},
                         {"home", {{"root", home().text()}, {"manifest", nullptr}}}}},
                       {"slugs", {{"a", "b"}}},
                       {"default_project", "bare"}};
  const TemporaryDirectory place(GetParam(), "place");
  place.write("projects.json", theirs.dump(2));
  const Finished run = pale({"project", "import", place.text() + "/projects.json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("took  project my-app"), HasSubstr("took  project bare"),
                    HasSubstr("took  default_project: bare"), HasSubstr("left  project gone: "),
                    HasSubstr("left  project taken: "), HasSubstr("left  project home: "), HasSubstr("left  slugs: ")));
  EXPECT_EQ(entry("taken").at("root"), taken.text());
  EXPECT_EQ(entry("bare").at("last_used"), "2026-01-15T20:10:08Z");
  EXPECT_EQ(registry().at("default_project"), "bare");
  EXPECT_TRUE(work().exists(".pale/project.toml"));
  EXPECT_EQ(entry("my-app").at("manifest"), root() + "/.pale/project.toml");
  EXPECT_EQ(entry("my-app").at("last_used"), "2026-01-15T20:10:08Z");
  EXPECT_FALSE(is_registered("gone"));
  EXPECT_FALSE(is_registered("home"));
  EXPECT_EQ(json::parse(place.read("projects.json")), theirs);
}

TEST_P(Import, TheUsersOwnDefaultStands) {
  const TemporaryDirectory own(GetParam(), "own");
  init(own, {"--id", "own"});
  ASSERT_EQ(pale({"project", "default", "own"}).exit_code, 0);
  work().write("projects.json",
               json{{"projects", {{"theirs", {{"root", root()}}}}}, {"default_project", "theirs"}}.dump());
  EXPECT_THAT(import_file("projects.json").out, HasSubstr("left  default_project: "));
  EXPECT_EQ(registry().at("default_project"), "own");
}

TEST_P(Import, AConfigurationOfGolemForgeBecomesAManifestThatIsKept) {
  work().write(
      "golem-forge.config.yaml",
      "# theirs\nsandbox:\n  mode: direct\n  root: \".\"\n  zones:\n    input:\n      path: \"./input\"\n      mode: "
      "ro\n"
      "      approval:\n        write: ask\n        delete: blocked\n    plans:\n      path: ./plans\n      mode: rw\n"
      "approval:\n  mode: interactive\ndelegation:\n  maxDepth: 3\nmodels: [a, b]\n");
  work().write("input/board.txt", "board\n");
  work().make_directory("plans");
  const Finished run = import_file("golem-forge.config.yaml");
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out,
              AllOf(HasSubstr("took  sandbox.zones.input: mode = \"ro\""), HasSubstr("took  sandbox.zones.plans: "),
                    HasSubstr("took  approval.mode interactive"), HasSubstr("took  delegation.maxDepth"),
                    HasSubstr("left  sandbox.root (line 4"), HasSubstr("left  models (line 19")));
  const Finished inside = script("echo x > input/board.txt; echo x > plans/one");
  EXPECT_EQ(work().read("input/board.txt"), "board\n") << inside.err;
  EXPECT_EQ(work().read("plans/one"), "x\n");
  EXPECT_THAT(pale_in(root(), {"explain"}).out,
              AllOf(HasSubstr("approval.mode = manual"), HasSubstr("delegation.max_depth = 3"),
                    HasSubstr("zones.input.approval.delete = blocked")));
}

TEST_P(Import, AZoneOfGolemForgesThatLeadsOutIsTheUsersToGrant) {
  const TemporaryDirectory outside(GetParam(), "outside");
  work().write("golem-forge.config.yml",
               "sandbox:\n  mode: direct\n  zones:\n    far: {path: " + outside.text() + ", mode: rw}\n");
  ASSERT_EQ(import_file("golem-forge.config.yml").exit_code, 0);
  EXPECT_EQ(script("touch ran").exit_code, 3);
  EXPECT_FALSE(work().exists("ran"));
  EXPECT_EQ(outside.snapshot(), "");
}

INSTANTIATE_TEST_SUITE_P(, Import, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
