// What descriptors 0, 1 and 2 are may be opened by its name again, for what the descriptor can do and nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/host.h"

namespace pale::test {
namespace {

using testing::HasSubstr;

class Streams : public testing::TestWithParam<Account> {
 protected:
  // Behind a command inside comes what a shell of the host makes its streams.
  Finished inside(const std::string& command, const std::string& streams) const {
    Process process;
    process.arguments = {"/bin/sh", "-c", "exec \"$0\" run --project-root . -- /bin/sh -c \"$1\" " + streams,
                         pale_program(), command};
    process.account = GetParam();
    process.environment = project_.environment();
    process.environment.push_back("OUT=" + outside_.text());
    process.directory = project_.workspace().text();
    return run(process);
  }

  Project project_{GetParam()};
  TemporaryDirectory outside_{GetParam(), "outside"};
};

TEST_P(Streams, FilesOutsideThatAreStreamsCanBeOpenedAgain) {
  outside_.write("in", "input\n");
  const Finished run = inside("cat /dev/stdin; echo output > /dev/stdout; echo error > /dev/stderr; exit 7",
                              "< $OUT/in > $OUT/out 2> $OUT/err");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(outside_.read("out"), HasSubstr("output\n"));
  EXPECT_EQ(outside_.read("err"), "error\n");
}

TEST_P(Streams, PipesAndTheNullDeviceCanBeOpenedAgain) {
  const Finished run = inside("cat /dev/stdin > /dev/stdout; echo error > /dev/stderr", "< /dev/null 2>&1 | cat");
  EXPECT_EQ(run.exit_code, 0);
  EXPECT_EQ(run.out, "error\n");
}

TEST_P(Streams, WhatIsOnlyReadCannotBeWritten) {
  outside_.write("in", "input\n");
  const Finished run = inside("echo x > /dev/stdin; echo x >> /proc/self/fd/0; true > /dev/stdin; exit 7", "< $OUT/in");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.err, HasSubstr("Permission denied"));
  EXPECT_EQ(outside_.read("in"), "input\n");
}

TEST_P(Streams, WhatIsOnlyWrittenCannotBeRead) {
  const Finished run = inside("cat < /dev/stdout >&2; exit 7", "> $OUT/out");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.err, HasSubstr("Permission denied"));
}

TEST_P(Streams, ALogIsNotCutShort) {
  outside_.write("log", "kept\n");
  const Finished run = inside("true > /dev/stdout; true > /proc/self/fd/1; echo more; exit 7", ">> $OUT/log");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(outside_.read("log"), "kept\nmore\n");
}

TEST_P(Streams, ADirectoryOpensNothing) {
  outside_.write("secret", "secret\n");
  const Finished run = inside("cat /dev/stdin/secret; cat /proc/self/fd/0/secret; ls /dev/stdin/; exit 7", "< $OUT");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_EQ(run.out, "");
}

INSTANTIATE_TEST_SUITE_P(, Streams, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
