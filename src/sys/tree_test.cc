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

class CopyTree : public RemoveTree {
 protected:
  Status copy(const std::string& from, const std::string& to, Copy how) const {
    return copy_tree(kAbsolute, at(from).c_str(), kAbsolute, at(to).c_str(), how);
  }
  FileInfo info(const std::string& name) const { return *file_info(kAbsolute, at(name).c_str()); }
};

TEST_F(CopyTree, WholeKeepsPermissionsAndTimes) {
  write("tree/shut/file", "x");
  chmod((base_ / "tree/shut/file").c_str(), 0664);
  chmod((base_ / "tree/shut").c_str(), 0500);
  chmod((base_ / "tree").c_str(), 0710);
  const timespec times[2] = {{1'577'836'800, 0}, {1'577'836'800, 0}};
  for (const char* each : {"tree/shut/file", "tree"})
    ASSERT_EQ(utimensat(AT_FDCWD, (base_ / each).c_str(), times, 0), 0);
  const auto copied = copy("tree", "copy", Copy::Whole);
  ASSERT_TRUE(copied) << copied.error().sentence();
  for (const std::string each : {"", "/shut", "/shut/file"}) {
    EXPECT_EQ(info("copy" + each).mode, info("tree" + each).mode) << each;
    EXPECT_EQ(info("copy" + each).modified_ns, info("tree" + each).modified_ns) << each;
  }
  ASSERT_TRUE(copy("tree", "usable", Copy::Usable));
  EXPECT_EQ(info("usable/shut").mode & 0700U, 0700U);
  for (const char* each : {"tree/shut", "copy/shut"}) chmod((base_ / each).c_str(), 0700);
}

TEST_F(CopyTree, WhatHasNoContentIsLeftOutOrAnError) {
  write("tree/file", "x");
  ASSERT_EQ(mkfifo((base_ / "tree/fifo").c_str(), 0644), 0);
  EXPECT_TRUE(copy("tree", "usable", Copy::Usable));
  EXPECT_FALSE(exists("usable/fifo"));
  const auto whole = copy("tree", "whole", Copy::Whole);
  ASSERT_FALSE(whole);
  EXPECT_NE(whole.error().sentence().find("fifo"), std::string::npos);
}

TEST_F(CopyTree, ADepthWithoutEndIsAnError) {
  std::string deep = "tree";
  for (int level = 0; level < 300; ++level) deep += "/d";
  std::filesystem::create_directories(base_ / deep);
  const auto copied = copy("tree", "copy", Copy::Usable);
  ASSERT_FALSE(copied);
  EXPECT_NE(copied.error().sentence().find("in one another"), std::string::npos);
}

}  // namespace
}  // namespace pale::sys
