#include "cli/arguments.h"

#include <gtest/gtest.h>

namespace pale::cli {
namespace {

constexpr Option kOptions[] = {{"--rw", "PATH", ""}, {"--json", "", ""}, {"--network", "none|open", ""}};

Result<Arguments> parse(std::vector<std::string> words, AfterDashes after = AfterDashes::Command) {
  std::vector<char*> raw;
  raw.reserve(words.size());
  for (std::string& word : words) raw.push_back(word.data());
  return parse_arguments(raw, kOptions, after);
}

TEST(Arguments, TakeValuesAsOneWordOrTwo) {
  const auto arguments = parse({"--rw", "a", "--rw=b=c", "--json"});
  ASSERT_TRUE(arguments);
  ASSERT_EQ(arguments->options.size(), 3U);
  EXPECT_EQ(arguments->options[0].second, "a");
  EXPECT_EQ(arguments->options[1].second, "b=c");
  EXPECT_EQ(arguments->value("--rw"), "b=c");
  EXPECT_TRUE(arguments->has("--json"));
  EXPECT_FALSE(arguments->has("--network"));
}

TEST(Arguments, KeepEverythingAfterTheDashesVerbatim) {
  const auto arguments = parse({"--json", "--", "--rw", "--", "", "-x"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->command, (std::vector<std::string>{"--rw", "--", "", "-x"}));
}

TEST(Arguments, SuggestTheNearestOption) {
  const auto arguments = parse({"--netwrk", "none"});
  ASSERT_FALSE(arguments);
  EXPECT_EQ(arguments.error().kind, ErrorKind::Usage);
  EXPECT_NE(arguments.error().hint.find("--network"), std::string::npos);
}

TEST(Arguments, RefuseAMissingValueAnUnwantedOneAndUnwantedDashes) {
  EXPECT_FALSE(parse({"--rw"}));
  EXPECT_FALSE(parse({"--json=1"}));
  EXPECT_FALSE(parse({"--"}, AfterDashes::Forbidden));
}

TEST(Arguments, CollectOperands) {
  const auto arguments = parse({"a", "--json", "-"});
  ASSERT_TRUE(arguments);
  EXPECT_EQ(arguments->operands, (std::vector<std::string>{"a", "-"}));
}

}  // namespace
}  // namespace pale::cli
