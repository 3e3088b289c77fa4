#include "support/mcp_client.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>

namespace pale::test {
namespace {

constexpr int kPatienceMs = 60'000;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr) throw std::runtime_error(std::string(name) + " is not set: run ./dev test");
  return value;
}

}  // namespace

McpClient::McpClient(Account account, std::vector<std::string> environment, std::vector<std::string> server) {
  environment.push_back("PATH=" + variable("PATH"));
  environment.push_back("PALE_MCP_CLIENTS=" + variable("PALE_MCP_CLIENTS"));
  Process process;
  process.arguments = {"/usr/bin/env", "node", variable("PALE_SOURCE") + "/tests/mcp/bridge.mjs", pale_program()};
  process.arguments.insert(process.arguments.end(), server.begin(), server.end());
  process.account = account;
  process.environment = std::move(environment);
  int input[2] = {}, output[2] = {};
  if (pipe(input) != 0 || pipe(output) != 0) throw std::runtime_error("pipe");
  process_ = fork();
  if (process_ == 0) {
    setpgid(0, 0);
    dup2(input[0], 0);
    dup2(output[1], 1);
    for (const int fd : {input[0], input[1], output[0], output[1]}) close(fd);
    execute(process);
  }
  close(input[0]);
  close(output[1]);
  input_ = input[1];
  output_ = output[0];
  (void)next_for(0, {"ready"});
}

McpClient::~McpClient() {
  if (input_ >= 0) close(input_);
  if (process_ > 0) waitpid(process_, nullptr, 0);
  close(output_);
}

void McpClient::kill() {
  ::kill(-process_, SIGKILL);
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

void McpClient::write(const Json& message) {
  const std::string line = message.dump() + "\n";
  ASSERT_EQ(::write(input_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
}

Json McpClient::next_for(int id, std::initializer_list<const char*> kinds) {
  const auto fits = [&](const Json& message) {
    return message.value("id", 0) == id &&
           std::ranges::any_of(kinds, [&](const char* kind) { return message.contains(kind); });
  };
  for (;;) {
    if (const auto found = std::ranges::find_if(waiting_, fits); found != waiting_.end()) {
      Json message = std::move(*found);
      waiting_.erase(found);
      return message;
    }
    if (const std::size_t end = buffer_.find('\n'); end != std::string::npos) {
      waiting_.push_back(Json::parse(buffer_.substr(0, end)));
      buffer_.erase(0, end + 1);
      continue;
    }
    pollfd waited = {output_, POLLIN, 0};
    char bytes[65536];
    const ssize_t got = poll(&waited, 1, kPatienceMs) == 1 ? read(output_, bytes, sizeof bytes) : -1;
    if (got <= 0) {
      ADD_FAILURE() << "the MCP client said nothing for call " << id;
      return {{"failed", "nothing was said"}};
    }
    buffer_.append(bytes, static_cast<std::size_t>(got));
  }
}

int McpClient::begin(const std::string& tool, const Json& arguments) {
  write({{"id", ++last_}, {"tool", tool}, {"arguments", arguments}});
  return last_;
}

Json McpClient::result_of(int id) { return next_for(id, {"result", "failed"}); }

std::string McpClient::next_progress(int id) {
  return next_for(id, {"progress"}).value("progress", Json::object()).value("message", "");
}

void McpClient::cancel(int id) { write({{"cancel", id}}); }

Json McpClient::call(const std::string& tool, const Json& arguments) {
  const Json answer = result_of(begin(tool, arguments));
  const Json result = answer.value("result", Json::object());
  EXPECT_TRUE(answer.contains("result") && !result.value("isError", false)) << tool << ": " << answer.dump();
  return result.value("structuredContent", Json::object());
}

std::string McpClient::refusal(const std::string& tool, const Json& arguments) {
  const Json answer = result_of(begin(tool, arguments));
  const Json result = answer.value("result", Json::object());
  EXPECT_TRUE(result.value("isError", false)) << tool << " was not refused: " << answer.dump();
  const Json content = result.value("content", Json::array());
  return content.empty() ? answer.value("failed", "") : content.at(0).value("text", "");
}

}  // namespace pale::test
