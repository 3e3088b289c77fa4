#include "search/ignore.h"

#include <gtest/gtest.h>

namespace pale::search {
namespace {

constexpr auto kFile = EntryKind::File;
constexpr auto kDirectory = EntryKind::Directory;

Verdict judge(std::string_view text, std::string_view path, EntryKind kind = kFile) {
  return IgnoreRules::parse(text).judge(path, kind);
}
bool ignores(std::string_view text, std::string_view path, EntryKind kind = kFile) {
  return judge(text, path, kind) == Verdict::Ignore;
}

TEST(IgnoreRules, ANameIsIgnoredWhereverItLies) {
  EXPECT_TRUE(ignores("a.o", "a.o"));
  EXPECT_TRUE(ignores("a.o", "x/y/a.o"));
  EXPECT_FALSE(ignores("a.o", "x/ba.o"));
  EXPECT_TRUE(ignores("*.o", "x/ba.o"));
  EXPECT_FALSE(ignores("*.o", "x.o/ba"));
  EXPECT_TRUE(ignores("*", "x"));
}

TEST(IgnoreRules, ASlashMakesItAPathFromThere) {
  EXPECT_TRUE(ignores("/a", "a"));
  EXPECT_FALSE(ignores("/a", "x/a"));
  EXPECT_TRUE(ignores("x/a", "x/a"));
  EXPECT_FALSE(ignores("x/a", "y/x/a"));
  EXPECT_TRUE(ignores("x/*.o", "x/a.o"));
  EXPECT_FALSE(ignores("x/*.o", "x/y/a.o"));
  EXPECT_TRUE(ignores("**/x/a", "y/x/a"));
}

TEST(IgnoreRules, ASlashBehindItMeansDirectories) {
  EXPECT_TRUE(ignores("build/", "build", kDirectory));
  EXPECT_TRUE(ignores("build/", "x/build", kDirectory));
  EXPECT_FALSE(ignores("build/", "build", kFile));
}

TEST(IgnoreRules, TheLastRuleThatMatchesDecides) {
  EXPECT_EQ(judge("*.o\n!a.o", "a.o"), Verdict::Keep);
  EXPECT_EQ(judge("*.o\n!a.o\na.*", "a.o"), Verdict::Ignore);
  EXPECT_EQ(judge("!a.o\n*.o", "a.o"), Verdict::Ignore);
  EXPECT_EQ(judge("*.o", "a.c"), Verdict::Silent);
}

TEST(IgnoreRules, BlanksCommentsAndEscapes) {
  EXPECT_EQ(judge("\n\n# a\n   \n", "a"), Verdict::Silent);
  EXPECT_TRUE(ignores("\\#a", "#a"));
  EXPECT_TRUE(ignores("\\!a", "!a"));
  EXPECT_TRUE(ignores("a   ", "a"));
  EXPECT_TRUE(ignores("a\\ ", "a "));
  EXPECT_TRUE(ignores("a\\\\ ", "a\\"));
  EXPECT_TRUE(ignores("a\t", "a\t")) << "only spaces are cut off";
  EXPECT_TRUE(ignores("a\r\nb\r\n", "a"));
  EXPECT_TRUE(
      ignores("\xef\xbb\xbf"
              "a",
              "a"));
  EXPECT_TRUE(ignores(" a", " a"));
}

TEST(IgnoreRules, WhatIsBrokenMatchesNothing) {
  for (const char* broken : {"[a", "a\\", "/", "!", "!/", "//"}) {
    EXPECT_EQ(judge(broken, "a"), Verdict::Silent) << broken;
    EXPECT_EQ(judge(broken, "a", kDirectory), Verdict::Silent) << broken;
  }
}

}  // namespace
}  // namespace pale::search
