#include "grep/lines.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include <regex>
#include <sstream>

namespace pale::grep {
namespace {

using search::Letters;
using search::Syntax;
using Lines = std::vector<std::string>;

Lines found_in(std::string_view pattern, const std::string& text, Letters letters = Letters::Exact) {
  const auto regex = Regex::compile(pattern, Syntax::Regex, letters);
  LineMatcher matcher(*regex);
  Lines lines;
  for (std::size_t at = 0; at < text.size();) {
    const LineMatch line = matcher.next(text, at);
    if (line.begin == kNowhere) break;
    lines.push_back(std::to_string(std::count(text.begin(), text.begin() + static_cast<long>(line.begin), '\n')) + ":" +
                    text.substr(line.begin, line.end - line.begin));
    at = line.end + 1;
  }
  return lines;
}

// Line by line, with another library.
Lines found_by_another(const std::string& pattern, const std::string& text, Letters letters = Letters::Exact) {
  const auto flags = letters == Letters::AnyCase ? std::regex::ECMAScript | std::regex::icase : std::regex::ECMAScript;
  const std::regex regex(pattern, flags);
  Lines lines;
  std::istringstream in(text);
  std::string line;
  for (int number = 0; std::getline(in, line); ++number) {
    if (std::regex_search(line, regex)) lines.push_back(std::to_string(number) + ":" + line);
  }
  return lines;
}

TEST(LineMatcher, EveryWayOfSearchingFindsTheSame) {
  const std::string text = "foo\n\nbar foo\nbaz\n  x\nfo\no\nFOO\nend";
  for (const char* pattern :
       {"foo",      "foo|baz",    "^foo$", "o$",   "^$",  "^",  "$",       "[a-z]",     "\\s",   "[^x]+", "fo\\s*o",
        "foo(?!x)", "o(?=\\s|$)", "x*",    "b.*o", "end", "d$", "nothing", "(foo|baz)", "\\bba", "[^a]o"}) {
    EXPECT_EQ(found_in(pattern, text), found_by_another(pattern, text)) << pattern;
    EXPECT_EQ(found_in(pattern, text, Letters::AnyCase), found_by_another(pattern, text, Letters::AnyCase)) << pattern;
    EXPECT_EQ(found_in(pattern, text + "\n"), found_by_another(pattern, text + "\n")) << pattern;
  }
}

TEST(LineMatcher, WhatIsTakenFromTwoLinesIsNoMatch) {
  EXPECT_EQ(found_in("o\\sb", "foo\nbar\n"), Lines{});
  EXPECT_EQ(found_in("[^x]b", "foo\nbar\nab\n"), Lines{"2:ab"});
  EXPECT_EQ(found_in("a[^z]*b", "a\nb\na b\n"), Lines{"2:a b"});
}

TEST(LineMatcher, RandomPatternsFindWhatAnotherLibraryFinds) {
  const auto piece =
      rc::gen::element<std::string>("a", "b", "ab", "c", ".", "\\w", "\\s", "[ab]", "[^a]", "(a|bc)", "(ab)", "(?:b|c)",
                                    "a*", "b+", "c?", "(ab)*", "\\b", "^", "$", "a{2}", "_", "|");
  const auto letter = rc::gen::element<char>('a', 'b', 'c', ' ', '\n', '_', 'A', 'B');
  const bool held = rc::check([&] {
    std::string pattern;
    for (const std::string& each : *rc::gen::container<Lines>(piece)) pattern += pattern.size() < 12 ? each : "";
    RC_PRE(!pattern.empty());
    const auto text = *rc::gen::container<std::string>(letter);
    const Letters letters = *rc::gen::arbitrary<bool>() ? Letters::Exact : Letters::AnyCase;
    RC_ASSERT(found_in(pattern, text, letters) == found_by_another(pattern, text, letters));
  });
  EXPECT_TRUE(held);
}

TEST(LineMatcher, AHardLineIsCountedAndTheOthersAreSearched) {
  const auto regex = Regex::compile("(x+x+)+[yz]", Syntax::Regex, Letters::Exact);
  LineMatcher matcher(*regex);
  const std::string text = "xxy\n" + std::string(3000, 'x') + "\nxxxy\n";
  const LineMatch first = matcher.next(text, 0);
  EXPECT_EQ(first.begin, 0U);
  EXPECT_EQ(matcher.next(text, first.end + 1).begin, 3005U);
  EXPECT_GT(matcher.hard(), 0U);
}

}  // namespace
}  // namespace pale::grep
