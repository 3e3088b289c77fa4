#include "base/amount.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pale {
namespace {

std::string sentence_of(const auto& result) { return result ? "fine" : result.error().sentence(); }

TEST(Amount, IsReadAsItsMeasureIsWritten) {
  EXPECT_EQ(parse_amount(measure::kBytes, "--memory", "2G"), 2ULL << 30U);
  EXPECT_EQ(parse_amount(measure::kTasks, "--pids", "200"), 200U);
  EXPECT_EQ(parse_amount(measure::kSeconds, "--time", "2h"), 7200U);
}

TEST(Amount, OfNothingOrOfAnotherKindIsNone) {
  EXPECT_EQ(sentence_of(parse_amount(measure::kBytes, "--memory", "0")), "not a value for --memory: '0'");
  EXPECT_EQ(sentence_of(parse_amount(measure::kSeconds, "--time", "soon")), "not a value for --time: 'soon'");
  EXPECT_EQ(sentence_of(check_amount(measure::kBytes, "memory", 0)), "a limit of nothing: memory");
}

TEST(Amount, TheMostThatIsSaidCanBeHadAndNoMore) {
  for (const auto* each : {&measure::kBytes, &measure::kTasks, &measure::kSeconds}) {
    EXPECT_EQ(parse_amount(*each, "--limit", each->most_text), each->most);
    EXPECT_EQ(sentence_of(check_amount(*each, "limit", each->most)), "fine");
    EXPECT_EQ(sentence_of(check_amount(*each, "limit", each->most + 1)),
              "limit is " + std::string(each->most_text) + " at most, not " + std::to_string(each->most + 1));
  }
  EXPECT_EQ(sentence_of(parse_amount(measure::kBytes, "--memory", "18446744073709551615")),
            "--memory is 1024T at most, not '18446744073709551615'");
}

}  // namespace
}  // namespace pale
