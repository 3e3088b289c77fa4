#include "sys/mount.h"

#include <gtest/gtest.h>

namespace pale::sys {
namespace {

TEST(ParseMounts, ReadsTargetTypeAndFlags) {
  const auto mounts = parse_mounts(
      "22 27 0:21 / /proc rw,nosuid,relatime shared:5 - proc proc rw\n"
      "27 1 254:0 /home/ada /mnt/a ro,nodev - ext4 /dev/vda rw,discard\n");
  ASSERT_EQ(mounts.size(), 2U);
  EXPECT_EQ(mounts[0].target, "/proc");
  EXPECT_EQ(mounts[0].type, "proc");
  EXPECT_TRUE(mounts[0].no_setuid);
  EXPECT_FALSE(mounts[0].read_only);
  EXPECT_EQ(mounts[1].id, 27U);
  EXPECT_EQ(mounts[1].device, "254:0");
  EXPECT_EQ(mounts[1].root, "/home/ada");
  EXPECT_TRUE(mounts[1].read_only);
  EXPECT_TRUE(mounts[1].no_devices);
}

TEST(ParseMounts, TakesOnlyTheMountsOwnOptionsNotTheFilesystems) {
  const auto mounts = parse_mounts("1 2 0:1 / /x rw - tmpfs none ro,nosuid,nodev\n");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_FALSE(mounts[0].read_only);
  EXPECT_FALSE(mounts[0].no_setuid);
}

TEST(ParseMounts, UnescapesSpacesTabsNewlinesAndBackslashes) {
  const auto mounts = parse_mounts("1 2 0:1 / /a\\040b\\011c\\012d\\134e rw a:1 b:2 - tmpfs none rw\n");
  ASSERT_EQ(mounts.size(), 1U);
  EXPECT_EQ(mounts[0].target, "/a b\tc\nd\\e");
  EXPECT_EQ(mounts[0].type, "tmpfs");
}

TEST(ParseMounts, SurvivesTextThatIsNoMountList) {
  for (const char* text : {"", "\n", "1 2", "- - - - - - -", "1 2 3 4 5 6\n\n\n", "a\\04"}) (void)parse_mounts(text);
  EXPECT_EQ(parse_mounts("").size(), 0U);
}

TEST(ReadMounts, FindsThisMachinesRoot) {
  const auto mounts = read_mounts("/proc/self/mountinfo");
  ASSERT_TRUE(mounts);
  bool root = false;
  for (const MountLine& mount : *mounts) root |= mount.target == "/";
  EXPECT_TRUE(root);
}

}  // namespace
}  // namespace pale::sys
