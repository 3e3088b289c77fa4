#include "tools/output.h"

#include <gmock/gmock.h>
#include <sys/resource.h>

#include <csignal>

#include "support/directory.h"

namespace pale::tools {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class CommandOutput : public test::InADirectory {};

TEST_F(CommandOutput, WhatFitsIsShownAsItIs) {
  Output output(base().text(), 10);
  output.add("01234");
  output.add("56789");
  EXPECT_EQ(output.shown(), "0123456789");
  EXPECT_FALSE(output.is_cut());
  EXPECT_EQ(output.file(), "");
}

TEST_F(CommandOutput, OfMoreTheBeginningAndTheEndAreShownAndAllIsKept) {
  Output output(base().text(), 10);
  std::string all;
  for (int i = 0; i < 100; ++i) {
    all += std::to_string(i) + "\n";
    output.add(std::to_string(i) + "\n");
  }
  EXPECT_TRUE(output.is_cut());
  EXPECT_EQ(output.size(), all.size());
  EXPECT_THAT(output.shown(), StartsWith("0\n1\n2"));
  EXPECT_THAT(output.shown(), EndsWith("8\n99\n"));
  EXPECT_THAT(output.shown(), HasSubstr(std::to_string(all.size() - 10) + " bytes are left out here"));
  EXPECT_THAT(output.shown(), HasSubstr(output.file()));
  EXPECT_EQ(read(output.file().substr(base().text().size() + 1)), all);
}

TEST_F(CommandOutput, WithoutAPlaceForItTheRestIsSaidToBeLeftOut) {
  Output output("/nowhere", 4);
  for (int i = 0; i < 5; ++i) output.add("abcdef");
  EXPECT_EQ(output.file(), "");
  EXPECT_THAT(output.shown(), HasSubstr("26 bytes are left out here]"));
}

TEST_F(CommandOutput, OfAFileThatCannotGrowItIsSaidHowFarItGoes) {
  const auto before = signal(SIGXFSZ, SIG_IGN);
  rlimit limit = {};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit small = {8, limit.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  Output output(base().text(), 4);
  for (int i = 0; i < 5; ++i) output.add("abc");
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
  signal(SIGXFSZ, before);
  EXPECT_THAT(output.shown(), HasSubstr("; the first 6 bytes of it are in " + output.file()));
}

TEST_F(CommandOutput, NewsIsWhatCameSince) {
  Output output(base().text(), 100000);
  output.add("one");
  EXPECT_EQ(output.news(), "one");
  EXPECT_EQ(output.news(), "");
  output.add(std::string(20000, 'x') + "end");
  EXPECT_EQ(output.news().size(), 4096U);
}

}  // namespace
}  // namespace pale::tools
