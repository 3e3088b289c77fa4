#include "sandbox/sighting.h"

#include <gmock/gmock.h>

#include "sandbox/recorder.h"
#include "sandbox/sighting_log.h"

namespace pale::sandbox {
namespace {

using Kind = Sighting::Kind;
using Mode = WatchedScope::Mode;

const Path kRoot = Path::literal("/p");

Path at(std::string_view name) { return kRoot / name; }

// The project is writable, or in strict mode its folders are.
Boundary boundary(Mode mode, std::vector<Grant> more = {}) {
  BoundaryParts parts;
  parts.workspace = parts.home = kRoot;
  const bool strict = mode == Mode::Strict;
  parts.grants = {{kRoot, strict ? Access::List : Access::Write, kRoot, "workspace", {}},
                  {Path::literal("/usr"), Access::Read, Path::literal("/usr"), "system", {}}};
  if (strict) parts.grants.push_back({at("lib"), Access::Write, at("lib"), "project.toml:2", {}});
  for (Grant& grant : more) parts.grants.push_back(std::move(grant));
  parts.protections = {{at(".git/hooks"), Match::Exact, "default"}, {at("lib/fixed"), Match::Exact, "--protect"}};
  return *Boundary::make(std::move(parts));
}

WatchedScope scope(Mode mode) {
  WatchedScope scope{mode, {}};
  if (mode != Mode::Whole) scope.folders.push_back(at("lib"));
  return scope;
}

std::optional<Kind> seen(Mode mode, std::string_view name, Act act, Found found = Found::File) {
  const auto sighting = judge(boundary(mode), scope(mode), {at(name), act, found});
  return sighting ? std::optional(sighting->kind) : std::nullopt;
}

constexpr Act kActs[] = {Act::Read,   Act::Write, Act::Create, Act::Remove,
                         Act::Rename, Act::Link,  Act::Chmod,  Act::Execute};

TEST(Judge, EveryAccessOutsideTheFoldersIsToldInEachMode) {
  for (const Act act : kActs) {
    EXPECT_EQ(seen(Mode::Strict, "docs/a", act), Kind::Blocked) << to_text(act);
    EXPECT_EQ(seen(Mode::Permissive, "docs/a", act), Kind::Outside) << to_text(act);
    EXPECT_EQ(seen(Mode::Whole, "docs/a", act), Kind::Used) << to_text(act);
  }
}

TEST(Judge, WhatIsInAFolderIsNobodysBusiness) {
  for (const Act act : kActs) {
    EXPECT_EQ(seen(Mode::Strict, "lib/a", act), std::nullopt) << to_text(act);
    EXPECT_EQ(seen(Mode::Permissive, "lib/a", act), std::nullopt) << to_text(act);
  }
}

TEST(Judge, ANameThatOnlyBeginsLikeAFolderIsOutside) {
  EXPECT_EQ(seen(Mode::Strict, "library/a", Act::Read), Kind::Blocked);
  EXPECT_EQ(seen(Mode::Permissive, "lib.c", Act::Read), Kind::Outside);
}

TEST(Judge, LookingIsNoAccess) {
  for (const Mode mode : {Mode::Strict, Mode::Permissive, Mode::Whole}) {
    EXPECT_EQ(seen(mode, "docs", Act::Read, Found::Directory), std::nullopt);
    EXPECT_EQ(seen(mode, "docs/none", Act::Read, Found::Nothing), std::nullopt);
    EXPECT_EQ(seen(mode, "docs/none", Act::Remove, Found::Nothing), std::nullopt);
    EXPECT_NE(seen(mode, "docs/new", Act::Create, Found::Nothing), std::nullopt);
  }
}

TEST(Judge, WhatIsNotOfTheProjectIsNobodysBusiness) {
  for (const Mode mode : {Mode::Strict, Mode::Permissive, Mode::Whole}) {
    for (const char* path : {"/usr/bin/env", "/etc/passwd", "/proc/self/maps", "/tmp/x", "/px/a"}) {
      const Path elsewhere = Path::literal(path);
      EXPECT_FALSE(judge(boundary(mode), scope(mode), {elsewhere, Act::Read, Found::File})) << path;
      EXPECT_FALSE(is_told(boundary(mode), scope(mode), elsewhere)) << path;
    }
  }
}

TEST(Judge, AnotherRuleIsNamedAsSuch) {
  EXPECT_EQ(seen(Mode::Strict, "lib/fixed", Act::Write), Kind::Denied);
  EXPECT_EQ(seen(Mode::Permissive, "lib/fixed", Act::Write), Kind::Denied);
  EXPECT_EQ(seen(Mode::Whole, "lib/fixed", Act::Write), Kind::Denied);
  EXPECT_EQ(seen(Mode::Permissive, "lib/fixed", Act::Read), std::nullopt);
}

TEST(Judge, GitsDirectoryIsOneThingWithASettingOfItsOwn) {
  EXPECT_EQ(seen(Mode::Permissive, ".git/HEAD", Act::Read), std::nullopt);
  EXPECT_EQ(seen(Mode::Permissive, ".git/index.lock", Act::Create, Found::Nothing), std::nullopt);
  EXPECT_EQ(seen(Mode::Permissive, ".git/hooks/x", Act::Create, Found::Nothing), Kind::Denied);
  const auto blocked = judge(boundary(Mode::Strict), scope(Mode::Strict), {at(".git/HEAD"), Act::Read, Found::File});
  ASSERT_TRUE(blocked);
  EXPECT_EQ(*blocked, (Sighting{Kind::Blocked, Act::Read, "/p/.git"}));
  const auto denied =
      judge(boundary(Mode::Permissive), scope(Mode::Permissive), {at(".git/hooks/x"), Act::Create, Found::Nothing});
  EXPECT_EQ(*denied, (Sighting{Kind::Denied, Act::Create, "/p/.git/hooks/x"})) << "what is protected is named";
  EXPECT_EQ(seen(Mode::Strict, ".git", Act::Remove, Found::Directory), std::nullopt) << "git tries it after each stash";
  EXPECT_EQ(seen(Mode::Strict, "docs/.gitignore", Act::Read), std::nullopt);
  EXPECT_EQ(seen(Mode::Strict, "docs/.gitignore", Act::Write), Kind::Blocked);
}

TEST(Judge, WhatSomebodyGrantedByNameIsNotOutside) {
  for (const Mode mode : {Mode::Strict, Mode::Permissive}) {
    const Boundary more = boundary(mode, {{at("docs"), Access::Read, at("docs"), "--ro", {}}});
    EXPECT_FALSE(judge(more, scope(mode), {at("docs/a"), Act::Read, Found::File}));
    EXPECT_TRUE(judge(more, scope(mode), {at("README"), Act::Read, Found::File}));
    EXPECT_EQ(judge(more, scope(mode), {at("docs/a"), Act::Write, Found::File})->kind, Kind::Denied);
  }
}

TEST(SightingLogMemory, WhatWasAddedIsReadOnceInOrder) {
  auto log = SightingLog::make();
  ASSERT_TRUE(log);
  const Sighting one{Kind::Blocked, Act::Read, "/p/a\n\x1b"}, two{Kind::Reached, Act::Connect, std::string(4096, 'x')};
  EXPECT_FALSE(log->next());
  EXPECT_TRUE(log->add(one, true));
  EXPECT_TRUE(log->add(two, false));
  const auto first = log->next(), second = log->next();
  EXPECT_EQ(first->sighting, one);
  EXPECT_TRUE(first->told);
  EXPECT_EQ(second->sighting, two);
  EXPECT_FALSE(second->told);
  EXPECT_FALSE(log->next());
  EXPECT_FALSE(log->is_full());
}

TEST(SightingLogMemory, HasAnEndAndSaysSo) {
  auto log = SightingLog::make();
  ASSERT_TRUE(log);
  std::size_t kept = 0;
  while (log->add({Kind::Used, Act::Write, std::string(60'000, 'x')}, false)) ++kept;
  EXPECT_GT(kept, 100U);
  EXPECT_TRUE(log->is_full());
  EXPECT_FALSE(log->add({Kind::Used, Act::Write, "/p/small"}, false)) << "what is kept is the beginning";
  std::size_t read = 0;
  while (log->next()) ++read;
  EXPECT_EQ(read, kept);
}

TEST(SeenBeforeNumbers, EachIsNewOnce) {
  SeenBefore seen;
  for (std::uint64_t number = 0; number < 5000; ++number) EXPECT_TRUE(seen.add(number * 256 + 2)) << number;
  for (std::uint64_t number = 0; number < 5000; ++number) EXPECT_FALSE(seen.add(number * 256 + 2)) << number;
  EXPECT_TRUE(seen.add(0));
  EXPECT_FALSE(seen.add(0));
}

}  // namespace
}  // namespace pale::sandbox
