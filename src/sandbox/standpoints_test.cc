#include "sandbox/standpoints.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <latch>
#include <thread>

#include "support/directory.h"

namespace pale::sandbox {
namespace {

sys::Pid self() { return static_cast<sys::Pid>(syscall(SYS_gettid)); }

class Standing : public test::InADirectory {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    for (const char* name : {"here", "there"}) std::filesystem::create_directory(base_ / name);
    go("here");
  }
  void TearDown() override { std::filesystem::current_path(before_); }
  void go(const char* name) const { std::filesystem::current_path(base_ / name); }
  std::string at_place(const char* name) const { return std::filesystem::canonical(base_ / name); }

  Standpoints standpoints_;

 private:
  std::filesystem::path before_;
};

TEST_F(Standing, IsRememberedUntilItIsSaidToChange) {
  EXPECT_EQ(*standpoints_.of(self()), at_place("here"));
  go("there");
  EXPECT_EQ(*standpoints_.of(self()), at_place("here")) << "nobody said so";
  standpoints_.leaves(self());
  EXPECT_EQ(*standpoints_.of(self()), at_place("there"));
}

TEST_F(Standing, IsAskedForAgainWhenNamesOrProgramsChange) {
  (void)standpoints_.of(self());
  go("there");
  standpoints_.begins_anew(self());
  EXPECT_EQ(*standpoints_.of(self()), at_place("there"));
  go("here");
  standpoints_.forget();
  EXPECT_EQ(*standpoints_.of(self()), at_place("here"));
}

TEST_F(Standing, OfThreadsChangesTogetherAndOnlyOnceTheLeavingOneHasGone) {
  std::latch begun(1), over(1);
  sys::Pid other = 0;
  std::thread beside([&] {
    other = self();
    begun.count_down();
    over.wait();
  });
  begun.wait();
  EXPECT_EQ(*standpoints_.of(other), at_place("here"));
  standpoints_.leaves(self());
  EXPECT_EQ(*standpoints_.of(other), at_place("here")) << "it has not gone yet";
  go("there");
  EXPECT_EQ(*standpoints_.of(other), at_place("there")) << "what was seen on the way was not kept";
  EXPECT_EQ(*standpoints_.of(self()), at_place("there")) << "it has gone: it asks for something else";
  EXPECT_EQ(*standpoints_.of(other), at_place("there"));
  over.count_down();
  beside.join();
}

TEST_F(Standing, OfNobodyIsNothing) { EXPECT_EQ(standpoints_.of(1 << 22), nullptr); }

}  // namespace
}  // namespace pale::sandbox
