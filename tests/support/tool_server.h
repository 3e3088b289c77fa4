// tests/support/tool_server.h: `pale mcp` on one project, and a client that speaks its protocol over pipes.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/host.h"
#include "support/json_lines.h"

namespace pale::test {

class ToolServer {
 public:
  using Json = nlohmann::ordered_json;

  // pale mcp --project-root W FLAGS…
  ToolServer(const Project& project, std::vector<std::string> flags = {}, const Json& capabilities = Json::object())
      : ToolServer(project, std::move(flags), Silent{}) {
    open(capabilities);
  }
  // Nothing is said to it yet.
  struct Silent {};
  ToolServer(const Project& project, std::vector<std::string> flags, Silent) {
    Process process;
    process.arguments = {pale_program(), "mcp", "--project-root", project.workspace().text()};
    process.arguments.insert(process.arguments.end(), flags.begin(), flags.end());
    process.account = project.account();
    process.environment = project.environment();
    int input[2] = {}, output[2] = {};
    if (pipe(input) != 0 || pipe(output) != 0) throw std::runtime_error("pipe");
    process_ = fork();
    if (process_ == 0) {
      dup2(input[0], 0);
      dup2(output[1], 1);
      for (const int fd : {input[0], input[1], output[0], output[1]}) close(fd);
      execute(process);
    }
    close(input[0]);
    close(output[1]);
    to_ = input[1];
    from_ = output[0];
  }
  void open(const Json& capabilities = Json::object()) {
    opened_ = ask("initialize", {{"protocolVersion", "2025-11-25"}, {"capabilities", capabilities}});
  }
  ~ToolServer() {
    if (process_ > 0) (void)end();
    close(from_);
  }
  ToolServer(const ToolServer&) = delete;
  ToolServer& operator=(const ToolServer&) = delete;

  // A result, or {"error": …}.
  Json ask(const std::string& method, const Json& params = Json::object()) {
    send({{"jsonrpc", "2.0"}, {"id", ++last_}, {"method", method}, {"params", params}});
    const Json answer = next();
    return answer.contains("result") ? answer["result"] : answer;
  }
  void send(const Json& message) {
    const std::string line = message.dump() + "\n";
    EXPECT_EQ(write(to_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
  }
  // A call whose answer is waited for later; returns its id.
  int begin(const std::string& tool, const Json& arguments) {
    send({{"jsonrpc", "2.0"},
          {"id", ++last_},
          {"method", "tools/call"},
          {"params", {{"name", tool}, {"arguments", arguments}}}});
    return last_;
  }
  Json call(const std::string& tool, const Json& arguments = Json::object()) {
    return ask("tools/call", {{"name", tool}, {"arguments", arguments}});
  }
  // Of a call that must not fail.
  Json data(const std::string& tool, const Json& arguments = Json::object()) {
    const Json result = call(tool, arguments);
    EXPECT_FALSE(result.value("isError", false)) << tool << arguments.dump() << result.dump();
    return result.value("structuredContent", Json::object());
  }
  // The sentences of one that must.
  std::string refusal(const std::string& tool, const Json& arguments) {
    const Json result = call(tool, arguments);
    EXPECT_TRUE(result.value("isError", false)) << tool << arguments.dump() << result.dump();
    return result.value("content", Json::array({Json::object()}))[0].value("text", "");
  }
  // Whatever it says, as text.
  std::string said(const std::string& tool, const Json& arguments) { return call(tool, arguments).dump(); }

  const Json& opened() const { return opened_; }
  int process() const { return process_; }

  // The exit code at the end of the input.
  int end() {
    hang_up();
    return wait();
  }
  void hang_up() { close(to_); }
  // And when it ends by itself.
  int wait() {
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  Json next() { return lines_.next(from_, 60'000).value_or(Json::object({{"error", "nothing was said"}})); }

 private:
  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
  JsonLines lines_;
  int last_ = 0;
  Json opened_;
};

}  // namespace pale::test
