#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "support/directory.h"
#include "tenant/workspace.h"

namespace pale::tenant {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;
namespace fs = std::filesystem;

class CopyFromProject : public test::InADirectory {
 protected:
  CopyFromProject() {
    NewProject wanted;
    wanted.settings.name = "app";
    EXPECT_TRUE(create_project(base(), wanted));
  }

  enum class Isolation { Off, On };
  // As when it is made.
  Copied create(Isolation isolation = Isolation::On) {
    auto made = create_workspace(lock(), project(isolation), {});
    EXPECT_TRUE(made) << made.error().sentence();
    id_ = made->workspace.id;
    return made->copied;
  }
  // As when a session starts.
  Copied again(Isolation isolation = Isolation::On) const {
    const auto workspace = open_workspace(base(), "app", id_);
    auto copied = copy_from_project(lock(), project(isolation), *workspace);
    EXPECT_TRUE(copied) << copied.error().sentence();
    return *copied;
  }
  ProjectLock lock() const { return std::move(*lock_project(base(), "app")); }
  Project project(Isolation isolation) const {
    Project project = *load_project(base(), "app");
    project.settings.workspace_isolation = isolation == Isolation::On;
    return project;
  }
  fs::path root() const { return base_ / "projects/app"; }
  void give(const std::string& name, const std::string& text) const { write("projects/app/" + name, text); }
  std::string in(const std::string& name) const { return "projects/app/workspaces/" + id_ + "/" + name; }
  bool has(const std::string& name) const {
    return fs::symlink_status(base_ / in(name)).type() != fs::file_type::not_found;
  }
  static std::vector<std::string> paths(const std::vector<LeftOut>& left_out) {
    std::vector<std::string> all;
    for (const LeftOut& each : left_out) all.push_back(each.path);
    return all;
  }

  std::string id_;
};

TEST_F(CopyFromProject, TakesAgentsAndFactoryIntoAnIsolatedWorkspace) {
  give("AGENTS.md", "rules");
  give(".factory/mcp.json", "{}");
  give(".factory/droids/deep/one.md", "one");
  give("README.md", "not this");
  const Copied copied = create();
  EXPECT_THAT(copied.names, ElementsAre("AGENTS.md", ".factory"));
  EXPECT_THAT(copied.left_out, IsEmpty());
  EXPECT_EQ(read(in("AGENTS.md")), "rules");
  EXPECT_EQ(read(in(".factory/mcp.json")), "{}");
  EXPECT_EQ(read(in(".factory/droids/deep/one.md")), "one");
  EXPECT_FALSE(has("README.md"));
  EXPECT_FALSE(fs::exists(root() / ".pale/incoming"));
}

TEST_F(CopyFromProject, TakesFactoryAloneWithoutIsolation) {
  give("AGENTS.md", "rules");
  give(".factory/mcp.json", "{}");
  EXPECT_THAT(create(Isolation::Off).names, ElementsAre(".factory"));
  EXPECT_FALSE(has("AGENTS.md"));
}

TEST_F(CopyFromProject, TakesNothingWhereThereIsNothing) {
  const Copied copied = create();
  EXPECT_THAT(copied.names, IsEmpty());
  EXPECT_THAT(copied.left_out, IsEmpty());
  EXPECT_FALSE(fs::exists(root() / ".pale/incoming"));
}

TEST_F(CopyFromProject, CatchesUpWhenASessionStarts) {
  create();
  give("AGENTS.md", "rules");
  give(".factory/x", "x");
  EXPECT_THAT(again().names, ElementsAre("AGENTS.md", ".factory"));
  EXPECT_EQ(read(in("AGENTS.md")), "rules");
  EXPECT_THAT(again().names, IsEmpty());
}

TEST_F(CopyFromProject, PreservesWhatIsThere) {
  create();
  give("AGENTS.md", "the project's");
  give(".factory/new", "the project's");
  write(in("AGENTS.md"), "the workspace's");
  write(in(".factory/own"), "the workspace's");
  EXPECT_THAT(again().names, IsEmpty());
  EXPECT_EQ(read(in("AGENTS.md")), "the workspace's");
  EXPECT_FALSE(has(".factory/new")) << "it is not filled up, either";
}

TEST_F(CopyFromProject, PreservesLinksAndWhateverElseIsThere) {
  create();
  give("AGENTS.md", "the project's");
  give(".factory/new", "the project's");
  write("outside/kept", "x");
  fs::create_symlink(base_ / "outside/missing", base_ / in("AGENTS.md"));
  fs::create_directory_symlink(base_ / "outside", base_ / in(".factory"));
  EXPECT_THAT(again().names, IsEmpty());
  EXPECT_TRUE(fs::is_symlink(base_ / in("AGENTS.md")));
  EXPECT_FALSE(fs::exists(base_ / "outside/missing")) << "nothing is written through it";
  EXPECT_FALSE(fs::exists(base_ / "outside/new"));
  fs::remove(base_ / in("AGENTS.md"));
  fs::create_directory(base_ / in("AGENTS.md"));
  EXPECT_THAT(again().names, IsEmpty());
  EXPECT_TRUE(fs::is_directory(base_ / in("AGENTS.md")));
}

TEST_F(CopyFromProject, FollowsNoLinkOfTheProject) {
  write("secret/shadow", "root:x");
  fs::create_symlink(base_ / "secret/shadow", root() / "AGENTS.md");
  fs::create_directory_symlink(base_ / "secret", root() / ".factory");
  const Copied copied = create();
  EXPECT_THAT(copied.names, IsEmpty());
  EXPECT_THAT(paths(copied.left_out), ElementsAre("AGENTS.md", ".factory"));
  EXPECT_THAT(copied.left_out.front().reason, HasSubstr("symbolic link"));
  EXPECT_FALSE(has("AGENTS.md"));
  EXPECT_FALSE(has(".factory"));
}

TEST_F(CopyFromProject, LeavesOutWhatIsNoFileOrDirectory) {
  write("secret/shadow", "root:x");
  give(".factory/kept", "x");
  give(".factory/inner/kept", "x");
  fs::create_symlink(base_ / "secret/shadow", root() / ".factory/link");
  fs::create_directory_symlink(base_ / "secret", root() / ".factory/inner/directory");
  ASSERT_EQ(mkfifo((root() / ".factory/pipe").c_str(), 0600), 0);
  ASSERT_EQ(mkfifo((root() / "AGENTS.md").c_str(), 0600), 0);
  const Copied copied = create();  // and waits for nobody
  EXPECT_THAT(copied.names, ElementsAre(".factory"));
  EXPECT_THAT(paths(copied.left_out),
              UnorderedElementsAre("AGENTS.md", ".factory/link", ".factory/inner/directory", ".factory/pipe"));
  EXPECT_TRUE(has(".factory/kept"));
  EXPECT_TRUE(has(".factory/inner/kept"));
  EXPECT_FALSE(has(".factory/link"));
  EXPECT_FALSE(has(".factory/pipe"));
  EXPECT_FALSE(has(".factory/inner/directory"));
}

TEST_F(CopyFromProject, LeavesOutWhatIsOfTheOtherKind) {
  fs::create_directory(root() / "AGENTS.md");
  give(".factory", "a file");
  const Copied copied = create();
  EXPECT_THAT(copied.names, IsEmpty());
  EXPECT_THAT(paths(copied.left_out), ElementsAre("AGENTS.md", ".factory"));
}

TEST_F(CopyFromProject, KeepsModesButLendsNobodysRights) {
  give("AGENTS.md", "rules");
  give(".factory/tool", "#!");
  give(".factory/closed/file", "x");
  ASSERT_EQ(chmod((root() / "AGENTS.md").c_str(), 0444), 0);
  ASSERT_EQ(chmod((root() / ".factory/tool").c_str(), 06755), 0);
  ASSERT_EQ(chmod((root() / ".factory/closed").c_str(), 01555), 0);
  ASSERT_EQ(chmod((root() / ".factory").c_str(), 02555), 0);
  EXPECT_THAT(create().names, SizeIs(2));
  const auto mode = [&](const std::string& name) {
    struct stat info = {};
    EXPECT_EQ(stat((base_ / in(name)).c_str(), &info), 0) << name;
    return info.st_mode & 07777U;
  };
  EXPECT_EQ(mode("AGENTS.md"), 0444U);
  EXPECT_EQ(mode(".factory/tool"), 0755U);
  EXPECT_EQ(mode(".factory/closed"), 0555U);
  EXPECT_EQ(mode(".factory"), 0555U);
  for (const char* each : {".factory", ".factory/closed"}) ASSERT_EQ(chmod((root() / each).c_str(), 0755), 0);
  EXPECT_TRUE(delete_workspace(lock(), id_, Sessions::None));
}

TEST_F(CopyFromProject, HasALimitOfDepthAndOfNumber) {
  std::string deep = ".factory";
  for (int level = 0; level < 60; ++level) deep += "/d";
  give(deep + "/file", "x");
  const Copied copied = create();
  EXPECT_THAT(copied.names, ElementsAre(".factory"));
  ASSERT_THAT(copied.left_out, SizeIs(1));
  EXPECT_THAT(copied.left_out.front().reason, HasSubstr("32"));
  fs::remove_all(root() / ".factory");
  for (int each = 0; each < 10'050; ++each) give(".factory/" + std::to_string(each), "");
  EXPECT_THAT(create().left_out, SizeIs(1));
  const auto count = std::distance(fs::directory_iterator(base_ / in(".factory")), fs::directory_iterator());
  EXPECT_EQ(count, 10'000);
  fs::remove_all(root() / ".factory");
  give(".factory/small", "x");
  give(".factory/huge", "");
  fs::resize_file(root() / ".factory/huge", 1UL << 40U);
  EXPECT_THAT(create().left_out, SizeIs(1));
  EXPECT_FALSE(has(".factory/huge"));
}

TEST_F(CopyFromProject, SweepsAwayWhatAKillLeftOnItsWay) {
  write("projects/app/.pale/incoming/AGENTS.md", "half");
  give("AGENTS.md", "whole");
  EXPECT_THAT(create().names, ElementsAre("AGENTS.md"));
  EXPECT_EQ(read(in("AGENTS.md")), "whole");
  EXPECT_FALSE(fs::exists(root() / ".pale/incoming"));
}

}  // namespace
}  // namespace pale::tenant
