#include "grep/shape.h"

#include <gmock/gmock.h>

namespace pale::grep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Shape, ALiteralIsOne) {
  const Shape shape = shape_of("foo\\.bar_\\(");
  EXPECT_TRUE(shape.plain);
  EXPECT_TRUE(shape.only_literals);
  EXPECT_THAT(shape.literals, ElementsAre("foo.bar_("));
}

TEST(Shape, WhatMustStandInEveryMatch) {
  const std::pair<const char*, std::vector<std::string>> cases[] = {
      {"foo|quux", {"foo", "quux"}},
      {"foo.*barbaz", {"barbaz"}},
      {"\\bfoo\\b", {"foo"}},
      {"fo+bar", {"bar"}},
      {"fooo*", {"foo"}},
      {"foo?", {"fo"}},
      {"(foo|quux)_x+", {"foo", "quux"}},
      {"(?:foo|quux)longer", {"longer"}},
      {"(foo|quux)?ab", {"ab"}},
      {"(foo)*", {}},
      {"(foo)+", {"foo"}},
      {"(foo){2}", {"foo"}},
      {"(foo){0,2}", {}},
      {"ab{0}", {}},
      {"ab{2,3}c", {"ab"}},
      {"ab{,3}", {"ab{,3}"}},
      {"a{x", {"a{x"}},
      {"[a-z]+_id", {"_id"}},
      {"[]a]foo", {"foo"}},
      {"[^]\\]a]foo", {"foo"}},
      {"[[:alpha:]]foo", {"foo"}},
      {"^foo$", {"foo"}},
      {"foo|b", {}},
      {"foo|", {}},
      {"|foo", {}},
      {"foo()", {"foo"}},
      {"a.b.c", {}},
      {"", {}},
  };
  for (const auto& [pattern, literals] : cases) {
    EXPECT_EQ(shape_of(pattern).literals, literals) << pattern;
    EXPECT_TRUE(shape_of(pattern).plain) << pattern;
  }
}

TEST(Shape, OnlyWhatIsNothingElseIsOnlyLiterals) {
  EXPECT_TRUE(shape_of("foo|bar").only_literals);
  for (const char* pattern : {"foo.", "^foo", "foo+", "(foo)", "foo|ba*r", "fo\\w"})
    EXPECT_FALSE(shape_of(pattern).only_literals) << pattern;
}

TEST(Shape, WhatLooksBeyondItsMatchOrIsNotUnderstoodIsNotPlain) {
  for (const char* pattern :
       {"foo(?=bar)",   "foo(?!bar)", "(?<=x)foo", "(?>foo)", "(?i)foo",   "(?<n>foo)", "(*COMMIT)foo",
        "fo++o",        "fo*+o",      "fo?+o",     "fo{2}+o", "\\Afoo",    "foo\\z",    "\\Gfoo",
        "(foo)\\1",     "foo\\Kbar",  "\\Qfoo\\E", "\\x66oo", "\\x{66}oo", "\\p{L}oo",  "\\Rfoo",
        "[\\Q]\\E]foo", "foo)",       "(foo",      "[foo",    "foo\\"}) {
    EXPECT_FALSE(shape_of(pattern).plain) << pattern;
    EXPECT_THAT(shape_of(pattern).literals, IsEmpty()) << pattern;
  }
}

TEST(Shape, DeepAndWideOnesTakeNoTime) {
  EXPECT_FALSE(shape_of(std::string(5000, '(')).plain);
  std::string wide = "foo0";
  for (int each = 1; each < 3000; ++each) wide += "|foo" + std::to_string(each);
  EXPECT_TRUE(shape_of(wide).plain);
  EXPECT_THAT(shape_of(wide).literals, IsEmpty());
}

}  // namespace
}  // namespace pale::grep
