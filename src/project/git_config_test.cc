#include "project/git_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pale::project {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(ConfigValues, FindSectionAndKeyWithoutCase) {
  EXPECT_THAT(config_values("[Core]\n\tHooksPath = .husky\n", "core", "hookspath"), ElementsAre(".husky"));
  EXPECT_THAT(config_values("[other]\nhooksPath = x\n[core]\nother = y\n", "core", "hookspath"), IsEmpty());
}

TEST(ConfigValues, UnderstandQuotesEscapesAndComments) {
  EXPECT_THAT(config_values("[core]\nhookspath = \"a b\" # why\n", "core", "hookspath"), ElementsAre("a b"));
  EXPECT_THAT(config_values("[core]\nhookspath = a\\\\b ; why\n", "core", "hookspath"), ElementsAre("a\\b"));
  EXPECT_THAT(config_values("[core] hookspath = x\nhookspath=y", "core", "hookspath"), ElementsAre("x", "y"));
}

TEST(ConfigValues, TakeConditionalIncludesAsTrue) {
  EXPECT_THAT(config_values("[includeIf \"gitdir:~/\"]\npath = x\n", "includeif", "path"), ElementsAre("x"));
}

TEST(ConfigValues, GoOnBehindABackslashAtTheEndOfALine) {
  EXPECT_THAT(config_values("[core]\nhookspath = .hus\\\nky\nx = y\n", "core", "hookspath"), ElementsAre(".husky"));
  EXPECT_THAT(config_values("[core]\r\nhookspath = .hus\\\r\nky\r\n", "core", "hookspath"), ElementsAre(".husky"));
  EXPECT_THAT(config_values("[core]\nx = y # \\\nhookspath = z\n", "core", "hookspath"), ElementsAre("z"))
      << "not in a comment";
}

TEST(ConfigValues, PassOverAMarkOfTheByteOrder) {
  EXPECT_THAT(config_values("\xEF\xBB\xBF[core]\nhookspath = x\n", "core", "hookspath"), ElementsAre("x"));
}

TEST(ConfigValues, KeepBlanksThatStandInQuotes) {
  EXPECT_THAT(config_values("[core]\nhookspath = \" a \"  \n", "core", "hookspath"), ElementsAre(" a "));
  EXPECT_THAT(config_values("[core]\nhookspath =  a b \n", "core", "hookspath"), ElementsAre("a b"));
}

TEST(ConfigValues, EndASectionsNameWhereGitDoes) {
  EXPECT_THAT(config_values("[includeIf \"gitdir:a]\\\"b\"] path = x\n", "includeif", "path"), ElementsAre("x"));
}

TEST(ConfigValues, EndWithTheText) {
  for (const char* text : {"", "[", "[core", "[core \"", "[core]\nhookspath", "[core]\nhookspath = \\", "\\", "="})
    EXPECT_THAT(config_values(text, "core", "hookspath"), testing::AnyOf(IsEmpty(), ElementsAre(""))) << text;
}

}  // namespace
}  // namespace pale::project
