#include "project/root.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace pale::project {
namespace {

namespace fs = std::filesystem;

class ProjectRoot : public testing::Test {
 protected:
  ProjectRoot() {
    std::string pattern = (fs::temp_directory_path() / "pale-root-XXXXXX").string();
    base_ = fs::canonical(mkdtemp(pattern.data()));
    for (const char* name : {"home/project", "home/.pale/homes"}) fs::create_directories(base_ / name);
  }
  ~ProjectRoot() override { fs::remove_all(base_); }

  Result<Root> resolve(const std::string& given) const {
    return resolve_root(given,
                        {Path::literal((base_ / "home").string()), Path::literal((base_ / "home/.pale").string()),
                         Path::literal((base_ / "program").string())});
  }
  void expect_refused(const std::string& given, ErrorKind kind) const {
    const auto root = resolve(given);
    ASSERT_FALSE(root) << given;
    EXPECT_EQ(root.error().kind, kind) << given;
    EXPECT_FALSE(root.error().hint.empty()) << given;
  }

  fs::path base_;
};

TEST_F(ProjectRoot, IsResolvedOnceThroughDotsAndLinks) {
  const std::string project = (base_ / "home/project").string();
  EXPECT_EQ(resolve(project)->path.text(), project);
  EXPECT_EQ(resolve(project + "/../project/.")->path.text(), project);
  fs::create_directory_symlink(project, base_ / "link");
  const auto linked = resolve((base_ / "link").string());
  ASSERT_TRUE(linked);
  EXPECT_EQ(linked->path.text(), project);
  EXPECT_TRUE(linked->through_link);
  EXPECT_FALSE(resolve(project)->through_link);
  const fs::path before = fs::current_path();
  fs::current_path(base_);
  const auto relative = resolve("link/.");
  EXPECT_FALSE(resolve("home/project")->through_link);
  fs::current_path(before);
  ASSERT_TRUE(relative);
  EXPECT_EQ(relative->path.text(), project);
  EXPECT_TRUE(relative->through_link);
}

TEST_F(ProjectRoot, MustExistAndBeADirectory) {
  expect_refused((base_ / "none").string(), ErrorKind::NotFound);
  std::ofstream(base_ / "file") << "x";
  expect_refused((base_ / "file").string(), ErrorKind::NotFound);
}

TEST_F(ProjectRoot, IsNeverTheMachineTheHomeOrPalesOwnDirectory) {
  for (const char* place : {"/", "//", "/usr", "/usr/lib", "/etc", "/bin", "/proc", "/dev", "/home", "/tmp", "/var"}) {
    expect_refused(place, ErrorKind::Refused);
  }
  expect_refused((base_ / "home").string(), ErrorKind::Refused);
  expect_refused(base_.string(), ErrorKind::Refused);  // it holds the home
  expect_refused((base_ / "home/.pale").string(), ErrorKind::Refused);
  expect_refused((base_ / "home/.pale/homes").string(), ErrorKind::Refused);
}

TEST_F(ProjectRoot, IsRefusedThroughALinkToo) {
  fs::create_directory_symlink("/usr", base_ / "usr");
  expect_refused((base_ / "usr").string(), ErrorKind::Refused);
}

TEST_F(ProjectRoot, MayHaveAnyName) {
  for (const std::string name : {"a b", "quo\"te'", "new\nline", "\xff\xfe"}) {
    fs::create_directories(base_ / "home" / name);
    const auto root = resolve((base_ / "home" / name).string());
    ASSERT_TRUE(root) << name;
    EXPECT_EQ(root->path.name(), name);
  }
}

}  // namespace
}  // namespace pale::project
