#include "scope/file_scope.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace pale::scope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

FileScope scope(std::vector<std::string> patterns) {
  auto parsed = FileScope::parse(patterns);
  EXPECT_TRUE(parsed.has_value()) << (parsed ? "" : parsed.error().sentence());
  return parsed ? std::move(*parsed) : FileScope();
}

TEST(FileScope, PatternsAreAboutPathsFromTheRoot) {
  const FileScope ts = scope({"lib/**/*.ts"});
  EXPECT_TRUE(ts.allows("lib/a.ts"));
  EXPECT_TRUE(ts.allows("lib/deep/er/a.ts"));
  EXPECT_FALSE(ts.allows("library/a.ts"));
  EXPECT_FALSE(ts.allows("lib/a.js"));
  EXPECT_FALSE(ts.allows("src/lib/a.ts"));
}

TEST(FileScope, ANameIsAFileOrAllOfADirectory) {
  const FileScope plain = scope({"README.md", "./lib/utils/", "/docs"});
  EXPECT_TRUE(plain.allows("README.md"));
  EXPECT_FALSE(plain.allows("lib/README.md"));
  EXPECT_TRUE(plain.allows("lib/utils/x/y"));
  EXPECT_FALSE(plain.allows("lib/utilsx"));
  EXPECT_TRUE(plain.allows("docs/a"));
}

TEST(FileScope, WithoutASlashAPatternIsAboutNamesAnywhere) {
  EXPECT_TRUE(scope({"*.lock"}).allows("a/b/cargo.lock"));
  EXPECT_THAT(scope({"*.lock"}).places(), ElementsAre(""));
}

TEST(FileScope, AnEmptyOneAllowsNothing) {
  EXPECT_FALSE(scope({}).allows("a"));
  EXPECT_THAT(scope({}).places(), IsEmpty());
}

TEST(FileScope, PlacesAreTheLongestLiteralDirectories) {
  EXPECT_THAT(scope({"lib/**/*.ts", "lib/utils/*.js"}).places(), ElementsAre("lib"));
  EXPECT_THAT(scope({"packages/api/**/*.ts", "packages/shared/types/**/*.ts"}).places(),
              ElementsAre("packages/api", "packages/shared/types"));
  EXPECT_THAT(scope({"a/b/c", "a-b/*", "a/*.x"}).places(), ElementsAre("a", "a-b"));
  EXPECT_THAT(scope({"src/[ab]/x", "tests/{a,b}/x"}).places(), ElementsAre("src", "tests"));
  EXPECT_THAT(scope({"lib/**/*.ts", "**/*.md"}).places(), ElementsAre(""));
  EXPECT_THAT(scope({"./lib//x/*.ts"}).places(), ElementsAre("lib/x"));
}

TEST(FileScope, WhatLeadsUpOrIsBrokenIsRefused) {
  for (const char* bad : {"../x", "lib/../../etc/**", "lib/..", "lib/[a", "lib/{a"})
    EXPECT_FALSE(FileScope::parse(std::vector<std::string>{bad}).has_value()) << bad;
  EXPECT_TRUE(FileScope::parse(std::vector<std::string>{"lib/..a/x..", "..."}).has_value());
}

TEST(FileScope, ViolationsAreWhatIsNotAllowed) {
  const std::vector<std::string> changed = {"lib/a.ts", "lib/a.rs", "src/b.ts"};
  EXPECT_THAT(scope({"lib/**/*.ts"}).violations(changed), ElementsAre("lib/a.rs", "src/b.ts"));
  EXPECT_THAT(scope({"lib", "src"}).violations(changed), IsEmpty());
}

// What the kernel keeps is never narrower than what the patterns say.
RC_GTEST_PROP(FileScope, WhatIsAllowedLiesInAPlace, ()) {
  const auto text = [](const char* letters) {
    return rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string(letters))));
  };
  const auto patterns = *rc::gen::container<std::vector<std::string>>(text("ab/*?[]{},\\."));
  const std::string path = *text("ab/");
  const auto parsed = FileScope::parse(patterns);
  if (!parsed || path.starts_with('/') || path.ends_with('/') || path.contains("//")) return;
  if (!parsed->allows(path)) return;
  RC_ASSERT(std::ranges::any_of(parsed->places(), [&](const std::string& place) {
    return place.empty() || path == place || path.starts_with(place + "/");
  }));
}

}  // namespace
}  // namespace pale::scope
