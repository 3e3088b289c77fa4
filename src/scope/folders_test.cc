#include "scope/folders.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include "scope/mode.h"

namespace pale::scope {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> split(std::string_view list) {
  auto names = split_folders(list);
  EXPECT_TRUE(names.has_value()) << list;
  return names ? *names : std::vector<std::string>();
}

Folders folders(std::initializer_list<const char*> names) {
  Folders all{Path::literal("/repo"), {}};
  for (const char* name : names) all.all.push_back({name, Path::literal("/repo") / name});
  return all;
}

std::string around(const Folders& folders, const char* file) {
  const Folder* folder = folders.around(Path::literal(file));
  return folder == nullptr ? "" : folder->name;
}

TEST(ScopeFolders, AreListedWithCommasAndSpaces) {
  EXPECT_THAT(split("lib"), ElementsAre("lib"));
  EXPECT_THAT(split("lib,src,tests"), ElementsAre("lib", "src", "tests"));
  EXPECT_THAT(split("lib, src"), ElementsAre("lib", "src"));
  EXPECT_THAT(split("  lib\t,\n my folder/ "), ElementsAre("lib", "my folder/"));
}

TEST(ScopeFolders, AListThatNamesNothingSomewhereIsRefused) {
  for (const char* list : {"", ",", " ", "lib,", ",lib", "lib,,src", " , "}) {
    const auto names = split_folders(list);
    ASSERT_FALSE(names.has_value()) << list;
    EXPECT_THAT(names.error().sentence(), HasSubstr("a folder without a name"));
    EXPECT_FALSE(names.error().hint.empty());
  }
  EXPECT_FALSE(split_folders(std::string_view("a\0b", 3)).has_value());
}

TEST(ScopeFolders, NamesAreRelativeToTheRoot) {
  const Path root = Path::literal("/repo");
  EXPECT_EQ(*name_below(root, "lib"), "lib");
  EXPECT_EQ(*name_below(root, "lib/"), "lib");
  EXPECT_EQ(*name_below(root, "./packages//api/"), "packages/api");
  EXPECT_EQ(*name_below(root, "/repo/lib"), "lib");
}

TEST(ScopeFolders, OutsideThereAreNone) {
  const Path root = Path::literal("/repo");
  for (const char* name : {".", "/repo", "./", "/", "/repo-evil", "/repo-evil/lib", "/etc", "lib/..", "../repo-evil"})
    EXPECT_FALSE(name_below(root, name).has_value()) << name;
}

TEST(ScopeFolders, AreComparedByWholeNames) {
  const Folders lib = folders({"lib"});
  EXPECT_EQ(around(lib, "/repo/lib/a.ts"), "lib");
  EXPECT_EQ(around(lib, "/repo/lib"), "lib");
  EXPECT_EQ(around(lib, "/repo/library/b.ts"), "");
  EXPECT_EQ(around(lib, "/repo-evil/lib/a.ts"), "");
  EXPECT_EQ(around(lib, "/lib/a.ts"), "");
  EXPECT_EQ(around(lib, "/repo/lib/not/yet/there.ts"), "lib");
}

TEST(ScopeFolders, MayLieInEachOther) {
  const Folders nested = folders({"lib/utils", "lib"});
  EXPECT_EQ(around(nested, "/repo/lib/utils/a.ts"), "lib/utils");
  EXPECT_EQ(around(nested, "/repo/lib/a.ts"), "lib");
  EXPECT_EQ(nested.listed(), "lib/utils,lib");
}

RC_GTEST_PROP(ScopeFolders, WhatIsListedIsReadBack, ()) {
  const auto name = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab./ -\"'[é"))));
  auto names = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(name));
  std::string list;
  for (std::string& each : names) {
    each = "x" + each + "x";
    list += (list.empty() ? "" : " , ") + each;
  }
  RC_ASSERT(*split_folders(list) == names);
}

TEST(ScopeMode, IsOneOfTwoWords) {
  EXPECT_EQ(parse_mode("strict"), Mode::Strict);
  EXPECT_EQ(parse_mode("permissive"), Mode::Permissive);
  for (const char* bogus : {"", "Strict", "strict ", "bogus", "none"}) EXPECT_FALSE(parse_mode(bogus)) << bogus;
  EXPECT_EQ(to_text(Mode::Strict), "strict");
  EXPECT_EQ(to_text(Mode::Permissive), "permissive");
}

}  // namespace
}  // namespace pale::scope
