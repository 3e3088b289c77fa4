#include "project/protection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace pale::project {
namespace {

namespace fs = std::filesystem;

class DefaultProtections : public testing::Test {
 protected:
  DefaultProtections() {
    std::string pattern = (fs::temp_directory_path() / "pale-protect-XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~DefaultProtections() override { fs::remove_all(root_); }

  void directory(const char* name) const { fs::create_directories(root_ / name); }
  void file(const char* name, const char* text = "") const {
    fs::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name) << text;
  }
  void repository(const std::string& git) const {
    for (const char* part : {"objects", "refs", "hooks"}) fs::create_directories(root_ / git / part);
    std::ofstream(root_ / git / "HEAD") << "ref: refs/heads/main\n";
    std::ofstream(root_ / git / "config") << "[core]\n";
  }
  bool is_protected(const char* name) const {
    const Path root = Path::literal(root_.string());
    const auto protections =
        default_protections(root, {Path::literal("/nonexistent"), std::nullopt}, Repositories::All);
    EXPECT_TRUE(protections);
    return std::ranges::any_of(*protections, [&](const Protection& one) { return one.covers(root / name); });
  }

  fs::path root_;
};

TEST_F(DefaultProtections, CoverTheListByWholeComponents) {
  for (const char* name : {".git/hooks/pre-commit", ".git/config", ".git/config.worktree", ".pale/project.toml",
                           ".vscode", ".idea/x", ".mcp.json", ".envrc", ".codex", ".claude/settings.json",
                           ".claude/settings.local.json", "golem-forge.config.yaml", "golem-forge.config.yml"}) {
    EXPECT_TRUE(is_protected(name)) << name;
  }
  for (const char* name :
       {".gitignore", ".github/workflows/ci.yml", ".git/index", ".git/HEAD", ".envrc.example", ".vscodeignore",
        ".claude/commands", ".claude/settings", "src/.envrc", ".palette", "golem-forge.config.json"}) {
    EXPECT_FALSE(is_protected(name)) << name;
  }
}

TEST_F(DefaultProtections, CoverNestedRepositoriesAtAnyDepth) {
  repository("a/b/c/.git");
  EXPECT_TRUE(is_protected("a/b/c/.git/hooks/post-checkout"));
  EXPECT_TRUE(is_protected("a/b/c/.git/config"));
  EXPECT_TRUE(is_protected("a/b/c/.git/commondir"));
  EXPECT_FALSE(is_protected("a/b/c/.git/index"));
  EXPECT_FALSE(is_protected("a/b/.git/hooks"));
}

TEST_F(DefaultProtections, CoverBareRepositoriesAndSubmodules) {
  repository("mirror.git");
  repository(".git");
  repository(".git/modules/lib");
  file("lib/.git", "gitdir: ../.git/modules/lib\n");
  EXPECT_TRUE(is_protected("mirror.git/hooks/update"));
  EXPECT_TRUE(is_protected(".git/modules/lib/config"));
  EXPECT_TRUE(is_protected("lib/.git"));
}

TEST_F(DefaultProtections, CoverALinkedWorktreesPointerInsteadOfWhatLiesBeneathIt) {
  file(".git", "gitdir: /elsewhere/.git/worktrees/x\n");
  EXPECT_TRUE(is_protected(".git"));
}

TEST_F(DefaultProtections, CoverTheHookFolderOfEveryRepository) {
  repository(".git");
  file(".git/config", "[core]\nhooksPath = .husky\n");
  repository("sub/.git");
  file("sub/.git/config", "[core]\nhooksPath = tools/hooks\n");
  EXPECT_TRUE(is_protected(".husky/pre-commit"));
  EXPECT_TRUE(is_protected("sub/tools/hooks/pre-commit"));
  EXPECT_FALSE(is_protected("tools/hooks/pre-commit"));
}

TEST_F(DefaultProtections, CoverWhatCanBecomeARepositoryAgain) {
  directory("empty/.git");
  EXPECT_TRUE(is_protected("empty/.git/config"));
  for (const char* name : {"nested/.git", ".git/modules/deep/sub", "mirror.git", ".git/worktrees/tree"})
    repository(name);
  for (const char* name : {".git/modules/deep/sub/config", "mirror.git/config"})
    file(name, "[core]\n\trepositoryformatversion = 0\n");
  file(".git/worktrees/tree/commondir", "../..\n");
  for (const char* name : {"nested/.git", ".git/modules/deep/sub", "mirror.git", ".git/worktrees/tree"}) {
    for (const char* part : {"HEAD", "objects", "refs"}) {
      fs::rename(root_ / name / part, root_ / name / "away");
      EXPECT_TRUE(is_protected((std::string(name) + "/config").c_str())) << name << " without " << part;
      EXPECT_TRUE(is_protected((std::string(name) + "/hooks/pre-commit").c_str())) << name << " without " << part;
      fs::rename(root_ / name / "away", root_ / name / part);
    }
  }
}

TEST_F(DefaultProtections, LeaveOtherDirectoriesThatHaveAConfigAlone) {
  file("src/config", "[core]\n\tremote = storage\n");
  directory("src/hooks");
  repository(".git/modules/sub");
  file(".git/modules/sub/refs/heads/config", "0123456789012345678901234567890123456789\n");
  EXPECT_FALSE(is_protected("src/hooks"));
  EXPECT_FALSE(is_protected("src/config"));
  EXPECT_FALSE(is_protected(".git/modules/sub/refs/heads/config"));
}

TEST_F(DefaultProtections, CoverTheHookFolderOfALinkedWorktreeAndOfASubmodule) {
  repository("main/.git");
  file("main/.git/config", "[core]\nhooksPath = .husky/_\n");
  file("main/.git/worktrees/tree/commondir", "../..\n");
  file("tree/.git", ("gitdir: " + (root_ / "main/.git/worktrees/tree").string() + "\n").c_str());
  repository("main/.git/modules/sub");
  file("main/.git/modules/sub/config", "[core]\nhooksPath = hooks\n");
  file("main/sub/.git", "gitdir: ../.git/modules/sub\n");
  EXPECT_TRUE(is_protected("tree/.husky/_/pre-commit"));
  EXPECT_TRUE(is_protected("main/sub/hooks/pre-commit"));
}

TEST_F(DefaultProtections, CoverHooksThatLieInTheProjectItself) {
  repository(".git");
  file(".git/config", "[core]\nhooksPath = .\n");
  EXPECT_TRUE(is_protected("pre-commit"));
  EXPECT_FALSE(is_protected("src"));
}

TEST_F(DefaultProtections, CoverALinkInThePlaceOfARepository) {
  repository("real");
  directory("nested");
  fs::create_directory_symlink("../real", root_ / "nested/.git");
  EXPECT_TRUE(is_protected("nested/.git"));
}

TEST_F(DefaultProtections, DoNotFollowSymlinks) {
  directory("real");
  fs::create_directory_symlink("/", root_ / "everything");
  EXPECT_FALSE(is_protected("everything/etc"));
}

}  // namespace
}  // namespace pale::project
