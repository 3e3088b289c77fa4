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
using testing::IsEmpty;

TEST(ConfigValues, FindSectionAndKeyWithoutCase) {
  EXPECT_THAT(config_values("[Core]\n\tHooksPath = .husky\n", "core", "hookspath"), ElementsAre(".husky"));
  EXPECT_THAT(config_values("[other]\nhooksPath = x\n[core]\nother = y\n", "core", "hookspath"), IsEmpty());
}

TEST(ConfigValues, UnderstandQuotesEscapesAndComments) {
  EXPECT_THAT(config_values("[core]\nhookspath = \"a b\" # why\n", "core", "hookspath"), ElementsAre("a b"));
  EXPECT_THAT(config_values("[core]\nhookspath = a\\\\b ; why\n", "core", "hookspath"), ElementsAre("a\\b"));
  EXPECT_THAT(config_values("[core] hookspath = x\nhookspath=y", "core", "hookspath"), ElementsAre("x", "y"));
}

TEST(ConfigValues, TakeConditionalIncludesAsTrue) {
  EXPECT_THAT(config_values("[includeIf \"gitdir:~/\"]\npath = x\n", "includeif", "path"), ElementsAre("x"));
}

class ConfiguredPathsOnDisk : public testing::Test {
 protected:
  ConfiguredPathsOnDisk() {
    std::string pattern = (fs::temp_directory_path() / "pale-git-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
    fs::create_directories(directory_ / "home");
    fs::create_directories(directory_ / "work/.git");
  }
  ~ConfiguredPathsOnDisk() override { fs::remove_all(directory_); }

  void write(const char* name, const std::string& text) const { std::ofstream(directory_ / name) << text; }
  Path at(const char* name) const { return Path::literal((directory_ / name).string()); }
  std::vector<Path> paths() const { return ConfiguredPaths(at("home")).of_repository(at("work/.git"), at("work")); }

  fs::path directory_;
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

TEST_F(ConfiguredPathsOnDisk, FilesThatIncludeEachOtherEnd) {
  write("work/.git/config", "[include]\npath = config\n");
  EXPECT_FALSE(paths().empty());
}

}  // namespace
}  // namespace pale::project
