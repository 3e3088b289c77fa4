#include "base/time.h"

#include <gmock/gmock.h>

#include <ctime>
#include <limits>
#include <random>

namespace pale {
namespace {

constexpr std::int64_t kFirst = -62167219200, kLast = 253402300799;  // all of the years 0 to 9999
constexpr std::int64_t kDay = 86400;

// What the C library says.
std::string judged(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  gmtime_r(&time, &parts);
  char text[64] = {};
  const std::size_t length = std::strftime(text, sizeof text, "-%m-%dT%H:%M:%SZ", &parts);
  const std::string year = std::to_string(parts.tm_year + 1900);
  return std::string(4 - year.size(), '0') + year + std::string(text, length);
}

TEST(Time, IsWrittenAsIso) {
  EXPECT_EQ(to_iso(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(to_iso(1769180400), "2026-01-23T15:00:00Z");
  EXPECT_EQ(to_iso(-1), "1969-12-31T23:59:59Z");
  EXPECT_EQ(to_iso(kFirst), "0000-01-01T00:00:00Z");
  EXPECT_EQ(to_iso(kLast), "9999-12-31T23:59:59Z");
  EXPECT_EQ(to_iso(kFirst - 1), "-0001-12-31T23:59:59Z");
  EXPECT_EQ(to_iso(kLast + 1), "10000-01-01T00:00:00Z");
  EXPECT_EQ(to_iso(std::numeric_limits<std::int64_t>::max()), "292277026596-12-04T15:30:07Z");
  EXPECT_EQ(to_iso(std::numeric_limits<std::int64_t>::min()), "-292277022657-01-27T08:29:52Z");
}

TEST(Time, EveryDayIsThatOfTheCLibraryAndReadsBack) {
  // The calendar repeats itself after 400 years.
  for (std::int64_t day = *parse_iso("1599-12-31"); day <= *parse_iso("2000-01-01"); day += kDay) {
    const std::string text = to_iso(day);
    ASSERT_EQ(text, judged(day));
    ASSERT_EQ(parse_iso(text), day);
    ASSERT_EQ(parse_iso(text.substr(0, 10)), day);
  }
}

TEST(Time, AnySecondReadsBack) {
  std::mt19937_64 random(20260123);
  std::uniform_int_distribution<std::int64_t> seconds(kFirst, kLast);
  for (int i = 0; i < 200000; ++i) {
    const std::int64_t second = seconds(random);
    const std::string text = to_iso(second);
    ASSERT_EQ(text.size(), 20U);
    ASSERT_EQ(text, judged(second));
    ASSERT_EQ(parse_iso(text), second);
  }
}

TEST(Time, IsReadAsPeopleAndProgramsWriteIt) {
  constexpr std::int64_t kThen = 1769180400;
  for (const auto* text :
       {"2026-01-23T15:00:00Z", "2026-01-23t15:00:00z", "2026-01-23 15:00:00", "2026-01-23T15:00:00",
        "2026-01-23T15:00:00.999999999999999999999Z", "2026-01-23 15:00:00.5", "2026-01-23T16:30:00+01:30",
        "2026-01-23T00:00:00-15:00", "2026-01-24T14:59:00+23:59", "2026-01-23T15:00:00-00:00"}) {
    EXPECT_EQ(parse_iso(text), kThen) << text;
  }
  EXPECT_EQ(parse_iso("2026-01-23"), kThen - 15 * 3600);
  EXPECT_EQ(parse_iso("2016-12-31T23:59:60Z"), parse_iso("2016-12-31T23:59:59Z"));
  EXPECT_TRUE(parse_iso("2024-02-29").has_value());
  EXPECT_TRUE(parse_iso("2000-02-29").has_value());
  EXPECT_EQ(parse_iso("0000-01-01T00:00:00+01:00"), kFirst - 3600);
}

TEST(Time, WhatIsNoTimeIsRefused) {
  for (const auto* text : {"",
                           "2026",
                           "2026-01",
                           "2026-01-",
                           "2026-1-23",
                           "26-01-23",
                           "2026/01/23",
                           "20260123",
                           "2026-00-23",
                           "2026-13-23",
                           "2026-01-00",
                           "2026-01-32",
                           "2026-04-31",
                           "2026-02-29",
                           "1900-02-29",
                           "+2026-01-23",
                           "-001-01-23",
                           " 2026-01-23",
                           "2026-01-23 ",
                           "2026-01-23T",
                           "2026-01-23Z",
                           "2026-01-23+01:00",
                           "2026-01-23T15",
                           "2026-01-23T15:00",
                           "2026-01-23T15:00:0",
                           "2026-01-23T24:00:00",
                           "2026-01-23T15:60:00",
                           "2026-01-23T15:00:61",
                           "2026-01-23T15:00:00.",
                           "2026-01-23T15:00:00.Z",
                           "2026-01-23T15:00:00,5",
                           "2026-01-23T15:00:00ZZ",
                           "2026-01-23T15:00:00 Z",
                           "2026-01-23T15:00:00+0100",
                           "2026-01-23T15:00:00+01",
                           "2026-01-23T15:00:00+24:00",
                           "2026-01-23T15:00:00+01:60",
                           "2026-01-23T15:00:00+01:00Z",
                           "2026-01-23  15:00:00",
                           "2026-01-23T-1:00:00"}) {
    EXPECT_EQ(parse_iso(text), std::nullopt) << text;
  }
  EXPECT_EQ(parse_iso(std::string_view("2026-01-23\0", 11)), std::nullopt);
}

TEST(Time, HowLongAgoIsSaidInTheLargestUnit) {
  constexpr std::int64_t kNow = 1769180400;
  const auto ago = [](std::int64_t seconds) { return time_ago(kNow - seconds, kNow); };
  EXPECT_EQ(ago(0), "just now");
  EXPECT_EQ(ago(59), "just now");
  EXPECT_EQ(ago(-59), "just now");
  EXPECT_EQ(ago(-60), "in the future");
  EXPECT_EQ(ago(60), "1 minute ago");
  EXPECT_EQ(ago(119), "1 minute ago");
  EXPECT_EQ(ago(3599), "59 minutes ago");
  EXPECT_EQ(ago(7200), "2 hours ago");
  EXPECT_EQ(ago(kDay), "1 day ago");
  EXPECT_EQ(ago(6 * kDay), "6 days ago");
  EXPECT_EQ(ago(7 * kDay), "1 week ago");
  EXPECT_EQ(ago(30 * kDay), "4 weeks ago");
  EXPECT_EQ(ago(31 * kDay), "1 month ago");
  EXPECT_EQ(ago(155 * kDay), "5 months ago");
  EXPECT_EQ(ago(364 * kDay), "11 months ago");
  EXPECT_EQ(ago(365 * kDay), "1 year ago");
  EXPECT_EQ(ago(800 * kDay), "2 years ago");
  using Limits = std::numeric_limits<std::int64_t>;
  EXPECT_EQ(time_ago(Limits::min(), Limits::max()), "584942417355 years ago");
  EXPECT_EQ(time_ago(Limits::max(), Limits::min()), "in the future");
}

}  // namespace
}  // namespace pale
