// What stands in an entry of the registry: when it was used last, and what other tools have written there.
#include "projects.h"

namespace pale::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class RegistryEntries : public WithProjects {
 protected:
  // As another tool may have left it.
  json theirs(const std::string& last_used) const {
    return {{"projects",
             {{"app",
               {{"workspace_id", "7f0c"},
                {"root", root()},
                {"manifest", nullptr},
                {"last_used", last_used},
                {"workspace_type", "registered"},
                {"tags", {"a", 1, 2.50, {{"deep", nullptr}}}}}},
              {"beside", {{"root", beside_.text()}, {"manifest", nullptr}, {"last_used", "2026-01-22T10:00:00Z"}}}}},
            {"slugs", {{"app", "the-app"}, {"quote", "\"\\/\b\u00e9\U0001F600"}}},
            {"version", 1e3},
            {"default_project", "app"}};
  }
  static std::string year_of(const json& entry) { return entry.at("last_used").get<std::string>().substr(0, 4); }

  TemporaryDirectory beside_{GetParam(), "beside"};
};

TEST_P(RegistryEntries, LastUsedIsNowAfterARunWhateverItsWidth) {
  for (const std::string old : {"2001-02-03T04:05:06Z", "2001-02-03T04:05:06.789012Z", "2001-02-03",
                                "2001-02-03T04:05:06+02:00", "2001-02-03T04:05:06"}) {
    write_pale_home("projects.json", theirs(old).dump(2));
    EXPECT_THAT(pale({"project", "list"}).out, HasSubstr("years ago")) << old;
    ASSERT_EQ(pale({"run", "-p", "app", "--", "true"}).exit_code, 0) << old;
    EXPECT_NE(year_of(entry("app")), "2001") << old;
    json expected = theirs(old);
    expected["projects"]["app"]["last_used"] = entry("app").at("last_used");
    json after = registry();
    after["projects"]["beside"].erase("workspace_type");  // It had none, and may be given one.
    EXPECT_EQ(after, expected) << old;
    EXPECT_THAT(pale({"project", "list"}).out, HasSubstr("just now")) << old;
  }
}

TEST_P(RegistryEntries, AProjectIsUsedHoweverItIsNamed) {
  write_manifest("[project]\nid = \"app\"\n");
  for (const Words& flags : {Words{}, Words{"--project-root", root()}, Words{"-p", "app"}}) {
    write_pale_home("projects.json", theirs("2001-02-03T04:05:06Z").dump(2));
    ASSERT_EQ(pale_in(root(), Words{"run"} + flags + Words{"--", "true"}).exit_code, 0);
    EXPECT_NE(year_of(entry("app")), "2001") << testing::PrintToString(flags);
  }
}

TEST_P(RegistryEntries, LookingIsNotUsing) {
  const std::string text = theirs("2001-02-03T04:05:06Z").dump(2);
  write_pale_home("projects.json", text);
  pale({"project", "list"});
  pale({"project", "show", "app"});
  pale({"project", "current"});
  pale({"explain", "-p", "app"});
  pale({"run", "-p", "app", "--dry-run", "--", "true"});
  EXPECT_EQ(read_pale_home("projects.json"), text);
}

TEST_P(RegistryEntries, ACloneWithTheSameIdIsNotTakenForTheRegisteredOne) {
  write_pale_home("projects.json", theirs("2001-02-03T04:05:06Z").dump(2));
  beside_.write(".pale/project.toml", "[project]\nid = \"app\"\n");
  ASSERT_EQ(script(beside_, "true").exit_code, 0);
  EXPECT_EQ(year_of(entry("app")), "2001");
}

TEST_P(RegistryEntries, WhatPaleDoesNotKnowSurvivesEveryChange) {
  const json before = theirs("2026-01-23T15:00:00Z");
  write_pale_home("projects.json", before.dump());
  const TemporaryDirectory third(GetParam(), "third");
  ASSERT_EQ(pale({"init", third.text(), "--id", "third"}).exit_code, 0);
  ASSERT_EQ(pale({"project", "default", "third"}).exit_code, 0);
  ASSERT_EQ(pale({"project", "rename", "app", "shop"}).exit_code, 0);
  ASSERT_EQ(pale({"project", "remove", "third"}).exit_code, 0);
  ASSERT_EQ(pale({"project", "rename", "shop", "app"}).exit_code, 0);
  ASSERT_EQ(pale({"project", "default", "app"}).exit_code, 0);
  ASSERT_EQ(pale({"project", "cleanup"}).exit_code, 0);
  json after = registry();
  after["projects"]["beside"].erase("workspace_type");
  EXPECT_EQ(after, before);
  EXPECT_THAT(read_pale_home("projects.json"), AllOf(HasSubstr("2.5"), HasSubstr("\"slugs\"")));
}

TEST_P(RegistryEntries, NumbersKeepTheirDigits) {
  write_pale_home("projects.json",
                  "{\"projects\": {\"app\": {\"root\": \"" + root() +
                      "\", \"size\": 12345678901234567890123, \"ratio\": 1.10}}, \"revision\": 1E400}\n");
  ASSERT_EQ(pale({"project", "default", "app"}).exit_code, 0);
  EXPECT_THAT(read_pale_home("projects.json"),
              AllOf(HasSubstr("12345678901234567890123"), HasSubstr("1.10"), HasSubstr("1E400")));
}

TEST_P(RegistryEntries, TheRegistryOfSunwellCanBeReadAsItIs) {
  work().write(".sunwell/project.toml", "[project]\nid = \"my-fastapi-app\"\n");
  const std::string text =
      "{\n  \"projects\": {\n    \"my-fastapi-app\": {\n      \"root\": \"" + root() +
      "\",\n      \"manifest\": null,\n      \"last_used\": \"2026-01-23T15:00:00.123456+00:00\",\n"
      "      \"workspace_type\": \"registered\"\n    },\n    \"game-prototype\": {\n      \"root\": \"" +
      beside_.text() +
      "\",\n      \"manifest\": null,\n      \"last_used\": \"2026-01-22T10:00:00\",\n"
      "      \"workspace_type\": \"temporary\",\n      \"workspace_id\": \"w-1\"\n    }\n  },\n"
      "  \"default_project\": \"my-fastapi-app\",\n  \"slugs\": {}\n}";
  write_pale_home("projects.json", text);
  const Finished list = pale({"project", "list"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  EXPECT_THAT(list.out, AllOf(StartsWith("ID "), HasSubstr("my-fastapi-app  " + root()), HasSubstr("(default)"),
                              HasSubstr("game-prototype  " + beside_.text())));
  EXPECT_EQ(pale({"run", "--", "pwd"}).out, root() + "\n");
  EXPECT_EQ(pale({"run", "-p", "game-prototype", "--", "pwd"}).out, beside_.text() + "\n");
  EXPECT_EQ(entry("game-prototype").at("workspace_id"), "w-1");
  EXPECT_EQ(entry("game-prototype").at("workspace_type"), "temporary");
}

// A manifest of Sunwell's is none of Pale's: what it protects would be lost without a word.
TEST_P(RegistryEntries, AnEntryWhoseManifestIsSunwellsIsRefusedWithTheWayToTakeItOver) {
  work().write(".sunwell/project.toml", "[project]\nid = \"app\"\n[agent]\nprotected = [\"migrations\"]\n");
  write_pale_home("projects.json", "{\"projects\": {\"app\": {\"root\": \"" + root() + "\", \"manifest\": \"" + root() +
                                       "/.sunwell/project.toml\", \"last_used\": \"2026-01-23T15:00:00Z\"}}}");
  EXPECT_EQ(pale({"project", "list"}).exit_code, 0);
  const Finished run = pale({"run", "-p", "app", "--", "touch", "ran"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("pale project import"));
  EXPECT_FALSE(work().exists("ran"));
}

INSTANTIATE_TEST_SUITE_P(, RegistryEntries, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
