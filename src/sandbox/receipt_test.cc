#include "sandbox/receipt.h"

#include <gmock/gmock.h>

namespace pale::sandbox {
namespace {

using testing::HasSubstr;

// As the kernel writes it: which part of which filesystem is seen where.
std::string mount(const std::string& device, const std::string& root, const std::string& target,
                  const std::string& options, const std::string& type = "ext4") {
  return "30 1 " + device + " " + root + " " + target + " " + options + ",nosuid,nodev - " + type + " source rw\n";
}

// A sandbox with a fresh root, a fresh /tmp, and what is bound to it.
plan::Plan plan_with(const std::vector<std::string>& targets) {
  plan::Plan plan;
  plan.steps.push_back({plan::StepKind::Scratch, Path::literal("/run"), {}});
  plan.steps.push_back({plan::StepKind::Private, Path::literal("/tmp"), "/run/pale/tmp"});
  for (const std::string& target : targets)
    plan.steps.push_back({plan::StepKind::Bind, Path::literal(target), "/host" + target});
  return plan;
}

const std::string kFresh = mount("8:1", "/roots/1", "/", "ro") + mount("0:50", "/", "/run", "ro", "tmpfs") +
                           mount("0:50", "/pale/tmp", "/tmp", "rw", "tmpfs");

Status within(const std::string& own, const std::string& callers, const std::vector<std::string>& targets) {
  return check_mounts_within(plan_with(targets), kFresh + own, kFresh + callers);
}

TEST(ReceiptWithin, TheSameOrLessIsFine) {
  const std::string callers = mount("8:1", "/p/data", "/data", "rw") + mount("8:1", "/usr", "/usr", "ro");
  EXPECT_TRUE(within("", callers, {}));
  EXPECT_TRUE(within(callers, callers, {"/data", "/usr"}));
  EXPECT_TRUE(within(mount("8:1", "/p/data", "/data", "ro"), callers, {"/data"}));
  EXPECT_TRUE(within(mount("8:1", "/p/data/in/it", "/other", "rw"), callers, {"/other"})) << "by another name";
}

TEST(ReceiptWithin, WhatTheCallerDoesNotShowIsRefused) {
  const std::string callers = mount("8:1", "/p/data", "/data", "rw");
  for (const std::string& own : {mount("8:1", "/p/secrets", "/data", "ro"), mount("8:1", "/p/database", "/data", "ro"),
                                 mount("8:1", "/p", "/data", "ro"), mount("8:2", "/p/data", "/data", "ro")}) {
    const Status checked = within(own, callers, {"/data"});
    ASSERT_FALSE(checked) << own;
    EXPECT_EQ(checked.error().kind, ErrorKind::Mismatch);
    EXPECT_THAT(checked.error().sentence(), HasSubstr("the caller's sandbox does not show /data"));
  }
}

TEST(ReceiptWithin, WritableIsNoMoreThanTheCallersIs) {
  EXPECT_FALSE(within(mount("8:1", "/p/data", "/data", "rw"), mount("8:1", "/p/data", "/data", "ro"), {"/data"}));
}

TEST(ReceiptWithin, WhatIsReadOnlyInsideItStaysSo) {
  const std::string callers =
      mount("8:1", "/p", "/work", "rw") + mount("8:1", "/p/.git/hooks", "/work/.git/hooks", "ro");
  const std::string bare = mount("8:1", "/p", "/work", "rw");
  const Status checked = within(bare, callers, {"/work"});
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().sentence(), HasSubstr("read-only for its caller"));
  EXPECT_TRUE(within(bare + mount("8:1", "/p/.git/hooks", "/work/.git/hooks", "ro"), callers, {"/work"}));
  EXPECT_TRUE(within(bare + mount("8:1", "/p/.git", "/work/.git", "ro"), callers, {"/work"})) << "more of it";
}

TEST(ReceiptWithin, OfTwoMountsAtOnePlaceTheLastIsSeen) {
  const std::string callers = mount("8:1", "/p/data", "/data", "rw") + mount("8:1", "/p/data", "/data", "ro");
  EXPECT_FALSE(within(mount("8:1", "/p/data", "/data", "rw"), callers, {"/data"}));
}

TEST(ReceiptWithin, AMountThatNoStepMadeIsTakenForTheHosts) {
  EXPECT_FALSE(within(mount("8:9", "/", "/mnt", "ro"), mount("8:1", "/p", "/data", "rw"), {"/data"}));
}

}  // namespace
}  // namespace pale::sandbox
