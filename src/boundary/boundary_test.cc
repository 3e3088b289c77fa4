#include "boundary/boundary.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "support/boundary_generators.h"

namespace pale {
namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Path at(std::string_view text) { return Path::literal(text); }
Grant grant(std::string_view path, Access access) { return {at(path), access, at(path), "test"}; }

BoundaryParts workspace_parts() {
  BoundaryParts parts;
  parts.workspace = parts.home = at("/w");
  parts.grants = {grant("/w", Access::Write)};
  return parts;
}

Error refusal(BoundaryParts parts) {
  auto made = Boundary::make(std::move(parts));
  EXPECT_FALSE(made.has_value());
  return made ? Error{} : made.error();
}

TEST(Boundary, OrdersParentsBeforeChildren) {
  auto parts = workspace_parts();
  parts.grants = {grant("/w/b/c", Access::Read), grant("/w", Access::Write), grant("/w/b", Access::Write),
                  grant("/usr", Access::Read)};
  const auto boundary = Boundary::make(parts);
  EXPECT_THAT(boundary->grants(), ElementsAre(Field(&Grant::path, at("/usr")), Field(&Grant::path, at("/w")),
                                              Field(&Grant::path, at("/w/b")), Field(&Grant::path, at("/w/b/c"))));
}

TEST(Boundary, TheLaterOfTwoGrantsForOnePathCounts) {
  auto parts = workspace_parts();
  parts.grants = {grant("/w", Access::Write), grant("/w", Access::Read)};
  EXPECT_THAT(Boundary::make(parts)->grants(), ElementsAre(grant("/w", Access::Read)));
}

TEST(Boundary, TheLaterOfTwoVariablesOfOneNameCountsAndTheyAreOrdered) {
  auto parts = workspace_parts();
  parts.environment = {{"PATH", "/bin", "a"}, {"LANG", "C", "a"}, {"PATH", "/usr/bin", "b"}};
  EXPECT_THAT(Boundary::make(parts)->environment(),
              ElementsAre(Variable{"LANG", "C", "a"}, Variable{"PATH", "/usr/bin", "b"}));
}

TEST(Boundary, AProtectionSaidTwiceIsKeptOnce) {
  auto parts = workspace_parts();
  parts.protections = {
      {at("/w/x"), Match::Exact, "first"}, {at("/w/x"), Match::Exact, "second"}, {at("/w/x"), Match::Glob, "third"}};
  EXPECT_THAT(Boundary::make(parts)->protections(),
              ElementsAre(Protection{at("/w/x"), Match::Exact, "first"}, Protection{at("/w/x"), Match::Glob, "third"}));
}

TEST(Boundary, RelativePathsAreRefusedByRole) {
  const auto with = [](auto change) {
    auto parts = workspace_parts();
    change(parts);
    return refusal(parts).sentence();
  };
  EXPECT_THAT(with([](auto& parts) { parts.workspace = at("w"); }), HasSubstr("the workspace, not w"));
  EXPECT_THAT(with([](auto& parts) { parts.home = at("w"); }), HasSubstr("the home, not w"));
  EXPECT_THAT(with([](auto& parts) { parts.grants[0].path = at("w"); }), HasSubstr("a grant, not w"));
  EXPECT_THAT(with([](auto& parts) { parts.grants[0].source = at("w"); }), HasSubstr("source of a grant, not w"));
  const Protection relative{at("w"), Match::Exact, ""};
  EXPECT_THAT(with([&](auto& parts) { parts.protections = {relative}; }), HasSubstr("a protection, not w"));
}

TEST(Boundary, WhatNothingGrantsCannotBeWorkspaceHomeOrProtected) {
  auto parts = workspace_parts();
  parts.workspace = at("/workspace");  // A prefix of its text is granted, not of its names.
  EXPECT_EQ(refusal(parts).sentence(), "nothing grants the workspace /workspace");
  parts = workspace_parts();
  parts.home = at("/");
  EXPECT_EQ(refusal(parts).sentence(), "nothing grants the home /");
  parts = workspace_parts();
  parts.protections = {{at("/wx"), Match::Exact, ""}};
  const Error error = refusal(parts);
  EXPECT_EQ(error.sentence(), "cannot protect what nothing grants: /wx");
  EXPECT_EQ(error.kind, ErrorKind::Usage);
  EXPECT_THAT(error.hint, Not(IsEmpty()));
}

TEST(Boundary, BadVariablesAreRefused) {
  const std::string nul("\0", 1);
  const Variable bad[] = {{"", "v", ""}, {"A=B", "v", ""}, {"A" + nul, "v", ""}, {"A", "v" + nul, ""}};
  for (const Variable& variable : bad) {
    auto parts = workspace_parts();
    parts.environment = {variable};
    EXPECT_EQ(refusal(parts).kind, ErrorKind::Usage);
  }
}

TEST(Boundary, AGrantBeneathAHiddenPathIsRefusedAndHidingThereAgainIsDropped) {
  auto parts = workspace_parts();
  parts.grants = {grant("/w/s/keys", Access::None), grant("/w/s", Access::None), grant("/w", Access::Write)};
  EXPECT_THAT(Boundary::make(parts)->grants(), ElementsAre(grant("/w", Access::Write), grant("/w/s", Access::None)));
  parts.grants.push_back(grant("/w/s/public", Access::Read));
  EXPECT_THAT(refusal(parts).sentence(), HasSubstr("cannot grant read /w/s/public: /w/s above it is hidden"));
}

TEST(Boundary, AProtectionCountsOnlyInsideSomethingWritable) {
  auto parts = workspace_parts();
  parts.grants.push_back(grant("/w/ro", Access::Read));
  parts.protections = {{at("/w/ro/x"), Match::Exact, ""}, {at("/w/x"), Match::Exact, ""}};
  const auto boundary = Boundary::make(parts);
  EXPECT_EQ(boundary->protection_for(at("/w/ro/x")), nullptr);
  EXPECT_EQ(boundary->protection_for(at("/w/xy")), nullptr);
  EXPECT_EQ(boundary->protection_for(at("/w/x/y"))->path, at("/w/x"));
}

TEST(Protection, APatternStandsForOneWholeName) {
  const Protection settings{at("/w/.claude/settings*.json"), Match::Glob, ""};
  EXPECT_TRUE(settings.covers(at("/w/.claude/settings.json")));
  EXPECT_TRUE(settings.covers(at("/w/.claude/settings.local.json/beneath")));
  EXPECT_FALSE(settings.covers(at("/w/.claude/settings/a.json")));
  EXPECT_FALSE(settings.covers(at("/w/.claude")));
  EXPECT_FALSE(settings.covers(at("/w/.claudesettings.json")));
  EXPECT_FALSE((Protection{at("/w/lib*"), Match::Exact, ""}.covers(at("/w/library"))));
  EXPECT_FALSE((Protection{at("/*"), Match::Glob, ""}.covers(at("/"))));
}

TEST(Protection, HoldsTheDirectoriesAboveItButNotItself) {
  const Protection hooks{at("/w/.git/hooks"), Match::Exact, ""};
  EXPECT_TRUE(hooks.is_below(at("/w/.git")));
  EXPECT_TRUE(hooks.is_below(at("/w")));
  EXPECT_FALSE(hooks.is_below(at("/w/.git/hooks")));
  EXPECT_FALSE(hooks.is_below(at("/w/.gitignore")));
}

RC_GTEST_PROP(BoundaryProperty, TheNearestGrantIsTheDeepestThatCovers, ()) {
  const Boundary boundary = *testing::boundary();
  for (const Path& path : testing::paths_that_matter({boundary})) {
    const Grant* deepest = nullptr;
    for (const Grant& each : boundary.grants()) {
      if (each.covers(path) && (deepest == nullptr || each.path.depth() > deepest->path.depth())) deepest = &each;
    }
    RC_ASSERT(boundary.grant_for(path) == deepest);
  }
}

RC_GTEST_PROP(BoundaryProperty, MakingItAgainFromItsPartsChangesNothing, ()) {
  const Boundary boundary = *testing::boundary();
  BoundaryParts parts = boundary.parts();
  std::reverse(parts.grants.begin(), parts.grants.end());
  std::reverse(parts.protections.begin(), parts.protections.end());
  std::reverse(parts.environment.begin(), parts.environment.end());
  RC_ASSERT(testing::made(parts) == boundary);
}

RC_GTEST_PROP(BoundaryProperty, OnePatternCoversWhatItsNameMatches, ()) {
  const Protection protection = testing::any_protection(at("/w"));
  const Path path = *testing::path();
  const auto wanted = protection.path.components();
  const auto names = path.components();
  bool covered = names.size() >= wanted.size();
  for (std::size_t i = 0; covered && i < wanted.size(); ++i) {
    const bool pattern = protection.match == Match::Glob && i + 1 == wanted.size();
    covered = pattern ? name_matches(wanted[i], names[i]) : wanted[i] == names[i];
  }
  RC_ASSERT(protection.covers(path) == covered);
}

}  // namespace
}  // namespace pale
