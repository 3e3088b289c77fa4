#include "project/git.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace pale::project {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;
using testing::IsSupersetOf;
using testing::Not;

class ConfiguredPathsOnDisk : public testing::Test {
 protected:
  ConfiguredPathsOnDisk() {
    std::string pattern = (fs::temp_directory_path() / "pale-git-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    fs::create_directories(directory_ / "home");
    fs::create_directories(directory_ / "work/.git");
  }
  ~ConfiguredPathsOnDisk() override { fs::remove_all(directory_); }

  void write(const char* name, const std::string& text) const {
    fs::create_directories((directory_ / name).parent_path());
    std::ofstream(directory_ / name) << text;
  }
  Path at(const char* name) const { return Path::literal((directory_ / name).string()); }
  Result<std::vector<Path>> tried() const {
    PALE_TRY(configured, ConfiguredPaths::read({at("home"), config_home_}));
    return configured.of_repository({at("work/.git"), at("work/.git"), at("work")});
  }
  std::vector<Path> paths() const { return tried().value_or(std::vector<Path>{}); }

  fs::path directory_;
  std::optional<Path> config_home_;
};

TEST_F(ConfiguredPathsOnDisk, HooksOfTheRepositoryAreRelativeToItsWorktree) {
  write("work/.git/config", "[core]\nhooksPath = .husky/_\n");
  EXPECT_THAT(paths(), ElementsAre(at("work/.husky/_")));
}

TEST_F(ConfiguredPathsOnDisk, HooksOfTheUserCountToo) {
  write("home/.gitconfig", "[core]\nhooksPath = ~/hooks\n");
  EXPECT_THAT(paths(), Contains(at("home/hooks")));
}

TEST_F(ConfiguredPathsOnDisk, IncludedFilesAreNamedAndRead) {
  write("work/.git/config", "[include]\npath = ../shared.cfg\n");
  write("work/shared.cfg", "[core]\nhooksPath = x/../tools\n");
  EXPECT_THAT(paths(), testing::UnorderedElementsAre(at("work/shared.cfg"), at("work/tools")));
}

TEST_F(ConfiguredPathsOnDisk, HooksOfTheUserCountWhereXdgConfigHomeSaysSo) {
  write("home/.config/git/config", "[core]\nhooksPath = ~/old\n");
  EXPECT_THAT(paths(), ElementsAre(at("home/old")));
  config_home_ = at("settings");
  write("settings/git/config", "[core]\nhooksPath = ~/new\n");
  EXPECT_THAT(paths(), ElementsAre(at("home/new")));
}

TEST_F(ConfiguredPathsOnDisk, WhatTheUsersConfigurationNamesCountsWithoutARepository) {
  write("home/.gitconfig", "[core]\nhooksPath = ~/hooks\n[include]\npath = dotfiles/git\n");
  auto configured = ConfiguredPaths::read({at("home"), std::nullopt});
  ASSERT_TRUE(configured);
  EXPECT_THAT(configured->of_user(at("work")).value(),
              testing::UnorderedElementsAre(at("home/hooks"), at("home/dotfiles/git")));
}

TEST_F(ConfiguredPathsOnDisk, HooksInTheWorktreeItselfAreNamedOneByOne) {
  write("work/.git/config", "[core]\nhooksPath = .\n");
  EXPECT_THAT(paths(), IsSupersetOf({at("work/pre-commit"), at("work/post-checkout")}));
  EXPECT_THAT(paths(), Not(Contains(at("work"))));
  write("work/.git/config", "[core]\nhooksPath =\n");
  EXPECT_THAT(paths(), ElementsAre());
}

TEST_F(ConfiguredPathsOnDisk, HooksAreRelativeToTheWorktreeThatTheConfigurationNames) {
  write("work/.git/config", "[core]\nhooksPath = hooks\nworktree = ../../tree\n");
  EXPECT_THAT(paths(), Contains(at("tree/hooks")));
}

TEST_F(ConfiguredPathsOnDisk, FilesThatIncludeEachOtherAreReadOnce) {
  std::string text;
  for (int i = 0; i < 10; ++i) text += "[include]\npath = config\n[include]\npath = ./x/../config\n";
  write("work/.git/config", text);
  EXPECT_THAT(paths(), ElementsAre(at("work/.git/config")));
}

TEST_F(ConfiguredPathsOnDisk, MoreThanCanBeLookedThroughIsRefused) {
  // Each name is another one, and all are one file.
  for (const char* link : {"x", "y"}) fs::create_directory_symlink(".", directory_ / "work/.git" / link);
  write("work/.git/config", "[include]\npath = x/config\n[include]\npath = y/config\n");
  ASSERT_FALSE(tried());
  EXPECT_EQ(tried().error().kind, ErrorKind::Refused);
  EXPECT_FALSE(tried().error().hint.empty());
  write("work/.git/config", std::string(2U << 20U, '\n'));
  EXPECT_FALSE(tried());
}

TEST_F(ConfiguredPathsOnDisk, APointerLeadsToWhereTheConfigurationLies) {
  write("main/.git/worktrees/tree/commondir", "../..\n");
  write("tree/.git", "gitdir: " + at("main/.git/worktrees/tree").text() + "\n");
  auto place = place_behind(at("tree/.git"));
  ASSERT_TRUE(place);
  EXPECT_EQ(place->directory, at("main/.git/worktrees/tree"));
  EXPECT_EQ(place->common, at("main/.git"));
  EXPECT_EQ(place->worktree, at("tree"));
  write("main/sub/.git", "gitdir: ../.git/modules/sub\r\n");
  place = place_behind(at("main/sub/.git"));
  ASSERT_TRUE(place);
  EXPECT_EQ(place->common, at("main/.git/modules/sub"));
  write("main/sub/.git", "nonsense");
  EXPECT_FALSE(place_behind(at("main/sub/.git")));
}

}  // namespace
}  // namespace pale::project
