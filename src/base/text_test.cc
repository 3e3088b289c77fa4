#include "base/text.h"

#include <gtest/gtest.h>

namespace pale {
namespace {

TEST(Printable, ShowsWhatWouldHideOrTurnLetters) {
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\xe2\\x80\\xaeb");  // right to left
  EXPECT_EQ(printable("a\xe2\x81\xa6"
                      "b"),
            "a\\xe2\\x81\\xa6b");  // isolate
  EXPECT_EQ(printable("a\xe2\x80\x8b"
                      "b\xef\xbb\xbf"),
            "a\\xe2\\x80\\x8bb\\xef\\xbb\\xbf");  // no width
  EXPECT_EQ(printable("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xc2\xa0"),
            "\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80 \xc2\xa0");
}

TEST(Printable, EscapesWhatATerminalWouldObey) {
  EXPECT_EQ(printable("\x1b]52;c;aGk=\x07"), "\\x1b]52;c;aGk=\\x07");
  EXPECT_EQ(printable("a\rb\x7f"), "a\\x0db\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");  // CSI as one C1 character
}

TEST(Printable, LeavesTextAloneAndKeepsItOnOneLine) {
  EXPECT_EQ(printable("grüße 你好"), "grüße 你好");
  EXPECT_EQ(printable("two\nlines\t"), "two\\x0alines\\x09");
}

TEST(Printable, EscapesEveryHighByteOfTextThatIsNotUtf8) { EXPECT_EQ(printable("ok\xff\xc3"), "ok\\xff\\xc3"); }

TEST(Printable, NeverLetsAControlByteThrough) {
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const std::string text = {static_cast<char>(first), static_cast<char>(second)};
      for (const char c : printable(text)) {
        const auto byte = static_cast<unsigned char>(c);
        ASSERT_TRUE(byte >= 0x20 && byte != 0x7f) << first << " " << second;
      }
    }
  }
}

TEST(Nearest, FindsTheWordMeantAndNothingFarAway) {
  constexpr std::string_view kWords[] = {"--protect", "--project-root", "--ro", "--rw", "--network"};
  EXPECT_EQ(nearest("--protec", kWords), "--protect");
  EXPECT_EQ(nearest("--netwrok", kWords), "--network");
  EXPECT_EQ(nearest("--projectroot", kWords), "--project-root");
  EXPECT_EQ(nearest("entirely-else-and-long", kWords), std::nullopt);
  constexpr std::string_view kShort[] = {"x", "rw", "data"};
  EXPECT_EQ(nearest("yy", kShort), std::nullopt);
  EXPECT_EQ(nearest("ro", kShort), "rw");
  EXPECT_EQ(nearest("dta", kShort), "data");
}

TEST(ParseNumber, TakesDigitsOnlyAndNoOverflow) {
  EXPECT_EQ(parse_number("0"), 0U);
  EXPECT_EQ(parse_number("18446744073709551615"), ~0ULL);
  for (const char* bad : {"", "-1", "+1", "1 ", "0x1", "1.5", "18446744073709551616"})
    EXPECT_EQ(parse_number(bad), std::nullopt) << bad;
}

TEST(ParseSize, KnowsUnitsInBothCases) {
  EXPECT_EQ(parse_size("512"), 512U);
  EXPECT_EQ(parse_size("64K"), 64U << 10U);
  EXPECT_EQ(parse_size("2g"), 2ULL << 30U);
  for (const char* bad : {"", "G", "2X", "2s", "-2G", "99999999999999999999T", "18446744073709551615K"})
    EXPECT_EQ(parse_size(bad), std::nullopt) << bad;
}

TEST(ParseDuration, KnowsUnitsInBothCases) {
  EXPECT_EQ(parse_duration("90"), 90U);
  EXPECT_EQ(parse_duration("90s"), 90U);
  EXPECT_EQ(parse_duration("5m"), 300U);
  EXPECT_EQ(parse_duration("2H"), 7200U);
  for (const char* century : {"36525d", "36526d", "9223372036854775807"})
    EXPECT_EQ(parse_duration(century), 36525U * 86400U) << century;
  for (const char* bad : {"", "s", "5x", "1.5h"}) EXPECT_EQ(parse_duration(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace pale
