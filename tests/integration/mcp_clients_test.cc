// The programs that speak the protocol in the world, against ours: tests/mcp has a script for each.
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/host.h"

namespace pale::test {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

class McpClients : public ::testing::TestWithParam<const char*> {};

TEST_P(McpClients, AreContent) {
  ASSERT_NE(variable("PALE_MCP_CLIENTS"), "") << "run ./dev test";
  const TemporaryDirectory home(Account::Root, "home");
  Process process;
  process.arguments = {"/usr/bin/env", "node", variable("PALE_SOURCE") + "/tests/mcp/" + GetParam() + ".mjs"};
  process.environment = {"PATH=" + variable("PATH"), "PALE_MCP_CLIENTS=" + variable("PALE_MCP_CLIENTS"),
                         "PALE_PROGRAM=" + pale_program(), "PALE_HOME=" + home.text(), "HOME=" + home.text()};
  process.seconds = 400;
  const Finished finished = run(process);
  EXPECT_EQ(finished.exit_code, 0) << finished.out << finished.err;
}

INSTANTIATE_TEST_SUITE_P(Of, McpClients, ::testing::Values("sdk1", "client2", "inspector", "conformance"),
                         [](const auto& which) { return std::string(which.param); });

}  // namespace
}  // namespace pale::test
