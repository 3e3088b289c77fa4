#include "tenant/project.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "support/directory.h"

namespace pale::tenant {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace fs = std::filesystem;

class ManagedProject : public test::InADirectory {
 protected:
  Result<Project> create(const std::string& name, const std::string& id = {}) const {
    NewProject wanted;
    wanted.settings.name = name;
    wanted.id = id;
    return create_project(base(), wanted);
  }
  ProjectLock lock(const std::string& id) const {
    auto lock = lock_project(base(), id);
    EXPECT_TRUE(lock) << lock.error().sentence();
    return std::move(*lock);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& entry : fs::directory_iterator(base_ / "projects"))
      all.push_back(entry.path().filename().string());
    std::ranges::sort(all);
    return all;
  }
  static SettingsChange isolated(bool truth) {
    SettingsChange change;
    change.workspace_isolation = truth;
    return change;
  }
};

TEST_F(ManagedProject, IsMadeWholeAndPrivate) {
  const auto made = create("Chat Agents");
  ASSERT_TRUE(made) << made.error().sentence();
  EXPECT_EQ(made->id, "chat-agents");
  for (const char* each : {"workspaces", "sessions", ".pale/workspaces", "metadata.json"})
    EXPECT_TRUE(fs::exists(base_ / "projects/chat-agents" / each)) << each;
  EXPECT_EQ(fs::status(base_ / "projects/chat-agents").permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(base_ / "projects/chat-agents/metadata.json").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
  const auto loaded = load_project(base(), "chat-agents");
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->settings, made->settings);
  EXPECT_NE(loaded->created_at, 0);
  EXPECT_THAT(names(), ElementsAre(".lock", "chat-agents"));
}

TEST_F(ManagedProject, GetsAnIdThatIsFree) {
  const std::string others[] = {"app-2"};
  EXPECT_EQ(create("App")->id, "app");
  NewProject wanted;
  wanted.settings.name = "App";
  wanted.taken = others;
  EXPECT_EQ(create_project(base(), wanted)->id, "app-3");
  const auto taken = create("Other", "app");
  ASSERT_FALSE(taken);
  EXPECT_THAT(taken.error().sentence(), HasSubstr("already: app"));
  wanted.id = "app-2";
  EXPECT_FALSE(create_project(base(), wanted));
  EXPECT_FALSE(create("X", "../x"));
  EXPECT_THAT(list_projects(base())->sound, SizeIs(2));
}

TEST_F(ManagedProject, HalfMadeCountsForNothingAndGoesWithTheNext) {
  ASSERT_TRUE(create("One"));
  write("projects/.new-two/metadata.json", "{");
  write("projects/.gone-abc/workspaces/x", "");
  EXPECT_THAT(list_projects(base())->sound, SizeIs(1));
  EXPECT_THAT(list_projects(base())->damaged, IsEmpty());
  ASSERT_TRUE(create("Two"));
  EXPECT_THAT(names(), ElementsAre(".lock", "one", "two"));
}

TEST_F(ManagedProject, ThatIsDamagedStopsNobodyAndIsNeverWrittenOver) {
  ASSERT_TRUE(create("Good"));
  ASSERT_TRUE(create("Bad"));
  write("projects/bad/metadata.json", "{\n  \"name\": oops");
  fs::create_directory(base_ / "projects/empty");
  fs::create_directory_symlink(base_ / "projects/good", base_ / "projects/link");
  const auto all = list_projects(base());
  ASSERT_TRUE(all);
  ASSERT_THAT(all->sound, SizeIs(1));
  EXPECT_THAT(all->damaged, SizeIs(3));
  EXPECT_THAT(load_project(base(), "bad").error().sentence(),
              AllOf(HasSubstr("bad/metadata.json"), HasSubstr("line 2, column 11")));
  EXPECT_THAT(load_project(base(), "link").error().sentence(), HasSubstr("symbolic link"));
  EXPECT_FALSE(lock_project(base(), "link"));
  EXPECT_FALSE(update_project(lock("bad"), isolated(true), Sessions::None));
  EXPECT_EQ(read("projects/bad/metadata.json"), "{\n  \"name\": oops");
  EXPECT_FALSE(create("X", "bad"));
}

TEST_F(ManagedProject, WithSettingsThatAreALinkOrNoFileIsRefused) {
  ASSERT_TRUE(create("App"));
  const fs::path file = base_ / "projects/app/metadata.json";
  write("elsewhere", read("projects/app/metadata.json"));
  fs::remove(file);
  fs::create_symlink(base_ / "elsewhere", file);
  EXPECT_THAT(load_project(base(), "app").error().sentence(), HasSubstr("symbolic link"));
  fs::remove(file);
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(load_project(base(), "app"));  // and does not wait for a writer
  fs::remove(file);
  fs::create_directory(file);
  EXPECT_FALSE(load_project(base(), "app"));
}

TEST_F(ManagedProject, IsChangedInPlaceSoThatMountsOnItStay) {
  ASSERT_TRUE(create("App"));
  struct stat before = {}, after = {};
  ASSERT_EQ(stat((base_ / "projects/app/metadata.json").c_str(), &before), 0);
  SettingsChange change;
  change.description = std::string(5000, 'x');
  ASSERT_TRUE(update_project(lock("app"), change, Sessions::Living));
  change.description = "short";
  ASSERT_TRUE(update_project(lock("app"), change, Sessions::Living));
  ASSERT_EQ(stat((base_ / "projects/app/metadata.json").c_str(), &after), 0);
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(load_project(base(), "app")->settings.description, "short");
  EXPECT_THAT(names(), ElementsAre(".lock", "app", "app.lock"));
}

TEST_F(ManagedProject, WhoseChangeWasInterruptedSaysTheNewAndIsMended) {
  ASSERT_TRUE(create("App"));
  SettingsChange change;
  change.name = "New";
  ASSERT_TRUE(update_project(lock("app"), change, Sessions::None));
  const std::string whole = read("projects/app/metadata.json");
  write("projects/app.next", whole);
  write("projects/app/metadata.json", whole.substr(0, 20));
  EXPECT_EQ(load_project(base(), "app")->settings.name, "New");
  (void)lock("app");
  EXPECT_EQ(read("projects/app/metadata.json"), whole);
  EXPECT_FALSE(fs::exists(base_ / "projects/app.next"));
}

TEST_F(ManagedProject, WithAnotherNameForItsSettingsIsNotChanged) {
  ASSERT_TRUE(create("App"));
  fs::create_hard_link(base_ / "projects/app/metadata.json", base_ / "projects/app/also");
  EXPECT_FALSE(update_project(lock("app"), isolated(true), Sessions::None));
  EXPECT_FALSE(load_project(base(), "app")->settings.workspace_isolation);
}

TEST_F(ManagedProject, KeepsItsBoundaryWhileASessionLives) {
  ASSERT_TRUE(create("App"));
  SettingsChange paths;
  paths.protected_paths.emplace({std::string("AGENTS.md")});
  for (const SettingsChange& change : {isolated(true), paths}) {
    const auto changed = update_project(lock("app"), change, Sessions::Living);
    ASSERT_FALSE(changed);
    EXPECT_EQ(changed.error().kind, ErrorKind::Refused);
    EXPECT_THAT(changed.error().hint, HasSubstr("pale session end"));
  }
  EXPECT_TRUE(update_project(lock("app"), isolated(false), Sessions::Living)) << "it is the same";
  EXPECT_TRUE(update_project(lock("app"), paths, Sessions::None));
}

TEST_F(ManagedProject, IsGoneWhenDeletedButNotWhileASessionLives) {
  ASSERT_TRUE(create("App"));
  write("projects/app/workspaces/x/file", "");
  EXPECT_FALSE(delete_project(lock("app"), Sessions::Living));
  EXPECT_TRUE(fs::exists(base_ / "projects/app/workspaces/x/file"));
  EXPECT_TRUE(delete_project(lock("app"), Sessions::None));
  EXPECT_THAT(names(), ElementsAre(".lock"));
  const auto gone = lock_project(base(), "app");
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind, ErrorKind::NotFound);
  EXPECT_THAT(names(), ElementsAre(".lock")) << "asking leaves no lock behind";
}

}  // namespace
}  // namespace pale::tenant
