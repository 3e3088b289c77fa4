// ESCAPES 1–10: protected paths inside a writable workspace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/host.h"

namespace pale::test {
namespace {

using testing::HasSubstr;

class ProtectedPaths : public testing::TestWithParam<Account> {
 protected:
  Project project_{GetParam()};
};

TEST_P(ProtectedPaths, E01_CreateAProtectedFileThatDoesNotExistYet) {
  const std::string before = project_.workspace().snapshot();
  const Finished run = project_.run_script("echo hacked > .mcp.json; echo hacked >> .envrc; mkdir .vscode; exit 7");
  EXPECT_EQ(run.exit_code, 7);
  EXPECT_THAT(run.err, HasSubstr("Read-only file system"));
  EXPECT_EQ(project_.workspace().snapshot(), before);
}

INSTANTIATE_TEST_SUITE_P(, ProtectedPaths, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
