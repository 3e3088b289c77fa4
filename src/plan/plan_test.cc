// Plans against golden files: tests/golden/NAME.plan. With PALE_UPDATE_GOLDEN=1 the files are written anew, to be read in a diff.
#include "plan/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace pale::plan {
namespace {

Path at(const char* text) { return Path::literal(text); }

Grant grant(const char* path, Access access, const char* origin, const char* source = nullptr) {
  return {at(path), access, at(source == nullptr ? path : source), origin};
}

// A project with a git repository and two protected paths that exist, one of them by a pattern.
BoundaryParts usual() {
  BoundaryParts parts;
  parts.workspace = at("/home/ada/shop");
  parts.home = at("/home/agent");
  parts.grants = {grant("/usr", Access::Read, "system"), grant("/etc", Access::Read, "system", "/home/ada/.pale/etc/1"),
                  grant("/home/agent", Access::Write, "private home", "/home/ada/.pale/homes/shop"),
                  grant("/home/ada/shop", Access::Write, "workspace")};
  parts.protections = {{at("/home/ada/shop/.git/hooks"), Match::Exact, "default"},
                       {at("/home/ada/shop/.envrc"), Match::Exact, "default"},
                       {at("/home/ada/shop/.claude/settings*.json"), Match::Glob, "default"}};
  return parts;
}

Facts facts() {
  Facts facts;
  for (const char* directory :
       {"/usr", "/home/ada/.pale/etc/1", "/home/ada/.pale/homes/shop", "/home/ada/shop", "/home/ada/shop/.git",
        "/home/ada/shop/.git/hooks", "/home/ada/shop/.claude", "/home/ada/shop/data"}) {
    facts.paths.push_back({at(directory), Kind::Directory});
  }
  facts.paths.push_back({at("/home/ada/shop/.claude/settings.json"), Kind::File});
  facts.paths.push_back({at("/home/ada/shop/.env"), Kind::File});
  facts.system_links = {{at("/bin"), "usr/bin"}, {at("/lib"), "usr/lib"}};
  facts.landlock_abi = 7;
  return facts;
}

Boundary make(BoundaryParts parts) { return std::move(*Boundary::make(std::move(parts))); }

void expect_golden(const char* name, const Result<Plan>& plan) {
  ASSERT_TRUE(plan) << plan.error().sentence();
  const char* source = std::getenv("PALE_SOURCE");
  ASSERT_NE(source, nullptr) << "run ./dev test";
  const std::string file = std::string(source) + "/tests/golden/" + name + ".plan";
  if (std::getenv("PALE_UPDATE_GOLDEN") != nullptr) std::ofstream(file) << to_text(*plan);
  std::ifstream in(file);
  EXPECT_EQ(to_text(*plan), std::string(std::istreambuf_iterator<char>(in), {})) << file;
}

TEST(PlanGolden, UsualProject) {
  expect_golden("usual", make_plan(make(usual()), facts(), Backend::Namespaces, Weakening::Refused));
}

TEST(PlanGolden, OpenNetworkAndATerminal) {
  BoundaryParts parts = usual();
  parts.network = Network::Open;
  Facts with_terminal = facts();
  with_terminal.terminal = "/dev/pts/3";
  expect_golden("open-network", make_plan(make(parts), with_terminal, Backend::Namespaces, Weakening::Refused));
}

TEST(PlanGolden, HiddenAndReadOnlyPartsOfTheProject) {
  BoundaryParts parts = usual();
  parts.grants.push_back(grant("/home/ada/shop/.env", Access::None, "--hide"));
  parts.grants.push_back(grant("/home/ada/shop/data", Access::Read, "--ro"));
  expect_golden("hidden", make_plan(make(parts), facts(), Backend::Namespaces, Weakening::Refused));
}

TEST(PlanGolden, HiddenPathThatIsMissingIsWatchedFor) {
  BoundaryParts parts = usual();
  parts.grants.push_back(grant("/home/ada/shop/secret", Access::None, "--hide"));
  expect_golden("hidden-missing", make_plan(make(parts), facts(), Backend::Namespaces, Weakening::Refused));
}

TEST(PlanGolden, ReadOnlyProject) {
  BoundaryParts parts = usual();
  parts.grants.push_back(grant("/home/ada/shop", Access::Read, "--ro"));
  expect_golden("read-only", make_plan(make(parts), facts(), Backend::Namespaces, Weakening::Refused));
}

TEST(PlanGolden, NamesOnlyButForOneFolder) {
  BoundaryParts parts = usual();
  parts.grants.push_back(grant("/home/ada/shop", Access::List, "mode"));
  parts.grants.push_back(grant("/home/ada/shop/data", Access::Write, "folders"));
  expect_golden("names-only", make_plan(make(parts), facts(), Backend::Namespaces, Weakening::Refused));
}

TEST(PlanGolden, AStageOnAStageOfWhichOneFolderIsWritableAndOneReadOnly) {
  BoundaryParts parts = usual();
  Grant staged = grant("/home/ada/shop", Access::List, "mode");
  staged.layers = {at("/home/ada/.pale/stages/shop/child/upper"), at("/home/ada/.pale/stages/shop/parent/upper")};
  parts.grants.push_back(staged);
  parts.grants.push_back(grant("/home/ada/shop/data", Access::Write, "folders"));
  parts.grants.push_back(grant("/home/ada/shop/.env", Access::List, "--ro"));
  expect_golden("staged", make_plan(make(parts), facts(), Backend::Namespaces, Weakening::Refused));
  const auto landlock = make_plan(make(parts), facts(), Backend::Landlock, Weakening::Accepted);
  ASSERT_FALSE(landlock);
  EXPECT_EQ(landlock.error().kind, ErrorKind::Unsupported);
}

TEST(PlanGolden, AProtectedFolderWhereElseOnlyNamesAreShownCanBeRead) {
  BoundaryParts parts = usual();
  parts.grants.push_back(grant("/home/ada/shop", Access::List, "mode"));
  parts.grants.push_back(grant("/home/ada/shop/data", Access::Write, "folders"));
  parts.protections.push_back({at("/home/ada/shop/data"), Match::Exact, "protected"});
  const auto plan = make_plan(make(parts), facts(), Backend::Namespaces, Weakening::Refused);
  ASSERT_TRUE(plan);
  EXPECT_NE(std::ranges::find(plan->landlock, LandlockRule{at("/home/ada/shop/data"), Access::Read}),
            plan->landlock.end());
}

TEST(PlanGolden, NamesOnlyBelowTmpClosesTmp) {
  BoundaryParts parts = usual();
  parts.workspace = at("/tmp/shop");
  parts.protections.clear();
  parts.grants.back() = grant("/tmp/shop", Access::List, "trust");
  Facts more = facts();
  more.paths.push_back({at("/tmp/shop"), Kind::Directory});
  expect_golden("names-only-below-tmp", make_plan(make(parts), more, Backend::Namespaces, Weakening::Refused));
}

TEST(PlanGolden, ProjectBelowTmpWhoseWayIsHeld) {
  BoundaryParts parts = usual();
  parts.grants.push_back(grant("/tmp/ci/build/tree", Access::Write, "--rw"));
  parts.grants.push_back(grant("/tmp/ci/cache", Access::Read, "--ro"));
  Facts more = facts();
  for (const char* path : {"/tmp/ci/build/tree", "/tmp/ci/cache"}) more.paths.push_back({at(path), Kind::Directory});
  expect_golden("below-tmp", make_plan(make(parts), more, Backend::Namespaces, Weakening::Refused));
}

TEST(PlanGolden, GrantBeneathAProtectionIsShownReadOnly) {
  BoundaryParts parts = usual();
  parts.grants.push_back(grant("/home/ada/shop", Access::Read, "--ro"));
  parts.grants.push_back(grant("/home/ada/shop/.git/hooks/own", Access::Write, "--rw"));
  Facts more = facts();
  more.paths.push_back({at("/home/ada/shop/.git/hooks/own"), Kind::Directory});
  expect_golden("beneath-protection", make_plan(make(parts), more, Backend::Namespaces, Weakening::Refused));
}

TEST(PlanGolden, KernelWithoutLandlock) {
  Facts old = facts();
  old.landlock_abi = 0;
  expect_golden("no-landlock", make_plan(make(usual()), old, Backend::Namespaces, Weakening::Accepted));
}

BoundaryParts in_place() {
  BoundaryParts parts = usual();
  std::erase_if(parts.grants, [](const Grant& one) { return one.source != one.path; });
  parts.grants.push_back(grant("/home/ada/.pale/homes/shop", Access::Write, "private home"));
  parts.home = at("/home/ada/.pale/homes/shop");
  return parts;
}

TEST(PlanGolden, LandlockWithWeakProtection) {
  expect_golden("landlock-weak", make_plan(make(in_place()), facts(), Backend::Landlock, Weakening::Accepted));
}

TEST(PlanGolden, LandlockOfAReadOnlyProjectNeedsNoWeakening) {
  BoundaryParts parts = in_place();
  parts.grants.push_back(grant("/home/ada/shop", Access::Read, "--ro"));
  parts.grants.push_back(grant("/home/ada/shop/data", Access::Write, "--rw"));
  expect_golden("landlock-read-only", make_plan(make(parts), facts(), Backend::Landlock, Weakening::Refused));
}

TEST(PlanLandlock, LetsNoUnixSocketThroughWhateverTheNetwork) {
  BoundaryParts parts = in_place();
  Facts inside = facts();
  inside.only_loopback = true;
  for (const Network network : {Network::None, Network::Open}) {
    parts.network = network;
    for (const Facts& around : {facts(), inside}) {
      const auto plan = make_plan(make(parts), around, Backend::Landlock, Weakening::Accepted);
      ASSERT_TRUE(plan);
      const bool internet = network == Network::Open || around.only_loopback;
      EXPECT_EQ(plan->sockets, internet ? Sockets::Internet : Sockets::None);
    }
  }
}

std::string refusal(const Result<Plan>& plan) {
  return plan ? "" : plan.error().sentence() + " | " + plan.error().hint;
}

TEST(PlanRefusal, ProtectedPathThatLeadsThroughASymlink) {
  Facts planted = facts();
  std::ranges::find(planted.paths, at("/home/ada/shop/.git"), &PathFact::path)->kind = Kind::Symlink;
  const auto plan = make_plan(make(usual()), planted, Backend::Namespaces, Weakening::Refused);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::Refused);
  EXPECT_NE(refusal(plan).find("/home/ada/shop/.git"), std::string::npos) << refusal(plan);
}

// What a boundary comes to if a file has a second hard link.
Result<Plan> with_another_name(const BoundaryParts& parts, const char* file) {
  Facts linked = facts();
  std::ranges::find(linked.paths, at(file), &PathFact::path)->has_other_names = true;
  return make_plan(make(parts), linked, Backend::Namespaces, Weakening::Refused);
}

TEST(PlanRefusal, ProtectedReadOnlyOrHiddenFileWithAnotherHardLink) {
  const auto plan = with_another_name(usual(), "/home/ada/shop/.claude/settings.json");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::Refused);
  EXPECT_NE(refusal(plan).find("sed -i '' /home/ada/shop/.claude/settings.json"), std::string::npos) << refusal(plan);
  const char* file = "/home/ada/shop/.env";
  EXPECT_TRUE(with_another_name(usual(), file)) << "neither";
  BoundaryParts parts = usual();
  parts.protections.push_back({at(file), Match::Exact, "--protect"});
  EXPECT_FALSE(with_another_name(parts, file));
  for (const Access access : {Access::None, Access::Read}) {
    parts = usual();
    parts.grants.push_back(grant(file, access, "--ro or --hide"));
    EXPECT_FALSE(with_another_name(parts, file));
  }
}

TEST(PlanRefusal, AnotherHardLinkMattersInAStageOnlyToWhatIsHidden) {
  const char* file = "/home/ada/shop/.env";
  BoundaryParts parts = usual();
  parts.grants.back().layers = {at("/home/ada/.pale/stages/shop/1/layer")};
  parts.protections.push_back({at(file), Match::Exact, "--protect"});
  EXPECT_TRUE(with_another_name(parts, file));
  parts.grants.push_back(grant(file, Access::None, "--hide"));
  EXPECT_FALSE(with_another_name(parts, file));
}

TEST(PlanRefusal, NamesOnlyInsideSomethingReadable) {
  BoundaryParts parts = usual();
  parts.grants.push_back(grant("/home/ada/shop/data", Access::List, "mode"));
  const auto plan = make_plan(make(parts), facts(), Backend::Namespaces, Weakening::Refused);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::Unsupported);
  EXPECT_FALSE(make_plan(make(parts), facts(), Backend::Landlock, Weakening::Accepted));
}

TEST(PlanRefusal, NamesOnlyWithoutLandlockHoweverWeakItMayBe) {
  BoundaryParts parts = usual();
  parts.grants.push_back(grant("/home/ada/shop", Access::List, "trust"));
  Facts old = facts();
  old.landlock_abi = 0;
  EXPECT_FALSE(make_plan(make(parts), old, Backend::Namespaces, Weakening::Accepted));
}

TEST(PlanRefusal, WhatMayNotBeRemovedIsLandlocksToKeep) {
  BoundaryParts parts = usual();
  Grant held = grant("/home/ada/shop", Access::Write, "zone");
  held.removal = Removal::Denied;
  parts.grants.push_back(held);
  const auto plan = make_plan(make(parts), facts(), Backend::Namespaces, Weakening::Refused);
  ASSERT_TRUE(plan);
  EXPECT_NE(to_text(*plan).find("landlock write /home/ada/shop, removing nothing\n"), std::string::npos);
  Facts old = facts();
  old.landlock_abi = 0;
  EXPECT_NE(refusal(make_plan(make(parts), old, Backend::Namespaces, Weakening::Accepted)).find("without Landlock"),
            std::string::npos);
  // The same folder at another place: a rule is about the folder.
  parts.grants.push_back({at("/data"), Access::Write, at("/home/ada/shop/data"), "zone data", {}});
  EXPECT_NE(refusal(make_plan(make(parts), facts(), Backend::Namespaces, Weakening::Refused)).find("at /data"),
            std::string::npos);
}

TEST(PlanRefusal, GrantOfSomethingThatIsMissing) {
  BoundaryParts parts = usual();
  parts.grants.push_back(grant("/opt/tools", Access::Read, "--ro"));
  EXPECT_NE(refusal(make_plan(make(parts), facts(), Backend::Namespaces, Weakening::Refused)).find("/opt/tools"),
            std::string::npos);
}

TEST(PlanRefusal, NamespacesWithoutLandlock) {
  Facts old = facts();
  for (old.landlock_abi = 0; old.landlock_abi < 2; ++old.landlock_abi) {
    const auto plan = make_plan(make(usual()), old, Backend::Namespaces, Weakening::Refused);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().kind, ErrorKind::Unsupported);
    EXPECT_NE(plan.error().hint.find("--unsafe-weak-protection"), std::string::npos);
  }
  EXPECT_TRUE(make_plan(make(usual()), old, Backend::Namespaces, Weakening::Refused));
}

TEST(PlanRefusal, OpenNetworkWithoutAWayToKeepHostSocketsOut) {
  BoundaryParts parts = usual();
  parts.network = Network::Open;
  Facts old = facts();
  old.landlock_abi = 5;
  const auto plan = make_plan(make(parts), old, Backend::Namespaces, Weakening::Refused);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, ErrorKind::Unsupported);
}

TEST(PlanRefusal, LandlockCannotProtectInsideSomethingWritable) {
  const auto plan = make_plan(make(in_place()), facts(), Backend::Landlock, Weakening::Refused);
  ASSERT_FALSE(plan);
  EXPECT_NE(refusal(plan).find("--unsafe-weak-protection"), std::string::npos) << refusal(plan);
}

TEST(PlanRefusal, LandlockCannotHideInsideSomethingGranted) {
  BoundaryParts parts = in_place();
  parts.protections.clear();
  parts.grants.push_back(grant("/home/ada/shop/.env", Access::None, "--hide"));
  EXPECT_NE(refusal(make_plan(make(parts), facts(), Backend::Landlock, Weakening::Accepted)).find("--hide"),
            std::string::npos);
}

TEST(PlanRefusal, NestedRunWhoseProtectionsNobodyHolds) {
  Facts inside = facts();
  inside.listener_taken = true;
  EXPECT_NE(
      refusal(make_plan(make(in_place()), inside, Backend::Landlock, Weakening::Accepted)).find("boundary around"),
      std::string::npos);
}

TEST(PlanRefusal, NestedRunThatTheOuterBoundaryHoldsIsGranted) {
  Facts inside = facts();
  inside.listener_taken = true;
  inside.outer = make(in_place());
  EXPECT_TRUE(make_plan(make(in_place()), inside, Backend::Landlock, Weakening::Refused));
}

}  // namespace
}  // namespace pale::plan
