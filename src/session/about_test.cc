#include "session/about.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace pale::session {
namespace {

using testing::HasSubstr;

std::string any_text() { return *rc::gen::container<std::string>(rc::gen::inRange<char>(0, 127)); }

std::optional<std::uint64_t> any_limit() {
  if (*rc::gen::arbitrary<bool>()) return std::nullopt;
  return static_cast<std::uint64_t>(*rc::gen::inRange<std::int64_t>(0, 1L << 62));
}

RC_GTEST_PROP(SessionFile, ComesBackAsItWas, ()) {
  const About about{any_text(),
                    any_text(),
                    any_text(),
                    any_text(),
                    *rc::gen::inRange<std::int64_t>(0, 1L << 60),
                    {any_limit(), any_limit(), any_limit(), any_limit()},
                    any_text(),
                    any_text(),
                    any_text()};
  const auto read = parse_about(to_json(about));
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == about);
}

TEST(SessionFile, LimitsThatAreNotSetAreNotWritten) {
  About about;
  about.limits.pids = 64;
  EXPECT_THAT(to_json(about), HasSubstr(R"("limits":{"pids":64})"));
}

TEST(SessionFile, MoreThanThereCanBeIsNotAskedForButRead) {
  constexpr auto kAll = std::numeric_limits<std::uint64_t>::max();
  EXPECT_TRUE(check_limits({1ULL << 50U, 1ULL << 22U, 1, 315'360'000}));
  for (const Limits& limits : {Limits{.memory = kAll}, Limits{.pids = kAll}, Limits{.disk = kAll},
                               Limits{.seconds = kAll}, Limits{.memory = 0}}) {
    EXPECT_FALSE(check_limits(limits));
    const About about{"i", "p", "w", "", 5, limits};
    EXPECT_EQ(parse_about(to_json(about)), about);
  }
}

TEST(SessionFile, SaysWhatIsWrongWithIt) {
  const std::string good = to_json(About{"i", "p", "w", "", 5, {}});
  const auto sentence_with = [&](std::string_view from, std::string_view to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    const auto about = parse_about(text);
    return about ? "no error" : about.error().sentence();
  };
  EXPECT_EQ(sentence_with("\"id\":\"i\"", "\"id\":\"i\""), "no error");
  EXPECT_THAT(sentence_with("\"id\":\"i\",", ""), HasSubstr("lacks id"));
  EXPECT_THAT(sentence_with("\"i\"", "7"), HasSubstr("lacks id"));
  EXPECT_THAT(sentence_with("\"schemaVersion\":1", "\"schemaVersion\":2"), HasSubstr("schemaVersion"));
  EXPECT_THAT(sentence_with("5", "-5"), HasSubstr("created_ms"));
  EXPECT_THAT(sentence_with("5", "18446744073709551615"), HasSubstr("created_ms"));
  EXPECT_THAT(sentence_with("{}", "{\"fuel\":1}"), HasSubstr("unknown limit"));
  EXPECT_THAT(sentence_with("{}", "{\"pids\":\"1\"}"), HasSubstr("pids"));
  EXPECT_THAT(sentence_with("{}", "{},\"more\":1"), HasSubstr("unknown"));
  EXPECT_THAT(sentence_with(good, "{"), HasSubstr("column"));
}

}  // namespace
}  // namespace pale::session
