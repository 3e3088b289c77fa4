#include "scope/prd.h"

#include <gmock/gmock.h>

namespace pale::scope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Prd read(std::string_view text) {
  auto prd = parse_prd(text, "/p/prd.json");
  EXPECT_TRUE(prd.has_value()) << text << "\n" << (prd ? "" : prd.error().sentence());
  return prd ? std::move(*prd) : Prd();
}

std::string with_stories(const std::string& stories) { return R"({"project": "p", "userStories": [)" + stories + "]}"; }
std::string with_keys(const std::string& keys) { return R"({"project": "p", "userStories": [], )" + keys + "}"; }
// One story, with an id and a title.
std::string with_story(const std::string& keys) { return with_stories(R"({"id": "S-1", "title": "t", )" + keys + "}"); }

Story story(const std::string& keys) {
  const Prd prd = read(with_story(keys));
  return prd.stories.empty() ? Story() : prd.stories.front();
}

Error refusal(const std::string& text) {
  const auto prd = parse_prd(text, "/p/prd.json");
  EXPECT_FALSE(prd.has_value()) << text;
  if (prd) return {};
  EXPECT_THAT(prd.error().sentence(), StartsWith("/p/prd.json: "));
  EXPECT_FALSE(prd.error().hint.empty()) << prd.error().sentence();
  return prd.error();
}

std::string refused(const std::string& text) { return refusal(text).sentence(); }

TEST(Prd, HasStoriesInTheirOrder) {
  const Prd prd = read(R"({
  "project": "ledger",
  "title": "somebody else's key",
  "branchName": "feature/ledger",
  "description": "Double entry.",
  "workspace": {"folders": ["lib", "src/api"], "mode": "strict"},
  "parallelization": {"enabled": true, "maxWorkers": 3, "strategy": "theirs"},
  "userStories": [
    {
      "id": "US-002",
      "title": "Post an entry",
      "acceptanceCriteria": ["Debits equal credits"],
      "priority": 2,
      "dependencies": ["US-001"],
      "fileScope": ["src/api/**/*.ts"],
      "passes": false,
      "notes": "careful"
    },
    {"id": "US-001", "title": "Accounts", "priority": "1", "passes": true, "estimatedComplexity": "medium"}
  ]
})");
  EXPECT_EQ(prd.project, "ledger");
  EXPECT_EQ(prd.branch_name, "feature/ledger");
  EXPECT_EQ(prd.description, "Double entry.");
  EXPECT_EQ(prd.workspace, (Workspace{{"lib", "src/api"}, Mode::Strict}));
  EXPECT_EQ(prd.parallelization, (Parallelization{true, 3}));
  const std::vector<std::string> scope = {"src/api/**/*.ts"};
  EXPECT_THAT(prd.stories, ElementsAre(Story{"US-002", "Post an entry", 2, {"US-001"}, false, scope, "careful"},
                                       Story{"US-001", "Accounts", 1, {}, true, std::nullopt, ""}));
}

TEST(Prd, NeedsLittle) {
  const Prd prd = read(with_stories(R"({"id": "a", "title": "t"})"));
  EXPECT_EQ(prd, (Prd{.project = "p", .stories = {Story{.id = "a", .title = "t"}}}));
  EXPECT_EQ(prd.stories.front().priority, kLowestPriority);
  EXPECT_THAT(read(with_stories("")).stories, IsEmpty());
}

TEST(Prd, NullIsAsIfItWasNotThere) {
  EXPECT_EQ(story(R"("priority": null, "dependencies": null, "passes": null, "fileScope": null, "notes": null)"),
            (Story{.id = "S-1", .title = "t"}));
  const Prd prd = read(with_keys(R"("branchName": null, "workspace": null, "parallelization": null)"));
  EXPECT_EQ(prd, (Prd{.project = "p"}));
}

TEST(Prd, IsAnObjectWithAProjectAndStories) {
  EXPECT_THAT(refused("[]"), HasSubstr("it must be an object"));
  EXPECT_THAT(refused(R"({"userStories": []})"), HasSubstr("project is missing"));
  EXPECT_THAT(refused(R"({"project": "", "userStories": []})"), HasSubstr("project is empty"));
  EXPECT_THAT(refused(R"({"project": 3, "userStories": []})"), HasSubstr("project must be a text"));
  EXPECT_THAT(refused(R"({"project": "p"})"), HasSubstr("userStories is missing"));
  EXPECT_THAT(refused(R"({"project": "p", "userStories": {}})"), HasSubstr("userStories must be a list"));
  EXPECT_THAT(refused(with_keys(R"("branchName": ["a"])")), HasSubstr("branchName must be a text"));
}

TEST(Prd, BrokenJsonIsSaidWithItsLine) {
  EXPECT_THAT(refused("{\n  \"project\": \"p\",\n}"), StartsWith("/p/prd.json: line 3, column 1"));
  EXPECT_THAT(refused(R"({"project": "p", "project": "q", "userStories": []})"), HasSubstr("line 1"));
  EXPECT_THAT(refused(with_keys("\"x\": " + std::string(5000, '[') + std::string(5000, ']'))), HasSubstr("line 1"));
  EXPECT_THAT(refused(""), HasSubstr("line 1"));
}

TEST(Prd, AStoryWithoutAnIdIsNamedByItsPlace) {
  const std::string good = R"({"id": "a", "title": "t"}, )";
  EXPECT_THAT(refused(with_stories(good + R"({"title": "t"})")), HasSubstr("story 2 of userStories: id is missing"));
  EXPECT_THAT(refused(with_stories(R"({"id": 1, "title": "t"})")),
              HasSubstr("story 1 of userStories: id must be a text"));
  EXPECT_THAT(refused(with_stories(R"({"id": "a\nb", "title": "t"})")), HasSubstr("id must be one line"));
  EXPECT_THAT(refused(with_stories(good + "7")), HasSubstr("story 2 of userStories: it must be an object"));
}

TEST(Prd, WhatIsWrongInAStoryNamesItAndTheKey) {
  EXPECT_THAT(refused(with_stories(R"({"id": "a"})")), HasSubstr("story a: title is missing"));
  EXPECT_THAT(refused(with_story(R"("passes": "no")")), HasSubstr("story S-1: passes must be true or false"));
  EXPECT_THAT(refused(with_story(R"("notes": ["a"])")), HasSubstr("story S-1: notes must be a text"));
  EXPECT_THAT(refused(with_story(R"("dependencies": "a")")), HasSubstr("story S-1: dependencies must be a list"));
  EXPECT_THAT(refused(with_story(R"("dependencies": [1])")), HasSubstr("story S-1: dependencies must be a list"));
  EXPECT_THAT(refused(with_story(R"("fileScope": "lib/**")")), HasSubstr("story S-1: fileScope must be a list"));
  EXPECT_THAT(refused(with_story(R"("fileScope": ["a", ""])")), HasSubstr("fileScope holds a text that names nothing"));
  EXPECT_THAT(refused(with_story(R"("fileScope": ["a\u0000b"])")), HasSubstr("names nothing"));
}

TEST(Prd, APriorityIsANumberHoweverItIsWritten) {
  EXPECT_EQ(story(R"("priority": 7)").priority, 7);
  EXPECT_EQ(story(R"("priority": "7")").priority, 7);
  EXPECT_EQ(story(R"("priority": 0)").priority, 0);
  EXPECT_EQ(story(R"("priority": -1)").priority, -1);
  EXPECT_EQ(story(R"("priority": "-2")").priority, -2);
  for (const char* bad : {"1.5", "1e3", "\"\"", "\"-\"", "\"--1\"", "\"high\"", "\" 1\"", "true", "[1]",
                          "9223372036854775807", "-9223372036854775808", "99999999999999999999"}) {
    EXPECT_THAT(refused(with_story("\"priority\": " + std::string(bad))),
                HasSubstr("story S-1: priority must be a whole number"))
        << bad;
  }
}

TEST(Prd, AnEmptyFileScopeIsNotAMissingOne) {
  EXPECT_EQ(story(R"("notes": "")").file_scope, std::nullopt);
  EXPECT_EQ(story(R"("fileScope": [])").file_scope, std::vector<std::string>());
}

TEST(Prd, AWorkspaceIsPermissiveUnlessItSaysOtherwise) {
  EXPECT_EQ(read(with_keys(R"("workspace": {"folders": ["a"]})")).workspace, (Workspace{{"a"}, Mode::Permissive}));
  EXPECT_EQ(read(with_keys(R"("workspace": {"mode": "strict"})")).workspace, (Workspace{{}, Mode::Strict}));
  EXPECT_THAT(refused(with_keys(R"("workspace": {"folders": ["a"], "mode": "stirct"})")),
              HasSubstr("workspace: mode must be strict or permissive, not stirct"));
  EXPECT_THAT(refused(with_keys(R"("workspace": {"folders": []})")), HasSubstr("workspace: folders is empty"));
  EXPECT_THAT(refused(with_keys(R"("workspace": {"folders": "a,b"})")), HasSubstr("workspace: folders must be a list"));
  EXPECT_THAT(refused(with_keys(R"("workspace": {"folders": [""]})")), HasSubstr("names nothing"));
  EXPECT_THAT(refused(with_keys(R"("workspace": ["a"])")), HasSubstr("workspace must be an object"));
}

TEST(Prd, ParallelizationIsOffUnlessItSaysOtherwise) {
  EXPECT_EQ(read(with_keys(R"("parallelization": {})")).parallelization, (Parallelization{false, std::nullopt}));
  for (const char* bad : {"0", "-1", "2.5", "\"3\""}) {
    EXPECT_THAT(refused(with_keys(R"("parallelization": {"maxWorkers": )" + std::string(bad) + "}")),
                HasSubstr("parallelization: maxWorkers must be a whole number above zero"));
  }
  EXPECT_THAT(refused(with_keys(R"("parallelization": {"enabled": 1})")), HasSubstr("enabled must be true or false"));
  EXPECT_THAT(refused(with_keys(R"("parallelization": 4)")), HasSubstr("parallelization must be an object"));
}

std::string chained(const std::string& id, const std::string& needs) {
  return R"({"id": ")" + id + R"(", "title": "t", "dependencies": [)" + needs + "]}";
}

TEST(PrdDependencies, AnIdStandsOnce) {
  EXPECT_THAT(refused(with_stories(chained("b", "") + "," + chained("a", "") + "," + chained("b", ""))),
              HasSubstr("story b: its id stands twice"));
}

TEST(PrdDependencies, AreStoriesOfTheFile) {
  const Error error = refusal(with_stories(chained("US-001", "") + "," + chained("US-002", R"("US-01")")));
  EXPECT_THAT(error.sentence(), HasSubstr("story US-002: dependencies names a story that does not exist: US-01"));
  EXPECT_EQ(error.hint, "did you mean US-001?");
}

TEST(PrdDependencies, ACycleIsShown) {
  EXPECT_THAT(refused(with_stories(chained("a", R"("b")") + "," + chained("b", R"("a")"))), HasSubstr("a -> b -> a"));
  EXPECT_THAT(refused(with_stories(chained("a", R"("a")"))), HasSubstr("cycle: a -> a"));
  // Without what only leads to it.
  EXPECT_THAT(refused(with_stories(chained("start", R"("x")") + "," + chained("x", R"("end", "y")") + "," +
                                   chained("y", R"("x")") + "," + chained("end", ""))),
              HasSubstr("cycle: x -> y -> x"));
}

TEST(PrdDependencies, TwoWaysToTheSameStoryAreNoCycle) {
  const Prd prd = read(with_stories(chained("a", R"("b", "c", "b")") + "," + chained("b", R"("d")") + "," +
                                    chained("c", R"("d")") + "," + chained("d", "")));
  EXPECT_THAT(prd.stories.front().dependencies, ElementsAre("b", "c", "b"));
}

TEST(PrdDependencies, AChainMayBeOfAnyLength) {
  constexpr int kStories = 50'000;
  std::string stories;
  for (int i = 0; i + 1 < kStories; ++i)
    stories += chained("s" + std::to_string(i), "\"s" + std::to_string(i + 1) + "\"") + ",";
  stories += chained("s" + std::to_string(kStories - 1), "");
  EXPECT_EQ(read(with_stories(stories)).stories.size(), kStories);
}

}  // namespace
}  // namespace pale::scope
