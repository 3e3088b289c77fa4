#include "service/home.h"

#include <gmock/gmock.h>

#include "support/directory.h"

namespace pale::service {
namespace {

namespace fs = std::filesystem;

class PrivateHome : public test::InADirectory {
 protected:
  PrivateHome() {
    fs::create_directories(base_ / "user");
    fs::create_directories(base_ / "inside");
    fs::create_directories(base_ / "elsewhere");
  }
  Status copy(std::vector<std::string> names) const {
    const Path user = at("user");
    const Path inside = at("inside");
    return copy_home_files({user, inside}, names);
  }
  Status introduce() const {
    const Path user = at("user");
    const Path inside = at("inside");
    return introduce_to_git({user, inside});
  }
};

TEST_F(PrivateHome, GetsACopyOnceAndKeepsWhatItMadeOfIt) {
  write("user/.agent/settings.json", "{}");
  write("user/.agent/skills/a/b", "skill");
  ASSERT_TRUE(copy({".agent/settings.json", ".agent/skills", ".agent/none", ".none"}));
  EXPECT_EQ(read("inside/.agent/settings.json"), "{}");
  EXPECT_EQ(read("inside/.agent/skills/a/b"), "skill");
  EXPECT_FALSE(fs::exists(base_ / "inside/.none"));
  write("inside/.agent/settings.json", "mine");
  ASSERT_TRUE(copy({".agent/settings.json"}));
  EXPECT_EQ(read("inside/.agent/settings.json"), "mine");
  EXPECT_EQ(read("user/.agent/settings.json"), "{}");
}

TEST_F(PrivateHome, ALinkOfTheUsersIsFollowed) {
  write("elsewhere/dotfiles.json", "{}");
  fs::create_symlink(base_ / "elsewhere/dotfiles.json", base_ / "user/.agent.json");
  ASSERT_TRUE(copy({".agent.json"}));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(base_ / "inside/.agent.json")));
}

TEST_F(PrivateHome, ALinkThatAnAgentPlantedIsNot) {
  write("user/.agent/settings.json", "{}");
  write("user/.plain", "x");
  fs::create_directory_symlink(base_ / "elsewhere", base_ / "inside/.agent");
  fs::create_symlink(base_ / "elsewhere/made", base_ / "inside/.plain");
  ASSERT_TRUE(copy({".agent/settings.json", ".plain"}));
  EXPECT_TRUE(fs::is_empty(base_ / "elsewhere"));
  EXPECT_TRUE(fs::is_symlink(base_ / "inside/.plain"));
}

TEST_F(PrivateHome, KnowsWhoCommitsAndNothingElseOfTheUsersGit) {
  write("user/.config/git/config", "[user]\n\tname = Old\n\temail = ada@example.org\n");
  write("user/.gitconfig", "[user]\n\tname = Ada \\\"L\\\"\n[alias]\n\tst = !evil\n[credential]\n\thelper = store\n");
  ASSERT_TRUE(introduce());
  EXPECT_EQ(read("inside/.gitconfig"), "[user]\n\tname = \"Ada \\\"L\\\"\"\n\temail = \"ada@example.org\"\n");
  write("inside/.gitconfig", "mine");
  ASSERT_TRUE(introduce());
  EXPECT_EQ(read("inside/.gitconfig"), "mine");
}

TEST_F(PrivateHome, IsNotIntroducedThroughALinkNorWithoutAName) {
  ASSERT_TRUE(introduce());
  EXPECT_FALSE(fs::exists(base_ / "inside/.gitconfig"));
  write("user/.gitconfig", "[user]\n\tname = Ada\n");
  fs::create_symlink(base_ / "elsewhere/made", base_ / "inside/.gitconfig");
  ASSERT_TRUE(introduce());
  EXPECT_TRUE(fs::is_empty(base_ / "elsewhere"));
}

}  // namespace
}  // namespace pale::service
