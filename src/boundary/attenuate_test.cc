#include "boundary/attenuate.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "boundary/explain.h"
#include "boundary/rule.h"
#include "support/boundary_generators.h"

namespace pale {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Path at(std::string_view text) { return Path::literal(text); }
Grant grant(std::string_view path, Access access, std::string_view source) {
  return {at(path), access, at(source), "test"};
}
Grant grant(std::string_view path, Access access) { return grant(path, access, path); }

BoundaryParts parts_of(std::vector<Grant> grants, std::vector<Protection> protections = {}) {
  BoundaryParts parts;
  parts.workspace = parts.home = grants.front().path;
  parts.grants = std::move(grants);
  parts.protections = std::move(protections);
  return parts;
}

Boundary made(const BoundaryParts& parts) { return *Boundary::make(parts); }

// The parent most tests ask: a project with a closed, a read-only, a foreign and a protected place.
Boundary parent() {
  return made(parts_of({grant("/w", Access::Write), grant("/w/docs", Access::Read), grant("/w/secret", Access::None),
                        grant("/w/data", Access::Write, "/srv/data")},
                       {{at("/w/.git/hooks"), Match::Exact, "always"}, {at("/w/cfg/set*"), Match::Glob, "always"}}));
}

std::string refusal(const Boundary& above, const Boundary& request) {
  const auto child = attenuate(above, request);
  EXPECT_FALSE(child.has_value());
  if (child) return {};
  EXPECT_EQ(child.error().kind, ErrorKind::Refused);
  EXPECT_FALSE(child.error().hint.empty());
  return child.error().sentence();
}
std::string refusal(std::vector<Grant> grants) { return refusal(parent(), made(parts_of(std::move(grants)))); }

TEST(Attenuate, RestrictionsInsideTheRequestAreCarriedOver) {
  const auto child = attenuate(parent(), made(parts_of({grant("/w", Access::Read)})));
  ASSERT_TRUE(child.has_value());
  EXPECT_THAT(child->grants(), ElementsAre(grant("/w", Access::Read), grant("/w/data", Access::Read, "/srv/data"),
                                           grant("/w/docs", Access::Read), grant("/w/secret", Access::None)));
  EXPECT_EQ(child->protections(), parent().protections());
}

TEST(Attenuate, HidingAFolderHidesWhatTheParentHasFromElsewhereInIt) {
  const Boundary above = made(parts_of({grant("/w", Access::Write), grant("/w/s/data", Access::Write, "/srv/data")}));
  const Boundary request = made(parts_of({grant("/w", Access::Write), grant("/w/s", Access::None)}));
  EXPECT_EQ(attenuate(above, request), request);
}

TEST(Attenuate, WhatWasNotAskedForIsNotGiven) {
  const auto child = attenuate(parent(), made(parts_of({grant("/w/src", Access::Write)})));
  ASSERT_TRUE(child.has_value());
  EXPECT_THAT(child->grants(), ElementsAre(grant("/w/src", Access::Write)));
  EXPECT_THAT(child->protections(), ElementsAre());
}

TEST(Attenuate, MoreAccessThanTheParentHasIsRefusedWithBothRules) {
  EXPECT_EQ(refusal({grant("/w/docs/x", Access::Write)}),
            "the parent boundary does not allow write /w/docs/x (test); there it has read /w/docs (test)");
  EXPECT_THAT(refusal({grant("/w/secret/key", Access::Read)}), HasSubstr("hidden /w/secret"));
  EXPECT_THAT(refusal({grant("/etc", Access::Read)}), HasSubstr("outside: nothing grants it"));
  EXPECT_THAT(refusal({grant("/", Access::None)}), HasSubstr("on the way to write /w"));
}

TEST(Attenuate, WhatMayNotBeRemovedMayNotBeRemovedByAChild) {
  Grant held = grant("/w", Access::Write);
  held.removal = Removal::Denied;
  const Boundary above = made(parts_of({held}));
  EXPECT_EQ(refusal(above, made(parts_of({grant("/w/src", Access::Write)}))),
            "the parent boundary does not allow write /w/src (test); there it has write /w, removing and renaming "
            "nothing (test)");
  Grant below = grant("/w/src", Access::Write);
  below.removal = Removal::Denied;
  EXPECT_EQ(attenuate(above, made(parts_of({below}))), made(parts_of({below})));
  EXPECT_TRUE(attenuate(above, made(parts_of({grant("/w/src", Access::Read)}))));
  // At a second place as well.
  const auto wider = with_alias(above, at("/w/src"), at("/src"));
  ASSERT_TRUE(wider);
  EXPECT_EQ(wider->grant_for(at("/src"))->removal, Removal::Denied);
  // And what a child asks of itself is kept in what its parent has within.
  const auto child = attenuate(made(parts_of({grant("/w", Access::Write), grant("/w/in", Access::Write, "/in")})),
                               made(parts_of({held})));
  ASSERT_TRUE(child);
  EXPECT_EQ(child->grant_for(at("/w/in"))->removal, Removal::Denied);
}

TEST(Attenuate, WritingOnOrUnderAProtectedPathIsRefused) {
  EXPECT_THAT(refusal({grant("/w/.git/hooks", Access::Write)}), HasSubstr("protected /w/.git/hooks (always)"));
  EXPECT_THAT(refusal({grant("/w/.git/hooks/x", Access::Write)}), HasSubstr("protected /w/.git/hooks (always)"));
  EXPECT_THAT(refusal({grant("/w/cfg/settings", Access::Write)}), HasSubstr("protected /w/cfg/set* (always)"));
  EXPECT_TRUE(attenuate(parent(), made(parts_of({grant("/w/.git/hooks", Access::Read)}))).has_value());
}

TEST(Attenuate, AskingToWriteWhatIsReadableIsRefusedEvenIfTheRequestProtectsIt) {
  const auto parts = parts_of({grant("/w/docs", Access::Write)}, {{at("/w/docs"), Match::Exact, "me"}});
  EXPECT_THAT(refusal(parent(), made(parts)), HasSubstr("write /w/docs (test); there it has read /w/docs (test)"));
}

TEST(Attenuate, AnotherSourceIsRefusedEvenForSomethingHidden) {
  EXPECT_THAT(refusal({grant("/w/src", Access::Read, "/etc")}),
              HasSubstr("from /etc; there it has write /w (test) from /w/src"));
  EXPECT_THAT(refusal({grant("/w/data/x", Access::Read)}), HasSubstr("from /srv/data/x"));
  EXPECT_THAT(refusal({grant("/w/src", Access::None, "/etc")}), HasSubstr("from /etc"));
  EXPECT_TRUE(attenuate(parent(), made(parts_of({grant("/w/data/x", Access::Write, "/srv/data/x")}))).has_value());
}

TEST(Attenuate, TheHostBehindAFixtureOfTheParentIsRefused) {
  const Boundary all = made(parts_of({grant("/", Access::Write)}));
  EXPECT_THAT(refusal(all, made(parts_of({grant("/tmp/x", Access::Read)}))), HasSubstr("there it has fixture /tmp"));
}

TEST(Attenuate, ADirectoryTheParentHidesDoesNotReappearAsAPassage) {
  EXPECT_THAT(refusal({grant("/w/src", Access::Read), grant("/w/secret/key", Access::None)}),
              HasSubstr("hidden /w/secret"));
}

TEST(Attenuate, OpenNetworkNeedsAnOpenParent) {
  auto parts = parts_of({grant("/w/src", Access::Read)});
  parts.network = Network::Open;
  EXPECT_THAT(refusal(parent(), made(parts)), HasSubstr("network open; there it has network none"));
}

TEST(Attenuate, AHostMustBeOnTheListOfTheParent) {
  auto parts = parts_of({grant("/w", Access::Read)});
  parts.network = Network::Allow;
  parts.hosts = {*parse_host_rule("*.example.org", "test")};
  parts.credentials = {{"model", "api.example.org", 443, 912}};
  const Boundary above = made(parts);
  parts.hosts = {*parse_host_rule("a.example.org:443", "worker")};
  EXPECT_TRUE(attenuate(above, made(parts)));
  parts.hosts = {*parse_host_rule("example.org", "worker")};
  EXPECT_THAT(refusal(above, made(parts)), HasSubstr("network to example.org (worker); there it has network allow"));
  parts.hosts.clear();
  parts.credentials.front().host = "example.org";
  EXPECT_THAT(refusal(above, made(parts)), HasSubstr("the credential model for example.org"));
}

TEST(Attenuate, TheSmallerLimitCountsAndAMissingOneIsTheParents) {
  auto parts = parent().parts();
  parts.limits = {100, 10, {}};
  auto request = parts_of({grant("/w", Access::Read)});
  request.limits = {200, {}, 5};
  EXPECT_EQ(attenuate(made(parts), made(request))->limits(), (Limits{100, 10, 5}));
}

TEST(Attenuate, AVariableMustBeTheParentsAndItsValueIsNotTold) {
  auto parts = parent().parts();
  parts.environment = {{"TOKEN", "hunter2", "user"}, {"LANG", "C", "user"}};
  auto request = parts_of({grant("/w", Access::Read)});
  request.environment = {{"TOKEN", "other", "me"}};
  EXPECT_THAT(refusal(made(parts), made(request)),
              ::testing::AllOf(HasSubstr("TOKEN"), ::testing::Not(HasSubstr("hunter2"))));
  request.environment = {{"EDITOR", "vi", "me"}};
  EXPECT_THAT(refusal(made(parts), made(request)), HasSubstr("EDITOR (me); there it has no such variable"));
  request.environment = {{"LANG", "C", "me"}};
  EXPECT_EQ(attenuate(made(parts), made(request))->environment(), request.environment);
}

TEST(CheckWithin, AProtectionMayBeReplacedByAWiderOneOrByReadOnlyButNotDropped) {
  const auto within = [](std::vector<Grant> grants, std::vector<Protection> protections) {
    const Boundary above = made(parts_of({grant("/w", Access::Write)}, {{at("/w/c/set*"), Match::Glob, "always"}}));
    return check_within(above, made(parts_of(std::move(grants), std::move(protections)))).has_value();
  };
  const Grant write = grant("/w", Access::Write);
  EXPECT_TRUE(within({write}, {{at("/w/c"), Match::Exact, ""}}));
  EXPECT_TRUE(within({write}, {{at("/w/c/*"), Match::Glob, ""}}));
  EXPECT_TRUE(within({write, grant("/w/c", Access::Read)}, {}));
  EXPECT_FALSE(within({write}, {}));
  EXPECT_FALSE(within({write}, {{at("/w/c/set*"), Match::Exact, ""}}));  // a file of that name, not a pattern
  EXPECT_FALSE(within({write, grant("/w/c/set*", Access::Read)}, {}));
  EXPECT_FALSE(within({write}, {{at("/w/c/settings"), Match::Exact, ""}}));
}

TEST(CheckWithin, ALimitOfTheParentMustBeThere) {
  auto parts = parent().parts();
  parts.limits.pids = 3;
  const auto status = check_within(made(parts), parent());
  ASSERT_FALSE(status.has_value());
  EXPECT_THAT(status.error().sentence(), HasSubstr("unlimited pids; there it has pids 3"));
}

// Fixtures are private to each sandbox: a parent that laid something over its own takes nothing from its child's.
bool takes_nothing(const Boundary& parent, const Boundary& child, const Path& path, Operation operation) {
  if (!explain(child, path, operation).allowed() || standing_at(child, path).ground == Ground::Fixture) return true;
  return explain(parent, path, operation).allowed();
}

Boundary granted(const Result<Boundary>& result) {
  if (!result) RC_FAIL(result.error().sentence());
  return *result;
}

RC_GTEST_PROP(AttenuateProperty, NeverGrowsAnything, ()) {
  const Boundary parent = *testing::boundary();
  const Boundary request = *testing::request(parent);
  const auto child = attenuate(parent, request);
  RC_PRE(child.has_value());
  RC_ASSERT(check_within(parent, *child).has_value());
  for (const Path& path : testing::paths_that_matter({parent, request, *child})) {
    for (const Operation operation : kOperations) RC_ASSERT(takes_nothing(parent, *child, path, operation));
  }
}

RC_GTEST_PROP(AttenuateProperty, GivesWhatWasAskedForWhereTheParentIsNotNarrower, ()) {
  const Boundary parent = *testing::boundary();
  const Boundary request = *testing::request(parent);
  const auto child = attenuate(parent, request);
  RC_PRE(child.has_value());
  for (const Path& path : testing::paths_that_matter({parent, request})) {
    for (const Operation operation : {Operation::Read, Operation::Write, Operation::Create, Operation::Execute}) {
      if (standing_at(request, path).ground != Ground::Grant || !explain(request, path, operation).allowed()) continue;
      RC_ASSERT(explain(*child, path, operation).allowed() == explain(parent, path, operation).allowed());
    }
  }
}

RC_GTEST_PROP(AttenuateProperty, ABoundaryIsWithinItselfAndAttenuatedByItselfUnchanged, ()) {
  const Boundary boundary = *testing::boundary();
  RC_ASSERT(check_within(boundary, boundary).has_value());
  RC_ASSERT(granted(attenuate(boundary, boundary)) == boundary);
}

RC_GTEST_PROP(AttenuateProperty, AskingAgainForWhatWasGivenGivesTheSame, ()) {
  const Boundary parent = *testing::boundary();
  const auto child = attenuate(parent, *testing::request(parent));
  RC_PRE(child.has_value());
  RC_ASSERT(granted(attenuate(parent, *child)) == *child);
}

RC_GTEST_PROP(AttenuateProperty, TheOrderOfTwoStepsDoesNotMatter, ()) {
  const Boundary first = *testing::boundary();
  const Boundary second = *testing::request(first);
  const Boundary third = *testing::request(second);
  const auto above = attenuate(first, second);
  const auto below = attenuate(second, third);
  RC_PRE(above.has_value() && below.has_value());
  const auto left = attenuate(*above, third);
  const auto right = attenuate(first, *below);
  RC_PRE(left.has_value() && right.has_value());
  RC_ASSERT(*left == *right);
}

// Not only what attenuate() made. What may be moved is left out: the parent may have a mount point where the child has,
// of the same files, none.
RC_GTEST_PROP(CheckWithinProperty, WhatItAcceptsTakesNothing, ()) {
  const Boundary parent = *testing::boundary();
  const Boundary child = *testing::request(parent);
  if (!check_within(parent, child)) return;
  for (const Path& path : testing::paths_that_matter({parent, child})) {
    for (const Operation operation : kOperations) {
      if (operation == Operation::Remove || operation == Operation::Rename) continue;
      RC_ASSERT(takes_nothing(parent, child, path, operation));
    }
  }
}

// --- a second place ---------------------------------------------------------------------------------------------------

TEST(WithAlias, ShowsAFolderAsItIsWhereItStandsAlready) {
  const auto wider = with_alias(parent(), at("/w"), at("/second"));
  ASSERT_TRUE(wider.has_value());
  EXPECT_EQ(wider->grant_for(at("/second/file"))->source, at("/w"));
  EXPECT_EQ(wider->grant_for(at("/second/docs/x"))->access, Access::Read);
  EXPECT_EQ(wider->grant_for(at("/second/secret"))->access, Access::None);
  EXPECT_EQ(wider->grant_for(at("/second/data"))->source, at("/srv/data"));
  EXPECT_NE(wider->protection_for(at("/second/.git/hooks/pre-commit")), nullptr);
  EXPECT_NE(wider->protection_for(at("/second/cfg/settings")), nullptr);
}

TEST(WithAlias, APartOfItIsFoundByWhatItIsOnTheHost) {
  const auto wider = with_alias(parent(), at("/srv/data/deep"), at("/deep"));
  ASSERT_TRUE(wider.has_value());
  EXPECT_EQ(*wider->grant_for(at("/deep")), grant("/deep", Access::Write, "/srv/data/deep"));
}

TEST(WithAlias, WhatIsReadOnlyThereIsSoAtTheSecondPlace) {
  EXPECT_EQ(with_alias(parent(), at("/w/docs/a"), at("/a"))->grant_for(at("/a"))->access, Access::Read);
  EXPECT_EQ(with_alias(parent(), at("/w/.git/hooks"), at("/a"))->grant_for(at("/a"))->access, Access::Read);
}

TEST(WithAlias, TakesThePlaceOfWhatStoodThere) {
  const auto wider = with_alias(parent(), at("/w/docs"), at("/w/data"));
  ASSERT_TRUE(wider.has_value());
  EXPECT_EQ(*wider->grant_for(at("/w/data/x")), grant("/w/data", Access::Read, "/w/docs"));
}

TEST(WithAlias, WhatIsNotShownIsRefused) {
  EXPECT_FALSE(with_alias(parent(), at("/srv"), at("/a")));
  EXPECT_FALSE(with_alias(parent(), at("/elsewhere"), at("/a")));
  // On the host it lies there; inside, something else stands in its place.
  EXPECT_FALSE(with_alias(parent(), at("/w/data"), at("/a")));
}

TEST(WithAlias, AChildOfTheWiderIsNoMoreThanTheParent) {
  const auto wider = with_alias(parent(), at("/srv/data"), at("/zone"));
  ASSERT_TRUE(wider.has_value());
  const auto child = attenuate(*wider, made(parts_of({grant("/zone", Access::Write, "/srv/data")})));
  ASSERT_TRUE(child.has_value());
  EXPECT_FALSE(attenuate(*wider, made(parts_of({grant("/zone", Access::Write, "/srv")}))));
}

}  // namespace
}  // namespace pale
