#include "sandbox/receipt.h"

#include <gmock/gmock.h>

#include <memory>

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
  const std::string callers_mounts = kFresh + callers;
  return check_mounts_within(plan_with(targets), kFresh + own, {.mounts = callers_mounts});
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

// --- what is hidden ---------------------------------------------------------------------------------------------------

// What is mounted over something hidden: of a filesystem that each sandbox has for itself.
std::string mask(const std::string& device, const std::string& target) {
  return mount(device, "/pale/hidden-directory", target, "ro", "tmpfs");
}

TEST(ReceiptWithin, WhatIsHiddenFromTheCallerStaysHidden) {
  const std::string callers = mount("8:1", "/p", "/work", "rw") + mask("0:50", "/work/in/secret");
  for (const char* access : {"rw", "ro"}) {
    for (const std::string& bare : {mount("8:1", "/p", "/data", access), mount("8:1", "/p/in", "/data", access)}) {
      const Status checked = within(bare, callers, {"/data"});
      ASSERT_FALSE(checked) << bare;
      EXPECT_THAT(checked.error().sentence(), HasSubstr("hidden from its caller, and seen in /data"));
    }
  }
  EXPECT_TRUE(within(mount("8:1", "/p/other", "/data", "rw"), callers, {"/data"})) << "beside it";
}

TEST(ReceiptWithin, ItIsHiddenByTheNameItHasHere) {
  const std::string callers = mount("8:1", "/p", "/work", "rw") + mask("0:50", "/work/in/secret");
  plan::Plan plan = plan_with({"/data"});
  plan.steps.push_back({plan::StepKind::Hide, Path::literal("/data/secret"), {}});
  const std::string callers_mounts = kFresh + callers;
  const std::string bare = kFresh + mount("8:1", "/p/in", "/data", "rw");
  EXPECT_TRUE(check_mounts_within(plan, bare + mask("0:51", "/data/secret"), {.mounts = callers_mounts}));
  EXPECT_FALSE(check_mounts_within(plan, bare, {.mounts = callers_mounts})) << "planned, and not there";
  EXPECT_FALSE(check_mounts_within(plan, bare + mask("0:51", "/data/secret2"), {.mounts = callers_mounts}));
  EXPECT_FALSE(
      check_mounts_within(plan, bare + mount("8:1", "/p/in/secret", "/data/secret", "ro"), {.mounts = callers_mounts}))
      << "itself in its place";
}

TEST(ReceiptWithin, NothingInsideWhatIsHiddenIsShown) {
  const std::string callers = mount("8:1", "/p", "/work", "rw") + mask("0:50", "/work/secret");
  EXPECT_FALSE(within(mount("8:1", "/p/secret", "/data", "ro"), callers, {"/data"}));
  EXPECT_FALSE(within(mount("8:1", "/p/secret/in", "/data", "ro"), callers, {"/data"}));
  const std::string elsewhere = callers + mount("8:1", "/p/secret/in", "/in", "ro");
  EXPECT_TRUE(within(mount("8:1", "/p/secret/in", "/data", "ro"), elsewhere, {"/data"})) << "shown to it otherwise";
  EXPECT_FALSE(within(mount("8:1", "/p/secret/in", "/data", "rw"), elsewhere, {"/data"}));
}

TEST(ReceiptWithin, WhatIsMountedOnItselfHidesNothing) {
  const std::string callers = mount("8:1", "/p", "/work", "rw") + mount("8:1", "/p/in", "/work/in", "rw");
  EXPECT_TRUE(within(mount("8:1", "/p", "/data", "rw"), callers, {"/data"}));
}

TEST(ReceiptWithin, AnotherFilesystemInsideIsSeenByBoth) {
  const std::string callers = mount("8:1", "/p", "/work", "rw") + mount("8:7", "/", "/work/disk", "rw");
  EXPECT_TRUE(within(mount("8:1", "/p", "/data", "rw") + mount("8:7", "/", "/data/disk", "rw"), callers, {"/data"}));
  EXPECT_FALSE(within(mount("8:1", "/p", "/data", "rw"), callers, {"/data"})) << "what lies beneath it";
}

TEST(ReceiptWithin, TheSystemMayStandBesideItAndOnlyReadOnly) {
  const std::string callers = kFresh + mount("8:1", "/p", "/work", "rw");
  const Within outer{.mounts = callers, .beside = {Path::literal("/usr")}};
  const plan::Plan plan = plan_with({"/usr", "/opt"});
  EXPECT_TRUE(check_mounts_within(plan, kFresh + mount("8:1", "/usr", "/usr", "ro"), outer));
  EXPECT_FALSE(check_mounts_within(plan, kFresh + mount("8:1", "/usr", "/usr", "rw"), outer));
  EXPECT_FALSE(check_mounts_within(plan, kFresh + mount("8:1", "/opt", "/opt", "ro"), outer));
  const std::string hides = callers + mount("8:1", "/usr", "/usr", "ro") + mask("0:50", "/usr/share");
  EXPECT_FALSE(check_mounts_within(plan, kFresh + mount("8:1", "/usr", "/usr", "ro"),
                                   {.mounts = hides, .beside = {Path::literal("/usr")}}));
}

// --- the network ------------------------------------------------------------------------------------------------------

Status network(bool planned, bool entered, bool callers) {
  plan::Plan plan;
  plan.own_network = planned;
  const auto observed = std::make_unique<Observed>();
  observed->own_network = entered;
  return check_network(plan, *observed, {.mounts = "some", .own_network = callers});
}

TEST(ReceiptWithin, TheNetworkIsNoMoreThanTheCallersIs) {
  EXPECT_TRUE(network(true, true, true));
  EXPECT_TRUE(network(true, true, false));
  EXPECT_TRUE(network(false, false, false));
  const Status checked = network(false, false, true);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().sentence(), HasSubstr("its caller's sandbox does not reach the network"));
}

TEST(ReceiptWithin, ANetworkThatWasPlannedAndNotEnteredIsAMismatch) {
  const Status checked = network(true, false, false);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::Mismatch);
  EXPECT_THAT(checked.error().sentence(), HasSubstr("the network is the host's"));
}

}  // namespace
}  // namespace pale::sandbox
