// tests/support/mcp_client.h: a real MCP client, in a process of its own, that calls the tools of `pale mcp --manage`.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/host.h"

namespace pale::test {

using Json = nlohmann::ordered_json;

class McpClient {
 public:
  // As the account, with its environment. `server`: the words after the program's name.
  McpClient(Account account, std::vector<std::string> environment,
            std::vector<std::string> server = {"mcp", "--manage"});
  ~McpClient();
  McpClient(const McpClient&) = delete;
  McpClient& operator=(const McpClient&) = delete;

  // The structured content of an answer; the test fails if it is an error.
  Json call(const std::string& tool, const Json& arguments = Json::object());
  // The sentence of an answer that must be an error.
  std::string refusal(const std::string& tool, const Json& arguments);

  // Several at a time.
  int begin(const std::string& tool, const Json& arguments);
  Json result_of(int id);             // {"result": …} or {"failed": …}
  std::string next_progress(int id);  // its message
  void cancel(int id);
  // As if the client's machine were gone.
  void kill();

 private:
  void write(const Json& message);
  Json next_for(int id, std::initializer_list<const char*> kinds);

  int process_ = -1;
  int input_ = -1;
  int output_ = -1;
  std::string buffer_;
  int last_ = 0;
  std::vector<Json> waiting_;
};

}  // namespace pale::test
