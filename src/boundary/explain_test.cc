#include "boundary/explain.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <map>

#include "boundary/rule.h"
#include "support/boundary_generators.h"

namespace pale {
namespace {

using enum Outcome;

Path at(std::string_view text) { return Path::literal(text); }
Grant grant(std::string_view path, Access access) { return {at(path), access, at(path), "test"}; }

// A project with most there is: hidden, read-only and writable places in it, protections, the system beside it.
Boundary project() {
  BoundaryParts parts;
  parts.workspace = parts.home = at("/home/u/w");
  parts.grants = {grant("/usr", Access::Read), grant("/home/u/w", Access::Write),
                  grant("/home/u/w/secret", Access::None), grant("/home/u/w/docs/api", Access::Read),
                  grant("/home/u/w/docs/api/gen", Access::Write)};
  parts.protections = {{at("/home/u/w/.git/hooks"), Match::Exact, "always"},
                       {at("/home/u/w/.claude/settings*.json"), Match::Glob, "always"}};
  return *Boundary::make(std::move(parts));
}

struct Outcomes {
  Outcome read, write, create, remove, rename, chmod, execute;
  bool operator==(const Outcomes&) const = default;
};

void PrintTo(const Outcomes& all, std::ostream* out) {
  for (const Outcome each : {all.read, all.write, all.create, all.remove, all.rename, all.chmod, all.execute}) {
    *out << to_text(each) << ", ";
  }
}

Outcomes at_path(const Boundary& boundary, std::string_view path) {
  const auto outcome = [&](Operation operation) { return explain(boundary, at(path), operation).outcome; };
  return {outcome(Operation::Read),   outcome(Operation::Write), outcome(Operation::Create), outcome(Operation::Remove),
          outcome(Operation::Rename), outcome(Operation::Chmod), outcome(Operation::Execute)};
}

// clang-format off
//                              read      write     create    remove    rename    chmod     execute
constexpr Outcomes kFree =     {Allowed,  Allowed,  Allowed,  Allowed,  Allowed,  Allowed,  Allowed};
constexpr Outcomes kPinned =   {Allowed,  Allowed,  Allowed,  ReadOnly, ReadOnly, Allowed,  Allowed};
constexpr Outcomes kReadOnly = {Allowed,  ReadOnly, ReadOnly, ReadOnly, ReadOnly, ReadOnly, Allowed};
constexpr Outcomes kDevice =   {Allowed,  Allowed,  ReadOnly, ReadOnly, ReadOnly, ReadOnly, Allowed};
constexpr Outcomes kMasked =   {Denied,   Denied,   Denied,   Denied,   Denied,   ReadOnly, Denied};
constexpr Outcomes kBehind =   {Denied,   Denied,   Denied,   Denied,   Denied,   Denied,   Denied};
constexpr Outcomes kAbsent =   {NotFound, NotFound, NotFound, NotFound, NotFound, NotFound, NotFound};
constexpr Outcomes kNoName =   {NotFound, NotFound, ReadOnly, NotFound, NotFound, NotFound, NotFound};
// clang-format on

TEST(Explain, EveryKindOfPlaceAnswersEveryOperation) {
  const Boundary boundary = project();
  const std::map<std::string_view, Outcomes> expected = {
      {"/", kReadOnly},  // passages
      {"/home", kReadOnly},
      {"/home/u", kReadOnly},
      {"/etc", kNoName},  // outside, in a directory that exists
      {"/home/u/web", kNoName},
      {"/etc/passwd", kAbsent},  // outside, with nothing above it
      {"/usr", kReadOnly},
      {"/usr/bin/env", kReadOnly},
      {"/home/u/w", kPinned},  // a mount point
      {"/home/u/w/src/x.cc", kFree},
      {"/home/u/w/secret", kMasked},
      {"/home/u/w/secret/key", kBehind},
      {"/home/u/w/secrets", kFree},
      {"/home/u/w/docs", kPinned},  // above a grant
      {"/home/u/w/docs/x", kFree},
      {"/home/u/w/docs/api", kReadOnly},
      {"/home/u/w/docs/api/gen", kPinned},
      {"/home/u/w/docs/api/gen/x", kFree},
      {"/home/u/w/.git", kPinned},  // above a protection
      {"/home/u/w/.gitignore", kFree},
      {"/home/u/w/.git/hooks", kReadOnly},
      {"/home/u/w/.git/hooks/pre-commit", kReadOnly},
      {"/home/u/w/.git/config", kFree},
      {"/home/u/w/.claude", kPinned},
      {"/home/u/w/.claude/settings.local.json", kReadOnly},
      {"/home/u/w/.claude/commands", kFree},
      {"/tmp", kPinned},  // fixtures
      {"/tmp/x", kFree},
      {"/proc/1", kReadOnly},
      {"/dev/null", kDevice},
      {"/dev/shm", kPinned},
      {"/dev/shm/x", kFree},
  };
  for (const auto& [path, outcomes] : expected) EXPECT_EQ(at_path(boundary, path), outcomes) << path;
}

TEST(Explain, TheWayToAGrantInAPrivateDirectoryIsHeld) {
  BoundaryParts parts;
  parts.workspace = parts.home = at("/tmp/a/w");
  parts.grants = {{at("/tmp/a/w"), Access::Write, at("/tmp/a/w"), "test"}};
  const Boundary boundary = *Boundary::make(std::move(parts));
  EXPECT_EQ(at_path(boundary, "/tmp/a"), kPinned);
  EXPECT_EQ(at_path(boundary, "/tmp/a/w"), kPinned);
  EXPECT_EQ(at_path(boundary, "/tmp/a/other"), kFree);
}

TEST(Explain, NamesTheRuleThatDecidesAndWhereItCameFrom) {
  const Boundary boundary = project();
  const auto rule = [&](std::string_view path, Operation operation) {
    const Verdict verdict = explain(boundary, at(path), operation);
    return verdict.rule + " | " + verdict.origin;
  };
  EXPECT_EQ(rule("/home/u/w/.git/hooks/x", Operation::Write), "protected /home/u/w/.git/hooks | always");
  EXPECT_EQ(rule("/home/u/w/.git", Operation::Rename), "protected /home/u/w/.git/hooks | always");
  EXPECT_EQ(rule("/home/u/w/.git", Operation::Write), "write /home/u/w | test");
  EXPECT_EQ(rule("/home/u/w/docs", Operation::Remove), "read /home/u/w/docs/api | test");
  EXPECT_EQ(rule("/home/u/w", Operation::Remove), "write /home/u/w | test");
  EXPECT_EQ(rule("/home/u/w/secret/x", Operation::Read), "hidden /home/u/w/secret | test");
  EXPECT_EQ(rule("/tmp", Operation::Write), "fixture /tmp | fixture");
  EXPECT_EQ(rule("/etc/passwd", Operation::Read), "outside: nothing grants it | default");
}

TEST(Explain, WhatMayNotBeRemovedCanBeWritten) {
  BoundaryParts parts;
  parts.workspace = parts.home = at("/w");
  parts.grants = {{at("/w"), Access::Write, at("/w"), "zone", {}, Removal::Denied}};
  const Boundary boundary = *Boundary::make(std::move(parts));
  for (const Operation operation : {Operation::Write, Operation::Create, Operation::Chmod})
    EXPECT_TRUE(explain(boundary, at("/w/file"), operation).allowed()) << to_text(operation);
  for (const Operation operation : {Operation::Remove, Operation::Rename}) {
    const Verdict verdict = explain(boundary, at("/w/file"), operation);
    EXPECT_EQ(verdict.outcome, Outcome::Denied);
    EXPECT_EQ(verdict.rule, "write /w, removing and renaming nothing");
  }
}

TEST(Explain, AProtectionHoldsAgainstAWritableGrantBeneathIt) {
  BoundaryParts parts = project().parts();
  parts.grants.push_back(grant("/home/u/w/.git/hooks/mine", Access::Write));
  EXPECT_EQ(at_path(*Boundary::make(parts), "/home/u/w/.git/hooks/mine/x"), kReadOnly);
}

RC_GTEST_PROP(ExplainProperty, WhatMayBeChangedMayBeReadAndWhatIsReadCanBeReached, ()) {
  const Boundary boundary = *testing::boundary();
  for (const Path& path : testing::paths_that_matter({boundary})) {
    const bool readable = explain(boundary, path, Operation::Read).allowed();
    for (const Operation operation : kOperations) {
      if (explain(boundary, path, operation).allowed()) RC_ASSERT(readable);
    }
    if (readable) RC_ASSERT(explain(boundary, path.parent(), Operation::Execute).allowed());
  }
}

bool is_writable(const Boundary& boundary, const Path& path) {
  const Standing standing = standing_at(boundary, path);
  if (standing.ground == Ground::Fixture) return standing.fixture->access == Access::Write;
  return standing.ground == Ground::Grant && standing.grant->access == Access::Write &&
         std::none_of(boundary.protections().begin(), boundary.protections().end(),
                      [&](const Protection& each) { return each.covers(path); });
}

RC_GTEST_PROP(ExplainProperty, NothingIsChangedInPlacesThatAreNotWritable, ()) {
  const Boundary boundary = *testing::boundary();
  for (const Path& path : testing::paths_that_matter({boundary})) {
    const bool writable = is_writable(boundary, path);
    for (const Operation operation : {Operation::Write, Operation::Create, Operation::Chmod}) {
      RC_ASSERT(explain(boundary, path, operation).allowed() == writable);
    }
    if (!writable) RC_ASSERT(!explain(boundary, path, Operation::Remove).allowed());
  }
}

// Moving a directory moves all in it: if it may be moved, everything in it must be free.
RC_GTEST_PROP(ExplainProperty, WhatMayBeMovedHoldsNothingThatMayNot, ()) {
  const Boundary boundary = *testing::boundary();
  const auto paths = testing::paths_that_matter({boundary});
  for (const Path& path : paths) {
    if (explain(boundary, path, Operation::Rename).outcome != Allowed) continue;
    for (const Path& beneath : paths) {
      if (path.covers(beneath)) RC_ASSERT(explain(boundary, beneath, Operation::Rename).allowed());
    }
  }
}

}  // namespace
}  // namespace pale
