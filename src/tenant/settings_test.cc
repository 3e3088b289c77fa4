#include "tenant/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pale::tenant {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Settings named(std::string name) {
  Settings settings;
  settings.name = std::move(name);
  return settings;
}

std::string sentence(const Status& status) { return status ? "fine" : status.error().sentence(); }

TEST(ProtectedPaths, LieBelowTheWorkspace) {
  for (const std::string good : {"AGENTS.md", ".factory/", ".factory/mcp.json", "a b", "./AGENTS.md", "x//y", "x/./y",
                                 "...", "..a", "a..", "-", "*", "\xff", "a\nb", "\\"}) {
    EXPECT_EQ(sentence(check_protected_path(good)), "fine") << good;
  }
}

TEST(ProtectedPaths, ThatLeaveItAreRefusedByName) {
  for (const std::string bad : {"..", "../x", "x/..", "x/../y", "../../../etc/shadow", "x/../../y", "./..", "..//"}) {
    EXPECT_THAT(sentence(check_protected_path(bad)),
                AllOf(HasSubstr("'" + bad + "'"), HasSubstr("leaves the workspace")))
        << bad;
  }
  for (const std::string bad : {"/", "/etc/shadow", "//x", "/workspace/AGENTS.md"}) {
    EXPECT_THAT(sentence(check_protected_path(bad)), AllOf(HasSubstr("'" + bad + "'"), HasSubstr("absolute"))) << bad;
  }
  for (const std::string bad : {".", "./", "././", ".//"}) {
    EXPECT_THAT(sentence(check_protected_path(bad)), AllOf(HasSubstr("'" + bad + "'"), HasSubstr("itself"))) << bad;
  }
  EXPECT_THAT(sentence(check_protected_path("")), AllOf(HasSubstr("''"), HasSubstr("empty")));
  EXPECT_THAT(sentence(check_protected_path(std::string_view("a\0b", 3))), HasSubstr("NUL"));
  EXPECT_THAT(sentence(check_protected_path(std::string(256, 'x'))), HasSubstr("255"));
  EXPECT_EQ(sentence(check_protected_path(std::string(255, 'x'))), "fine");
  std::string deep = "x";
  while (deep.size() <= 1024) deep += "/x";
  EXPECT_THAT(sentence(check_protected_path(deep)), HasSubstr("1024"));
}

TEST(Settings, AreCheckedWhole) {
  EXPECT_EQ(sentence(check_settings(named("A name"))), "fine");
  EXPECT_NE(sentence(check_settings(named(""))), "fine");
  EXPECT_NE(sentence(check_settings(named("two\nlines"))), "fine");
  EXPECT_NE(sentence(check_settings(named("\xff"))), "fine");
  EXPECT_NE(sentence(check_settings(named(std::string("a\0b", 3)))), "fine");
  EXPECT_NE(sentence(check_settings(named(std::string(201, 'x')))), "fine");
  Settings settings = named("x");
  settings.description = "two\nlines";
  EXPECT_EQ(sentence(check_settings(settings)), "fine");
  settings.description = std::string("a\0", 2);
  EXPECT_NE(sentence(check_settings(settings)), "fine");
  settings = named("x");
  settings.protected_paths = {"good", "../bad", "good"};
  EXPECT_THAT(sentence(check_settings(settings)), HasSubstr("'../bad'"));
  settings.protected_paths.assign(257, "x");
  EXPECT_THAT(sentence(check_settings(settings)), HasSubstr("256"));
  settings = named("x");
  settings.limits.pids = 0;
  EXPECT_THAT(sentence(check_settings(settings)), HasSubstr("pids"));
}

TEST(Settings, ShowFalseAndEmptyOnes) {
  EXPECT_THAT(to_json({"x", 0, named("X"), {}}),
              AllOf(HasSubstr("\"workspace_isolation\": false"), HasSubstr("\"protected_paths\": []"),
                    HasSubstr("\"description\": \"\""), HasSubstr("\"memory\": null")));
}

TEST(Settings, AreReadAsTheyWereWritten) {
  Settings settings = named("Chat \"agents\"");
  settings.description = "für alle\nand more";
  settings.workspace_isolation = true;
  settings.protected_paths = {"AGENTS.md", ".factory/", "\xff"};
  settings.limits = {20, 1UL << 33U, 200, 1UL << 40U, 3600};
  settings.max_recursion_depth = 0;
  const Project project{"chat", 1'700'000'000, settings, {}};
  const auto again = parse_project(to_json(project), "chat", "file");
  ASSERT_TRUE(again) << again.error().sentence();
  EXPECT_EQ(again->settings, settings);
  EXPECT_EQ(again->created_at, project.created_at);
  EXPECT_EQ(to_json(*again), to_json(project));
}

TEST(Settings, ThatAreNotSaidAreTheUsualOnes) {
  const auto project = parse_project("{}", "chat", "file");
  ASSERT_TRUE(project);
  EXPECT_EQ(project->settings, named("chat"));
  const auto nothing =
      parse_project(R"({"name": null, "workspace_isolation": null, "protected_paths": null})", "chat", "");
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->settings, named("chat"));
}

TEST(Settings, KeepKeysThatAreNotTheirs) {
  const auto project = parse_project(R"({"x-owner": {"team": [1, 2.50]}, "name": "N"})", "chat", "file");
  ASSERT_TRUE(project);
  EXPECT_THAT(to_json(*project), AllOf(HasSubstr("x-owner"), HasSubstr("2.50"), HasSubstr("\"name\": \"N\"")));
}

TEST(Settings, ThatAreBrokenSayWhere) {
  struct Case {
    const char* text;
    const char* place;
    const char* what;
  };
  for (const auto& [text, place, what] : {
           Case{"{\n  \"workspace_isolation\": \"yes\"\n}", "line 2, column 26", "must be true or false"},
           Case{"{\"protected_paths\": \"AGENTS.md\"}", "line 1, column 21", "must be a list"},
           Case{"{\"protected_paths\": [1]}", "line 1, column 21", "must be a list"},
           Case{"{\n\"protected_paths\": [\"../x\"]}", "line 2, column 20", "'../x'"},
           Case{"{\"limits\": {\"cpu\": 1}}", "line 1, column 12", "cpu"},
           Case{"{\"limits\": {\"pids\": -1}}", "line 1, column 12", "pids"},
           Case{"{\"limits\": []}", "line 1, column 12", "object"},
           Case{"{\"created_at\": 5}", "line 1, column 16", "time"},
           Case{"{\"max_recursion_depth\": 1.5}", "line 1, column 25", "whole number"},
           Case{"{\"name\": 1}", "line 1, column 10", "text"},
           Case{"{\"id\": \"other\"}", "line 1, column 8", "chat"},
           Case{"[]", "line 1, column 1", "object"},
           Case{"", "line 1", ""},
           Case{"{\"name\": \"x\"", "line 1", ""},
           Case{"{\"name\": \"x\", \"name\": \"y\"}", "line 1", ""},
       }) {
    const auto project = parse_project(text, "chat", "/the/file");
    ASSERT_FALSE(project) << text;
    EXPECT_THAT(project.error().sentence(), AllOf(HasSubstr("/the/file"), HasSubstr(place), HasSubstr(what))) << text;
  }
  EXPECT_FALSE(parse_project(std::string(100'000, '['), "chat", "f"));
}

TEST(Settings, ChangeOnlyWhereSomethingIsSaid) {
  Settings settings = named("X");
  settings.protected_paths = {"a"};
  settings.limits.memory = 5;
  settings.limits.pids = 6;
  settings.max_recursion_depth = 7;
  EXPECT_EQ(with_change(settings, {}), settings);
  SettingsChange change;
  change.workspace_isolation = true;
  change.limits = {{&Limits::memory, std::nullopt}, {&Limits::disk, 8}};
  const Settings changed = with_change(settings, change);
  EXPECT_TRUE(changed.workspace_isolation);
  EXPECT_THAT(changed.protected_paths, ElementsAre("a"));
  EXPECT_EQ(changed.limits, (Limits{std::nullopt, std::nullopt, 6, 8, std::nullopt}));
  EXPECT_EQ(changed.max_recursion_depth, 7U);
  EXPECT_FALSE(changed.same_boundary(settings));
  change = {};
  change.protected_paths.emplace();
  change.max_recursion_depth = std::optional<std::uint64_t>();
  EXPECT_THAT(with_change(settings, change).protected_paths, IsEmpty());
  EXPECT_FALSE(with_change(settings, change).max_recursion_depth);
  change = {};
  change.name = "Y";
  EXPECT_TRUE(with_change(settings, change).same_boundary(settings));
}

}  // namespace
}  // namespace pale::tenant
