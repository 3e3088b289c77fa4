#include "refs/put_back.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "git/read.h"

namespace pale::refs {
namespace {

using testing::IsNull;

const std::string kFirst(40, 'a');
const std::string kSecond(40, 'b');
const std::string kThird(40, 'c');

class PutBack : public testing::Test {
 protected:
  PutBack() {
    std::filesystem::create_directories(directory_ + "/refs/heads");
    write("HEAD", "ref: refs/heads/main\n");
  }
  ~PutBack() override { std::filesystem::remove_all(directory_); }

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(directory_ + "/" + name).parent_path());
    std::ofstream(directory_ + "/" + name) << text;
  }
  std::vector<Ref> refs() const { return git::read_refs(git_).value_or(std::vector<Ref>()); }
  static Verdict outside(const std::string& ref, const std::string& now) {
    return {ref, Wrong::Outside, now, now, {}, {}, {}};
  }

  std::string directory_ = [] {
    std::string name = (std::filesystem::temp_directory_path() / "pale-put-back.XXXXXX").string();
    return std::string(mkdtemp(name.data()));
  }();
  const Path git_ = Path::literal(directory_);
};

TEST_F(PutBack, WhatIsRefusedInOneSecondIsAllKept) {
  const std::vector<Ref> before = {{"refs/heads/main", RefKind::Direct, kFirst}};
  std::vector<std::string> kept;
  for (const std::string& evil : {kSecond, kThird}) {
    write("refs/heads/main", evil + "\n");
    std::vector<Verdict> verdicts = {outside("refs/heads/main", evil)};
    ASSERT_TRUE(put_back(git_, before, verdicts, "20261118T000000Z"));
    kept.push_back(verdicts[0].kept);
  }
  EXPECT_NE(kept[0], kept[1]);
  EXPECT_EQ(git::resolve(refs(), kept[0]), kSecond);
  EXPECT_EQ(git::resolve(refs(), kept[1]), kThird);
  EXPECT_EQ(git::resolve(refs(), "refs/heads/main"), kFirst);
  // Packed, its file is free again, and its name is not.
  write("packed-refs", kThird + " refs/pale/refused/t/heads/main\n");
  write("refs/heads/main", kSecond + "\n");
  std::vector<Verdict> verdicts = {outside("refs/heads/main", kSecond)};
  ASSERT_TRUE(put_back(git_, before, verdicts, "t"));
  EXPECT_EQ(verdicts[0].kept, "refs/pale/refused/t-2/heads/main");
}

TEST_F(PutBack, WhatIsKeptGoesBackWithoutBeingKeptAgain) {
  const std::string name = std::string(git::kRefused) + "t/heads/main";
  const std::vector<Ref> before = {{name, RefKind::Direct, kFirst}};
  write(std::string(git::kRefused) + "forged/heads/main", kSecond + "\n");
  std::vector<Verdict> verdicts = {
      {name, Wrong::Kept, "", {}, {}, {}, {}},
      {std::string(git::kRefused) + "forged/heads/main", Wrong::Kept, kSecond, {}, {}, {}, {}}};
  ASSERT_TRUE(put_back(git_, before, verdicts, "20261118T000000Z"));
  EXPECT_EQ(git::resolve(refs(), name), kFirst);
  EXPECT_THAT(git::find(refs(), verdicts[1].ref), IsNull());
  EXPECT_EQ(verdicts[1].kept, "");
}

TEST_F(PutBack, AWorktreeThatIsNewGoesAsAWhole) {
  write("worktrees/old/HEAD", kSecond + "\n");
  write("worktrees/old/gitdir", "/old/.git\n");
  write("worktrees/new/HEAD", kSecond + "\n");
  write("worktrees/new/gitdir", "/new/.git\n");
  std::vector<Verdict> verdicts = {outside("worktrees/old/HEAD", kSecond), outside("worktrees/new/HEAD", kSecond)};
  ASSERT_TRUE(put_back(git_, {{"worktrees/old/HEAD", RefKind::Direct, kFirst}}, verdicts, "20261118T000000Z"));
  EXPECT_FALSE(std::filesystem::exists(directory_ + "/worktrees/new"));
  EXPECT_TRUE(std::filesystem::exists(directory_ + "/worktrees/old/gitdir"));
  EXPECT_EQ(git::resolve(refs(), "worktrees/old/HEAD"), kFirst);
}

}  // namespace
}  // namespace pale::refs
