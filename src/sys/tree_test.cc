#include "sys/tree.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <thread>

#include "support/directory.h"
#include "sys/file.h"

namespace pale::sys {
namespace {

class RemoveTree : public test::InADirectory {
 protected:
  Status remove(const std::string& name) const { return remove_tree(kAbsolute, at(name).c_str()); }
  bool exists(const std::string& name) const {
    return std::filesystem::symlink_status(base_ / name).type() != std::filesystem::file_type::not_found;
  }
};

TEST_F(RemoveTree, FollowsNoLink) {
  write("outside/kept", "x");
  write("tree/file", "x");
  std::filesystem::create_symlink(base_ / "outside", base_ / "tree/link");
  std::filesystem::create_symlink(base_ / "outside", base_ / "alone");
  ASSERT_TRUE(remove("tree"));
  ASSERT_TRUE(remove("alone"));
  ASSERT_TRUE(remove("never-there"));
  EXPECT_FALSE(exists("tree"));
  EXPECT_FALSE(exists("alone"));
  EXPECT_EQ(read("outside/kept"), "x");
}

TEST_F(RemoveTree, OfTwoAtOnceNeitherFails) {
  for (int round = 0; round < 200; ++round) {
    write("tree/lock", "");
    write("tree/a/b/file", "x");
    Status theirs;
    std::thread other([&] { theirs = remove("tree"); });
    const Status ours = remove("tree");
    other.join();
    EXPECT_TRUE(ours) << ours.error().sentence();
    EXPECT_TRUE(theirs) << theirs.error().sentence();
    EXPECT_FALSE(exists("tree"));
  }
}

TEST_F(RemoveTree, RemovesWhatIsClosedToItsOwner) {
  write("tree/a/b/file", "x");
  for (const char* each : {"tree/a/b", "tree/a", "tree"}) ASSERT_EQ(chmod((base_ / each).c_str(), 0), 0);
  const auto removed = remove("tree");
  EXPECT_TRUE(removed) << removed.error().sentence();
  EXPECT_FALSE(exists("tree"));
}

TEST_F(RemoveTree, HasNoDepthThatIsTooGreat) {
  std::filesystem::create_directory(base_ / "tree");
  write("tree/deep-1", "a name that is taken");
  int fd = open((base_ / "tree").c_str(), O_RDONLY | O_DIRECTORY);
  for (int level = 0; level < 3000; ++level) {  // more than a process has descriptors, and no path is as long
    ASSERT_EQ(mkdirat(fd, "directory", 0755), 0);
    const int next = openat(fd, "directory", O_RDONLY | O_DIRECTORY);
    close(fd);
    fd = next;
  }
  close(fd);
  const auto removed = remove("tree");
  EXPECT_TRUE(removed) << removed.error().sentence();
  EXPECT_FALSE(exists("tree"));
}

class MoveTree : public RemoveTree {
 protected:
  Status move(const std::string& from, const std::filesystem::path& to) const {
    return move_tree(kAbsolute, at(from).c_str(), kAbsolute, to.c_str());
  }
  void close(const char* name) const { ASSERT_EQ(chmod((base_ / name).c_str(), 0), 0); }
};

TEST_F(MoveTree, MovesWhatIsClosedToItsOwner) {
  write("tree/a/file", "x");
  for (const char* each : {"tree/a", "tree"}) close(each);
  const auto moved = move("tree", base_ / "moved");
  EXPECT_TRUE(moved) << moved.error().sentence();
  EXPECT_FALSE(exists("tree"));
  EXPECT_TRUE(exists("moved"));
  EXPECT_TRUE(remove("moved"));
}

TEST_F(MoveTree, AlsoToAnotherFilesystem) {
  const std::filesystem::path other = "/dev/shm/pale-tree-test-" + std::to_string(getpid());
  write("tree/a/file", "x");
  for (const char* each : {"tree/a/file", "tree/a", "tree"}) close(each);
  const auto moved = move("tree", other);
  EXPECT_TRUE(moved) << moved.error().sentence();
  EXPECT_FALSE(exists("tree"));
  EXPECT_TRUE(std::filesystem::exists(other / "a/file"));
  std::filesystem::remove_all(other);
}

TEST_F(MoveTree, WhatIsTooDeepToBeCopiedStaysWhole) {
  const std::filesystem::path other = "/dev/shm/pale-tree-test-" + std::to_string(getpid());
  std::string deep = "tree";
  for (int level = 0; level < 300; ++level) deep += "/d";
  write(deep + "/file", "x");
  EXPECT_FALSE(move("tree", other));
  EXPECT_FALSE(std::filesystem::exists(other));
  EXPECT_EQ(read(deep + "/file"), "x");
}

}  // namespace
}  // namespace pale::sys
