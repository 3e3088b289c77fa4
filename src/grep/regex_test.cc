#include "grep/regex.h"

#include <gmock/gmock.h>

namespace pale::grep {
namespace {

using search::Letters;
using search::Syntax;
using testing::HasSubstr;

bool matches(std::string_view pattern, std::string_view text, Letters letters = Letters::Exact,
             Syntax syntax = Syntax::Regex) {
  const auto regex = Regex::compile(pattern, syntax, letters);
  EXPECT_TRUE(regex) << pattern;
  return regex && Matcher(*regex).find(text, 0).outcome == Outcome::Match;
}

TEST(Regex, IsThatOfPerl) {
  EXPECT_TRUE(matches("^a+\\d{2}$", "aa12"));
  EXPECT_TRUE(matches("(?<=x)y", "xy"));
  EXPECT_TRUE(matches("^b$", "a\nb\nc")) << "lines have ends";
  EXPECT_FALSE(matches("a.b", "a\nb"));
  EXPECT_TRUE(matches("FOO", "foo", Letters::AnyCase));
  EXPECT_TRUE(matches("(?i)FOO", "foo"));
  EXPECT_FALSE(matches("FOO", "foo"));
  EXPECT_TRUE(matches("a.c[", "xa.c[y", Letters::Exact, Syntax::Literal));
  EXPECT_FALSE(matches("a.c", "abc", Letters::Exact, Syntax::Literal));
  EXPECT_TRUE(matches("(?i)", "x(?I)", Letters::AnyCase, Syntax::Literal));
}

TEST(Regex, CharactersCountWhereThePatternHasSome) {
  EXPECT_TRUE(matches("^.\xc3\xa9.$", "\xc3\xb6\xc3\xa9\xc3\xa4"));
  EXPECT_TRUE(matches("\xc3\x89T", "\xc3\xa9t", Letters::AnyCase));
  EXPECT_TRUE(matches("^\\p{L}+$", "\xc3\xb6xyz"));
  EXPECT_TRUE(matches("caf\xc3\xa9", "\xff\xfe caf\xc3\xa9 \xff")) << "in a text that is not UTF-8";
  EXPECT_TRUE(matches("k\xc3\xa9", "\xe2\x84\xaa\xc3\xa9", Letters::AnyCase)) << "the sign of Kelvin is a K";
}

TEST(Regex, WhatIsWrongIsSaidWithItsPlace) {
  const std::pair<const char*, const char*> wrong[] = {{"a(b", "column 4: missing closing parenthesis"},
                                                       {"a[b", "column 4: missing terminating ]"},
                                                       {"*a", "column 1: quantifier"},
                                                       {"(?i)a)", "column 6: unmatched closing parenthesis"},
                                                       {"a\\nb", "has a newline"},
                                                       {"a\nb", "has a newline"}};
  for (const auto& [pattern, why] : wrong) {
    const auto regex = Regex::compile(pattern, Syntax::Regex, Letters::Exact);
    ASSERT_FALSE(regex) << pattern;
    EXPECT_THAT(regex.error().sentence(), HasSubstr(why));
    EXPECT_NE(regex.error().hint, "");
  }
  EXPECT_TRUE(Regex::compile("a\\\\nb", Syntax::Regex, Letters::Exact)) << "a backslash, and an n";
  EXPECT_FALSE(Regex::compile(std::string(20'000, 'a'), Syntax::Regex, Letters::Exact));
  EXPECT_FALSE(Regex::compile("a\\Cb", Syntax::Regex, Letters::Exact));
}

TEST(Regex, WhatTakesForEverIsGivenUp) {
  const auto regex = Regex::compile("(x+x+)+[yz]", Syntax::Regex, Letters::Exact);
  EXPECT_EQ(Matcher(*regex).find(std::string(10'000, 'x') + "w", 0).outcome, Outcome::TooHard);
  const auto deep = Regex::compile("^(((a|b)*)*)*c", Syntax::Regex, Letters::Exact);
  EXPECT_NE(Matcher(*deep).find(std::string(1'000'000, 'a'), 0).outcome, Outcome::Match);
}

}  // namespace
}  // namespace pale::grep
