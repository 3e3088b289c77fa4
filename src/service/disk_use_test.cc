#include "service/disk_use.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "support/directory.h"

namespace pale::service {
namespace {

constexpr std::uint64_t kMegabyte = 1U << 20U;

class DiskUses : public test::InADirectory {
 protected:
  void fill(const std::filesystem::path& name, std::size_t bytes) const {
    std::ofstream(base_ / name) << std::string(bytes, 'x');
  }
  DiskUse use() const { return disk_use({base()}); }
};

TEST_F(DiskUses, EverythingBelowIsCounted) {
  std::filesystem::create_directories(base_ / "a/b");
  fill("one", kMegabyte);
  fill("a/b/two", kMegabyte);
  EXPECT_GE(use().bytes, 2 * kMegabyte);
  EXPECT_LT(use().bytes, 3 * kMegabyte);
  EXPECT_TRUE(use().whole);
  EXPECT_EQ(disk_use({base() / "missing"}).bytes, 0U);
  EXPECT_TRUE(disk_use({base() / "missing"}).whole);
}

TEST_F(DiskUses, WhatLiesTooDeepOrIsClosedIsKnownToBeMissing) {
  std::filesystem::path deep = "d";
  for (int i = 0; i < 220; ++i) deep /= "d";
  std::filesystem::create_directories(base_ / deep);
  EXPECT_FALSE(use().whole);
  std::filesystem::remove_all(base_ / "d");
  EXPECT_TRUE(use().whole);
  std::filesystem::create_directory(base_ / "closed");
  std::filesystem::permissions(base_ / "closed", std::filesystem::perms::none);
  EXPECT_EQ(use().whole, geteuid() == 0);
}

TEST_F(DiskUses, OnlyWhoAddsPassesTheLimit) {
  DiskWatch watch({base()}, kMegabyte);
  fill("before", 2 * kMegabyte);
  EXPECT_FALSE(watch.is_passed(DiskWatch::Who::NoCommand)) << "it was there";
  EXPECT_FALSE(watch.is_passed(DiskWatch::Who::ACommand));
  fill("more", kMegabyte);
  EXPECT_TRUE(watch.is_passed(DiskWatch::Who::ACommand));
  watch.settle();
  EXPECT_FALSE(watch.is_passed(DiskWatch::Who::NoCommand)) << "left by the one that ended";
  fill("background", kMegabyte);
  EXPECT_TRUE(watch.is_passed(DiskWatch::Who::NoCommand));
  EXPECT_FALSE(watch.is_passed(DiskWatch::Who::NoCommand)) << "it grows no more";
  for (const char* name : {"before", "more", "background"}) std::filesystem::remove(base_ / name);
  EXPECT_FALSE(watch.is_passed(DiskWatch::Who::ACommand));
  fill("again", 2 * kMegabyte);
  EXPECT_TRUE(watch.is_passed(DiskWatch::Who::ACommand)) << "what was cleaned up is not given twice";
}

TEST_F(DiskUses, WithoutALimitNobodyLooks) { EXPECT_FALSE(DiskWatch({base()}, std::nullopt).due_ms()); }

}  // namespace
}  // namespace pale::service
