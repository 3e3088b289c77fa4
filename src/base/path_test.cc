#include "base/path.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace pale {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Prefix traps, quoting traps, bytes that are no text, and what only looks like "." and "..".
const std::vector<std::string> kNames = {"a",  "lib", "library", ".git", ".gitignore", "a b",
                                         "\"", "\n",  "\xff",    "...",  "*"};

// Every absolute and relative path of up to three of these names, and the root.
std::vector<Path> all_paths() {
  std::vector<std::string> texts = {""};
  for (std::size_t first = 0, depth = 0; depth < 3; ++depth) {
    const std::size_t last = texts.size();
    for (; first < last; ++first) {
      for (const std::string& name : kNames) texts.push_back(texts[first] + "/" + name);
    }
  }
  std::vector<Path> paths = {Path::root()};
  for (std::size_t i = 1; i < texts.size(); ++i) {
    paths.push_back(Path::literal(texts[i]));
    paths.push_back(Path::literal(texts[i].substr(1)));
  }
  return paths;
}

std::string error_of(std::string_view text) {
  const auto path = Path::parse(text);
  EXPECT_FALSE(path.has_value()) << text;
  return path ? "" : path.error().sentence();
}

TEST(PathParse, RemovesEmptyAndDotComponents) {
  EXPECT_EQ(Path::parse("//a/./b//")->text(), "/a/b");
  EXPECT_EQ(Path::parse("./a/")->text(), "a");
  EXPECT_EQ(Path::parse("///")->text(), "/");
  EXPECT_EQ(Path::parse("/./.")->text(), "/");
  EXPECT_EQ(Path::parse("/..a/b../...")->text(), "/..a/b../...");
}

TEST(PathParse, RefusesWhatNamesNothingOrGoesUp) {
  EXPECT_EQ(error_of(""), "a path is empty");
  EXPECT_EQ(error_of("."), "a path names nothing: .");
  EXPECT_EQ(error_of(std::string_view("/a\0b", 4)), "a path holds a NUL byte");
  for (const std::string_view text : {"..", "/..", "../a", "/a/..", "/a/../b", "a/.."}) {
    EXPECT_THAT(error_of(text), HasSubstr("must not go up with '..'"));
  }
}

TEST(PathParse, ItsTextParsesToItself) {
  for (const std::string_view start : {"", "/", "./", "//"}) {
    for (const std::string_view middle : {"/", "//", "/./", "/.//./"}) {
      for (const std::string& name : kNames) {
        const std::string text = std::string(start) + name + std::string(middle) + "lib" + std::string(middle);
        const auto path = Path::parse(text);
        ASSERT_TRUE(path.has_value()) << text;
        EXPECT_EQ(Path::parse(path->text()), *path);
        EXPECT_EQ(path->text(), (start.ends_with("/") && start.front() == '/' ? "/" : "") + name + "/lib");
      }
    }
  }
}

TEST(PathDeathTest, ALiteralThatIsNoPathEndsTheProgram) { EXPECT_DEATH(Path::literal("/a/../b"), ""); }

TEST(Path, KnowsItsComponentsNameDepthAndParent) {
  const Path path = Path::literal("/usr/lib/x");
  EXPECT_THAT(path.components(), ElementsAre("usr", "lib", "x"));
  EXPECT_EQ(path.depth(), 3u);
  EXPECT_EQ(path.name(), "x");
  EXPECT_EQ(path.parent().text(), "/usr/lib");
  EXPECT_EQ(Path::literal("/usr").parent(), Path::root());
  EXPECT_EQ(Path::literal("a/b").parent().text(), "a");
  EXPECT_EQ(Path::literal("a").parent().text(), "a");
}

TEST(Path, TheRootHasNoNameAndIsItsOwnParent) {
  EXPECT_THAT(Path::root().components(), IsEmpty());
  EXPECT_EQ(Path::root().depth(), 0u);
  EXPECT_EQ(Path::root().name(), "");
  EXPECT_EQ(Path::root().parent(), Path::root());
}

TEST(Path, DepthNameAndParentAgreeWithTheComponents) {
  for (const Path& path : all_paths()) {
    const auto names = path.components();
    EXPECT_EQ(path.depth(), names.size());
    EXPECT_EQ(path.name(), names.empty() ? "" : names.back());
    if (names.size() > 1 || path.is_absolute()) {
      EXPECT_EQ(path.is_root() ? path.parent() : path.parent() / path.name(), path);
    }
  }
}

TEST(Path, CoversWholeComponentsAndBelowIsTheRest) {
  const std::vector<Path> paths = all_paths();
  for (std::size_t i = 0; i < paths.size(); i += 7) {  // All pairs would be eight million.
    const auto above = paths[i].components();
    for (const Path& other : paths) {
      const auto names = other.components();
      const bool covers = paths[i].is_absolute() == other.is_absolute() && names.size() >= above.size() &&
                          std::equal(above.begin(), above.end(), names.begin());
      ASSERT_EQ(paths[i].covers(other), covers) << paths[i].text() << " and " << other.text();
      const std::string_view rest = paths[i].below(other);
      ASSERT_EQ(!rest.empty(), covers && paths[i] != other);
      if (!rest.empty()) {
        ASSERT_EQ(paths[i] / rest, other);
      }
    }
  }
}

TEST(Path, WhatIsAppendedIsReadLikeAnyPath) {
  for (const Path& path : all_paths()) {
    ASSERT_EQ(path / std::string_view(), path);
    for (const std::string_view end : {"", "/", "x", "/x", "x/", "./x", "x//y", ".", "...", "..x", ".x/y"}) {
      ASSERT_EQ(path / end, Path::parse(path.text() + "/" + std::string(end))) << path.text() << " and " << end;
    }
  }
}

TEST(PathDeathTest, WhatIsAppendedDoesNotGoUp) {
  EXPECT_DEATH((void)(Path::root() / ".."), "");
  EXPECT_DEATH((void)(Path::root() / std::string_view("a\0b", 3)), "");
}

TEST(Path, IsOrderedAfterEverythingThatCoversIt) {
  for (const Path& path : all_paths()) EXPECT_TRUE(path.parent() < path || path.parent() == path) << path.text();
}

TEST(NameMatches, StarIsAnyTextAndQuestionMarkOneByte) {
  EXPECT_TRUE(name_matches("settings*.json", "settings.json"));
  EXPECT_TRUE(name_matches("settings*.json", "settings.local.json"));
  EXPECT_FALSE(name_matches("settings*.json", "settings.jsonc"));
  EXPECT_FALSE(name_matches("settings*.json", "mysettings.json"));
  EXPECT_TRUE(name_matches("", ""));
  EXPECT_FALSE(name_matches("", "a"));
  EXPECT_FALSE(name_matches("?", "\xc3\xa9"));
}

// The definition itself: slow, and plainly right.
bool defined_match(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern.front() == '*') {
    return defined_match(pattern.substr(1), name) || (!name.empty() && defined_match(pattern, name.substr(1)));
  }
  if (name.empty()) return false;
  return (pattern.front() == '?' || pattern.front() == name.front()) &&
         defined_match(pattern.substr(1), name.substr(1));
}

std::vector<std::string> words(std::string_view letters, std::size_t most) {
  std::vector<std::string> all = {""};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == most) continue;
    for (const char letter : letters) all.push_back(all[i] + letter);
  }
  return all;
}

TEST(NameMatches, AgreesWithItsDefinitionForAllShortPatternsAndNames) {
  const auto names = words("ab", 5);
  for (const std::string& pattern : words("ab*?", 5)) {
    for (const std::string& name : names) {
      ASSERT_EQ(name_matches(pattern, name), defined_match(pattern, name)) << pattern << " and " << name;
    }
  }
}

}  // namespace
}  // namespace pale
