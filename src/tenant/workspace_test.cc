#include "tenant/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/uuid.h"
#include "support/directory.h"
#include "tenant/record.h"

namespace pale::tenant {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;
namespace fs = std::filesystem;

class Workspaces : public test::InADirectory {
 protected:
  Workspaces() {
    NewProject wanted;
    wanted.settings.name = "app";
    wanted.settings.workspace_isolation = true;
    EXPECT_TRUE(create_project(base(), wanted));
  }

  ProjectLock lock() const { return std::move(*lock_project(base(), "app")); }
  Project project(bool isolated = true) const {
    Project project = *load_project(base(), "app");
    project.settings.workspace_isolation = isolated;
    return project;
  }
  CreatedWorkspace create(bool isolated = true) const {
    auto made = create_workspace(lock(), project(isolated), {"+49", "signal"});
    EXPECT_TRUE(made) << made.error().sentence();
    return std::move(*made);
  }
  fs::path root() const { return base_ / "projects/app"; }
  fs::path data(const std::string& id) const { return root() / "workspaces" / id; }
  fs::path record(const std::string& id, const std::string& state) const {
    return root() / ".pale/workspaces" / (id + state);
  }
  static std::vector<std::string> names(const fs::path& directory) {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(directory)) all.push_back(entry.path().filename().string());
    return all;
  }
};

TEST_F(Workspaces, AreMadeListedShownAndDeleted) {
  EXPECT_THAT(list_workspaces(base(), "app")->sound, IsEmpty());
  const Workspace made = create().workspace;
  EXPECT_TRUE(is_uuid(made.id));
  EXPECT_EQ(made.external_id, "+49");
  EXPECT_EQ(*load_workspace(base(), "app", made.id), made);
  EXPECT_THAT(list_workspaces(base(), "app")->sound, ElementsAre(made));
  EXPECT_TRUE(open_workspace(base(), "app", made.id));
  std::ofstream(data(made.id) / "file") << "x";
  EXPECT_FALSE(delete_workspace(lock(), made.id, Sessions::Living));
  EXPECT_TRUE(fs::exists(data(made.id) / "file"));
  EXPECT_TRUE(delete_workspace(lock(), made.id, Sessions::None));
  EXPECT_THAT(names(root() / "workspaces"), IsEmpty());
  EXPECT_THAT(names(root() / ".pale/workspaces"), IsEmpty());
  EXPECT_EQ(load_workspace(base(), "app", made.id).error().kind, ErrorKind::NotFound);
  EXPECT_EQ(delete_workspace(lock(), made.id, Sessions::None).error().kind, ErrorKind::NotFound);
}

TEST_F(Workspaces, NoteTheirLastSessionWithoutASecondFile) {
  const std::string id = create().workspace.id;
  EXPECT_EQ(load_workspace(base(), "app", id)->last_session_at, 0);
  struct stat before = {}, after = {};
  ASSERT_EQ(stat(record(id, ".json").c_str(), &before), 0);
  for (const std::int64_t now : {1'700'000'000, 1'700'000'001, 1}) {
    ASSERT_TRUE(note_session(lock(), id, now));
    EXPECT_EQ(load_workspace(base(), "app", id)->last_session_at, now);
  }
  ASSERT_EQ(stat(record(id, ".json").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  // One that somebody wrote by hand has no room for it.
  std::ofstream(record(id, ".json")) << R"({"id":")" << id << R"(","last_session_at":null,"source":"s"})";
  ASSERT_TRUE(note_session(lock(), id, 1'700'000'000));
  EXPECT_EQ(load_workspace(base(), "app", id)->last_session_at, 1'700'000'000);
  EXPECT_EQ(load_workspace(base(), "app", id)->source, "s");
}

TEST_F(Workspaces, HalfMadeOrHalfRemovedAreNoneAndGoWithTheNext) {
  const std::string one = "00112233-4455-4677-8899-aabbccddeef0", two = "00112233-4455-4677-8899-aabbccddeef1";
  const std::string own = "00112233-4455-4677-8899-aabbccddeef2";
  for (const std::string& id : {one, two, own}) fs::create_directories(data(id) / "inner");
  std::ofstream(record(one, ".new")) << "{";
  std::ofstream(record(two, ".gone")) << "{";
  EXPECT_THAT(list_workspaces(base(), "app")->sound, IsEmpty());
  EXPECT_FALSE(load_workspace(base(), "app", one));
  const std::string made = create().workspace.id;
  EXPECT_THAT(names(root() / "workspaces"), UnorderedElementsAre(made, own)) << "what nobody began is not touched";
  EXPECT_THAT(names(root() / ".pale/workspaces"), ElementsAre(made + ".json"));
}

TEST_F(Workspaces, DamagedOnesStopNobodyAndCanBeDeleted) {
  const std::string good = create().workspace.id, bad = create().workspace.id;
  std::ofstream(record(bad, ".json")) << "{";
  const auto all = list_workspaces(base(), "app");
  ASSERT_TRUE(all);
  EXPECT_THAT(all->sound, SizeIs(1));
  ASSERT_THAT(all->damaged, SizeIs(1));
  EXPECT_THAT(all->damaged.front().sentence(), HasSubstr(bad));
  EXPECT_TRUE(delete_workspace(lock(), bad, Sessions::None));
  EXPECT_THAT(list_workspaces(base(), "app")->damaged, IsEmpty());
}

TEST_F(Workspaces, ThatAnAgentReplacedByALinkAreNotOpenedNorDeletedThrough) {
  const std::string id = create().workspace.id;
  write("outside/kept", "x");
  fs::remove_all(data(id));
  fs::create_directory_symlink(base_ / "outside", data(id));
  EXPECT_THAT(open_workspace(base(), "app", id).error().sentence(), HasSubstr("symbolic link"));
  EXPECT_TRUE(delete_workspace(lock(), id, Sessions::None));
  EXPECT_EQ(read("outside/kept"), "x");
  // Nor through a link above it.
  const std::string other = create().workspace.id;
  write("outside/" + other + "/kept", "x");
  fs::remove_all(root() / "workspaces");
  fs::create_directory_symlink(base_ / "outside", root() / "workspaces");
  EXPECT_FALSE(open_workspace(base(), "app", other));
  EXPECT_FALSE(delete_workspace(lock(), other, Sessions::None));
  EXPECT_FALSE(create_workspace(lock(), project(), {}));
  EXPECT_EQ(read("outside/" + other + "/kept"), "x");
  EXPECT_THAT(list_workspaces(base(), "app")->sound, SizeIs(1));
}

TEST_F(Workspaces, HaveIdsThatLeadNowhereElse) {
  for (const std::string& id : {std::string(".."), std::string("."), std::string("a/b"), std::string(),
                                std::string(300, 'x'), std::string("00112233-4455-4677-8899-AABBCCDDEEFF")}) {
    EXPECT_EQ(load_workspace(base(), "app", id).error().kind, ErrorKind::Usage) << id;
    EXPECT_EQ(open_workspace(base(), "app", id).error().kind, ErrorKind::Usage) << id;
    EXPECT_EQ(delete_workspace(lock(), id, Sessions::None).error().kind, ErrorKind::Usage) << id;
    EXPECT_EQ(note_session(lock(), id, 1).error().kind, ErrorKind::Usage) << id;
    EXPECT_FALSE(list_workspaces(base(), id));
  }
  EXPECT_TRUE(fs::exists(root() / "metadata.json"));
}

TEST_F(Workspaces, KeepTextsThatAreTexts) {
  const auto make = [&](const std::string& text) { return create_workspace(lock(), project(), {text, text}); };
  EXPECT_TRUE(make("über \"x\"\n"));
  EXPECT_FALSE(make("\xff"));
  EXPECT_FALSE(make(std::string("a\0b", 3)));
  EXPECT_FALSE(make(std::string(1001, 'x')));
  EXPECT_THAT(list_workspaces(base(), "app")->sound, SizeIs(1));
}

TEST(Record, HasOneTimeThatCanBeWrittenOver) {
  const Workspace workspace{"00112233-4455-4677-8899-aabbccddeeff", 1, 0, "\"last_session_at\": null", ""};
  std::string text = record_text(workspace);
  const auto patch = patch_for(text, 1'700'000'000);
  ASSERT_TRUE(patch);
  text.replace(patch->offset, patch->text.size(), patch->text);
  const auto again = parse_record(text, workspace.id, "file");
  ASSERT_TRUE(again) << again.error().sentence();
  EXPECT_EQ(again->last_session_at, 1'700'000'000);
  EXPECT_EQ(again->external_id, workspace.external_id);
  EXPECT_FALSE(patch_for(R"({"last_session_at":null})", 1));
  EXPECT_FALSE(patch_for(R"({"last_session_at":null,"external_id": "a long text"})", 1));
  EXPECT_FALSE(patch_for("{}", 1));
  EXPECT_FALSE(patch_for("{", 1));
}

}  // namespace
}  // namespace pale::tenant
