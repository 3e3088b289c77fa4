#include "grep/finder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace pale::grep {
namespace {

using search::Letters;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char byte) { return static_cast<char>(std::tolower(byte)); });
  return text;
}

TEST(Finder, FindsWhatAndWhereTheStandardLibraryDoes) {
  std::mt19937 random(5);
  const auto some = [&](std::size_t length) {
    std::string text(length, ' ');
    for (char& byte : text) byte = "abAB_ @`"[random() % 8];
    return text;
  };
  for (int round = 0; round < 20'000; ++round) {
    const std::string text = some(random() % 120);
    const std::string literal = some(1 + random() % 6);
    const std::size_t from = random() % (text.size() + 1);
    ASSERT_EQ(Finder(literal, Letters::Exact).find(text, from), text.find(literal, from)) << literal << " in " << text;
    ASSERT_EQ(Finder(literal, Letters::AnyCase).find(text, from), lower(text).find(lower(literal), from))
        << literal << " in " << text;
  }
}

TEST(Finder, FindsAtEveryPlaceOfATextOfAnyLength) {
  const std::string literal = "needle";
  for (std::size_t length = 0; length < 100; ++length) {
    std::string text(length, 'e');
    EXPECT_EQ(Finder(literal, Letters::Exact).find(text, 0), kNowhere);
    for (std::size_t at = 0; at + literal.size() <= length; ++at) {
      std::string with = text;
      with.replace(at, literal.size(), literal);
      EXPECT_EQ(Finder(literal, Letters::Exact).find(with, 0), at);
      EXPECT_EQ(Finder("NEEDLE", Letters::AnyCase).find(with, 0), at);
      EXPECT_EQ(Finder("NEEDLE", Letters::Exact).find(with, 0), kNowhere);
    }
  }
}

TEST(Finder, BytesBeyondAsciiAreBytes) {
  const std::string text = "caf\xc3\xa9 \xff\x00 x";
  EXPECT_EQ(Finder("\xc3\xa9", Letters::AnyCase).find(text, 0), 3U);
  EXPECT_EQ(Finder("\xe3\xa9", Letters::AnyCase).find(text, 0), kNowhere);
}

}  // namespace
}  // namespace pale::grep
