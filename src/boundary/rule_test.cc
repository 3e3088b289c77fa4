#include "boundary/rule.h"

#include <gmock/gmock.h>

#include "support/boundary_generators.h"

namespace pale {
namespace {

Path at(std::string_view text) { return Path::literal(text); }

Boundary with_grants(std::vector<Grant> grants) {
  BoundaryParts parts;
  parts.workspace = parts.home = grants.front().path;
  parts.grants = std::move(grants);
  return *Boundary::make(std::move(parts));
}

Grant grant(std::string_view path, Access access) { return {at(path), access, at(path), "--rw"}; }

TEST(Standing, AFixtureBeatsAGrantAboveItAndLosesToOneAtItsPathOrBeneath) {
  const Boundary all = with_grants({grant("/", Access::Write)});
  EXPECT_EQ(standing_at(all, at("/tmp/x")).ground, Ground::Fixture);
  EXPECT_EQ(standing_at(all, at("/tmpfile")).ground, Ground::Grant);
  const Boundary same = with_grants({grant("/tmp", Access::Read)});
  EXPECT_EQ(standing_at(same, at("/tmp/x")).ground, Ground::Grant);
  const Boundary deeper = with_grants({grant("/tmp/x", Access::Read)});
  EXPECT_EQ(standing_at(deeper, at("/tmp/x")).ground, Ground::Grant);
  EXPECT_EQ(standing_at(deeper, at("/tmp/y")).ground, Ground::Fixture);
}

TEST(Standing, OfNestedFixturesTheDeeperOneCounts) {
  const Boundary boundary = with_grants({grant("/w", Access::Write)});
  EXPECT_EQ(standing_at(boundary, at("/dev/shm/x")).fixture->path, "/dev/shm");
  EXPECT_EQ(standing_at(boundary, at("/dev/shmem")).fixture->path, "/dev");
}

TEST(Standing, AHiddenPathClosesTheFixturesBeneathIt) {
  EXPECT_EQ(standing_at(with_grants({grant("/dev", Access::None)}), at("/dev/shm/x")).ground, Ground::Grant);
}

TEST(Standing, WhatLiesAboveAGrantIsAPassageAndItsSiblingsAreNothing) {
  const Boundary boundary = with_grants({grant("/home/u/project", Access::Write)});
  for (const std::string_view above : {"/", "/home", "/home/u"}) {
    EXPECT_EQ(standing_at(boundary, at(above)).ground, Ground::Passage);
  }
  for (const std::string_view outside : {"/homes", "/home/v", "/home/u/projects", "/hom"}) {
    EXPECT_EQ(standing_at(boundary, at(outside)).ground, Ground::Nothing);
  }
}

TEST(Standing, ARelativePathStandsOnNothing) {
  EXPECT_EQ(standing_at(with_grants({grant("/", Access::Write)}), at("w")).ground, Ground::Nothing);
}

TEST(Rule, ReadsAsItWasSaid) {
  const Boundary boundary =
      with_grants({grant("/w/a", Access::Write), grant("/w/b", Access::Read), grant("/w/c", Access::None)});
  const auto rule_at = [&](std::string_view path) { return rule_of(standing_at(boundary, at(path))); };
  EXPECT_EQ(rule_at("/w/a/x"), (Rule{"write /w/a", "--rw"}));
  EXPECT_EQ(rule_at("/w/b"), (Rule{"read /w/b", "--rw"}));
  EXPECT_EQ(rule_at("/w/c/x"), (Rule{"hidden /w/c", "--rw"}));
  EXPECT_EQ(rule_at("/tmp/x"), (Rule{"fixture /tmp", "fixture"}));
  EXPECT_EQ(rule_at("/w"), (Rule{"on the way to write /w/a", "--rw"}));
  EXPECT_EQ(rule_at("/etc"), (Rule{"outside: nothing grants it", "default"}));
  EXPECT_EQ(rule_of(Protection{at("/w/.git/hooks"), Match::Exact, "always"}),
            (Rule{"protected /w/.git/hooks", "always"}));
}

TEST(AccessAt, AProtectedPathInsideAWritableGrantIsReadable) {
  BoundaryParts parts = with_grants({grant("/w", Access::Write), grant("/w/s", Access::None)}).parts();
  parts.protections = {{at("/w/p"), Match::Exact, ""}, {at("/w/s/p"), Match::Exact, ""}};
  const Boundary boundary = *Boundary::make(parts);
  const auto access = [&](std::string_view path) {
    return access_at(boundary, *boundary.grant_for(at(path)), at(path));
  };
  EXPECT_EQ(access("/w/p/x"), Access::Read);
  EXPECT_EQ(access("/w/q"), Access::Write);
  EXPECT_EQ(access("/w/s/p"), Access::None);
}

}  // namespace
}  // namespace pale
