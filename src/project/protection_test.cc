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
    const auto protections = default_protections(root, Path::literal("/nonexistent"), Repositories::All);
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

TEST_F(DefaultProtections, DoNotFollowSymlinks) {
  directory("real");
  fs::create_directory_symlink("/", root_ / "everything");
  EXPECT_FALSE(is_protected("everything/etc"));
}

}  // namespace
}  // namespace pale::project
