#include "project/registry.h"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "support/directory.h"

namespace pale::project {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RegistryFile : public test::InADirectory {
 protected:
  static Entry entry(const std::string& id, const std::string& root) {
    Entry made;
    made.id = id;
    made.root = Path::literal(root);
    made.last_used = 1769180400;
    return made;
  }
  void add(const std::string& id, const std::string& root) const {
    auto edit = RegistryEdit::begin(base());
    ASSERT_TRUE(edit) << edit.error().sentence();
    ASSERT_TRUE(edit->registry.add(entry(id, root)));
    ASSERT_TRUE(edit->save());
  }
  nlohmann::json json() const { return nlohmann::json::parse(read("projects.json")); }
  std::vector<std::string> ids() const {
    std::vector<std::string> all;
    const auto registry = Registry::load(base());
    for (const Entry& each : registry->entries()) all.push_back(each.id);
    return all;
  }
};

TEST_F(RegistryFile, IsWrittenAsTheSpecHasIt) {
  add("game", "/home/u/game");
  EXPECT_EQ(json(), nlohmann::json::parse(R"({
    "projects": {"game": {"root": "/home/u/game", "manifest": null, "last_used": "2026-01-23T15:00:00Z",
                          "workspace_type": "registered"}},
    "default_project": null})"));
}

TEST_F(RegistryFile, KeepsWhatOtherToolsWroteThere) {
  write("projects.json", R"({"slugs": {"a": "b"}, "projects": {"b": {"root": "/b", "manifest": null,
    "last_used": "2026-11-15T20:10:08.592857", "workspace_type": "manifest", "workspace_id": 7.50}}, "default_project": "b"})");
  add("c", "/c");
  EXPECT_EQ(json()["slugs"]["a"], "b");
  EXPECT_THAT(read("projects.json"), HasSubstr("\"workspace_id\": 7.50"));
  EXPECT_EQ(json()["projects"]["b"]["last_used"], "2026-11-15T20:10:08Z");
  EXPECT_EQ(json()["default_project"], "b");
}

TEST_F(RegistryFile, AnIdOrADirectoryThatIsTakenStaysWithItsOwner) {
  add("a", "/a");
  auto edit = RegistryEdit::begin(base());
  EXPECT_THAT(edit->registry.add(entry("a", "/b")).error().sentence(), HasSubstr("taken by /a"));
  EXPECT_THAT(edit->registry.add(entry("b", "/a")).error().sentence(), HasSubstr("registered already, as 'a'"));
  EXPECT_EQ(edit->registry.find("a")->root, Path::literal("/a"));
}

TEST_F(RegistryFile, RenamingKeepsTheDefaultAndRemovingClearsIt) {
  add("a", "/a");
  auto edit = RegistryEdit::begin(base());
  ASSERT_TRUE(edit->registry.set_default("a"));
  ASSERT_TRUE(edit->registry.rename("a", "z"));
  EXPECT_EQ(edit->registry.default_id(), "z");
  EXPECT_FALSE(edit->registry.set_default("a"));
  ASSERT_TRUE(edit->registry.remove("z"));
  EXPECT_EQ(edit->registry.default_id(), "");
}

TEST_F(RegistryFile, FindsOneEntryAsReadingAllDoes) {
  for (const char* id : {"root", "projects", "a", "default_project"}) add(id, std::string("/p/") + id);
  for (const char* id : {"root", "projects", "a", "default_project"}) {
    const auto found = Registry::find_in_file(base(), id);
    ASSERT_TRUE(found && *found) << id;
    EXPECT_EQ((*found)->root.text(), std::string("/p/") + id);
  }
  EXPECT_EQ(Registry::find_in_file(base(), "last_used")->has_value(), false);
  EXPECT_EQ(Registry::find_in_file(base(), "")->has_value(), false);
}

TEST_F(RegistryFile, IsTouchedInPlaceAndOnlyThere) {
  add("a", "/a");
  add("b", "/b");
  const std::string before = read("projects.json");
  const auto found = Registry::find_in_file(base(), "b");
  ASSERT_TRUE(Registry::touch(base(), "b", Path::literal("/b"), 1769180461, (*found)->time_place));
  std::string expected = before;
  expected.replace(before.rfind("2026-01-23T15:00:00Z"), 20, "2026-01-23T15:01:01Z");
  EXPECT_EQ(read("projects.json"), expected);
  // Found in a file that is another one by now.
  add("c", "/c");
  ASSERT_TRUE(Registry::touch(base(), "b", Path::literal("/b"), 1769180462, (*found)->time_place));
  EXPECT_EQ(json()["projects"]["b"]["last_used"], "2026-01-23T15:01:02Z");
  EXPECT_EQ(json()["projects"]["a"]["last_used"], "2026-01-23T15:00:00Z");
  // Another project that only has the id.
  ASSERT_TRUE(Registry::touch(base(), "b", Path::literal("/elsewhere"), 1769180499, std::nullopt));
  EXPECT_EQ(json()["projects"]["b"]["last_used"], "2026-01-23T15:01:02Z");
}

TEST_F(RegistryFile, ATimeOfAnotherLengthIsWrittenAnewWhole) {
  write("projects.json", R"({"projects": {"b": {"root": "/b", "last_used": "2026-11-15"}}})");
  ASSERT_TRUE(Registry::touch(base(), "b", Path::literal("/b"), 1769180461, std::nullopt));
  EXPECT_EQ(json()["projects"]["b"]["last_used"], "2026-01-23T15:01:01Z");
}

TEST_F(RegistryFile, ABrokenOneIsReportedWithItsPlaceAndNeverWrittenOver) {
  const std::vector<std::string> texts = {"{\n  \"projects\": {",
                                          "garbage",
                                          "",
                                          "[]",
                                          R"({"projects": []})",
                                          R"({"projects": {"a": {}}})",
                                          R"({"projects": {"a": {"root": "relative"}}})",
                                          R"({"projects": {"a": {"root": "/a", "last_used": 5}}})",
                                          R"({"projects": {"a": {"root": "/a"}, "a": {"root": "/b"}}})"};
  for (const std::string& text : texts) {
    write("projects.json", text);
    const auto loaded = Registry::load(base());
    ASSERT_FALSE(loaded) << text;
    EXPECT_THAT(loaded.error().sentence(), HasSubstr(base().text() + "/projects.json: ")) << text;
    EXPECT_FALSE(RegistryEdit::begin(base())) << text;
    EXPECT_EQ(read("projects.json"), text);
  }
  write("projects.json", "{\n  \"projects\": {");
  EXPECT_THAT(Registry::load(base()).error().sentence(), HasSubstr("line 2, column 16"));
  EXPECT_THAT(Registry::find_in_file(base(), "a").error().sentence(), HasSubstr("line 2, column 16"));
  const auto kept = Registry::set_aside(base(), 1769180400);
  ASSERT_TRUE(kept);
  EXPECT_EQ(*kept, base().text() + "/projects.json.broken-20260123T150000Z");
  EXPECT_EQ(read("projects.json.broken-20260123T150000Z"), "{\n  \"projects\": {");
  EXPECT_TRUE(Registry::load(base())->entries().empty());
}

TEST_F(RegistryFile, PathsThatAreNotUtf8Survive) {
  add("odd", "/w/\xff\xfe");
  EXPECT_EQ(Registry::load(base())->find("odd")->root.text(), "/w/\xff\xfe");
}

TEST_F(RegistryFile, ManyWritersAtATimeLoseNothing) {
  constexpr int kWriters = 50;
  std::vector<pid_t> writers;
  for (int number = 0; number < kWriters; ++number) {
    const pid_t pid = fork();
    if (pid == 0) {
      auto edit = RegistryEdit::begin(base());
      const std::string id = "p" + std::to_string(number);
      const bool done = edit && edit->registry.add(entry(id, "/" + id)) && edit->save();
      _exit(done ? 0 : 1);
    }
    writers.push_back(pid);
  }
  for (const pid_t pid : writers) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(ids().size(), static_cast<std::size_t>(kWriters));
  std::vector<std::string> names;
  for (const auto& file : std::filesystem::directory_iterator(base_)) names.push_back(file.path().filename());
  std::ranges::sort(names);
  EXPECT_THAT(names, ElementsAre("projects.json", "projects.lock"));
}

}  // namespace
}  // namespace pale::project
