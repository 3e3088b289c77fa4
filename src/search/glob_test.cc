#include "search/glob.h"

#include <gmock/gmock.h>

namespace pale::search {
namespace {

using testing::HasSubstr;

bool matches(std::string_view text, std::string_view path) {
  const auto glob = Glob::parse(text);
  return glob && glob->matches(path);
}

TEST(Glob, WithoutASlashItIsAboutNames) {
  EXPECT_TRUE(matches("*.cc", "a.cc"));
  EXPECT_TRUE(matches("*.cc", "x/y/a.cc"));
  EXPECT_FALSE(matches("*.cc", "x.cc/a"));
}

TEST(Glob, WithASlashItIsAboutWholePaths) {
  EXPECT_TRUE(matches("src/*.cc", "src/a.cc"));
  EXPECT_FALSE(matches("src/*.cc", "src/x/a.cc"));
  EXPECT_FALSE(matches("src/*.cc", "y/src/a.cc"));
  EXPECT_TRUE(matches("src/**/*.cc", "src/a.cc"));
  EXPECT_TRUE(matches("src/**/*.cc", "src/x/y/a.cc"));
  EXPECT_FALSE(matches("src/app", "src/apple"));
  EXPECT_TRUE(matches("/a", "a"));
  EXPECT_FALSE(matches("/a", "x/a"));
  EXPECT_TRUE(matches("./a", "a"));
  EXPECT_FALSE(matches("./a", "x/a"));
  EXPECT_TRUE(matches("src/", "src/x/y"));
  EXPECT_FALSE(matches("src/", "srcs/x"));
}

TEST(Glob, BracesAreAlternatives) {
  for (const char* path : {"a.c", "x/a.h", "a.cc", "a.ch"}) EXPECT_TRUE(matches("*.{c{,c,h},h}", path)) << path;
  EXPECT_FALSE(matches("*.{c,h}", "a.cc"));
  EXPECT_TRUE(matches("{src,tests/unit}/*.py", "tests/unit/a.py"));
  EXPECT_TRUE(matches("[{]a", "{a"));
  EXPECT_TRUE(matches("\\{a,b}", "{a,b}"));
  EXPECT_TRUE(matches("a,b", "a,b"));
  EXPECT_TRUE(matches("{a}", "a"));
}

TEST(Glob, WhatIsWrongIsSaidWithItsPlace) {
  const std::pair<const char*, const char*> wrong[] = {{"a{b", "column 2: this { has no }"},
                                                       {"a/[b", "column 3: this [ begins no class"},
                                                       {"a\\", "column 2: nothing follows"}};
  for (const auto& [text, why] : wrong) {
    const auto glob = Glob::parse(text);
    ASSERT_FALSE(glob) << text;
    EXPECT_THAT(glob.error().sentence(), HasSubstr(why));
    EXPECT_NE(glob.error().hint, "");
  }
  EXPECT_FALSE(Glob::parse(""));
  EXPECT_FALSE(Glob::parse(std::string(5000, 'a')));
}

TEST(Glob, BracesThatStandForTooManyAreRefused) {
  std::string many;
  for (int each = 0; each < 9; ++each) many += "{a,b}";
  EXPECT_FALSE(Glob::parse(many));
  EXPECT_TRUE(Glob::parse(many.substr(5)));
  std::string wide = "{a";
  for (int each = 0; each < 300; ++each) wide += ",a";
  EXPECT_FALSE(Glob::parse(wide + "}"));
  EXPECT_FALSE(Glob::parse(std::string(2000, '{')));
}

}  // namespace
}  // namespace pale::search
