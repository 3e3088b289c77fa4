// What the tests of `pale serve` share: the server as a process that can be killed, and a client that writes its own HTTP, so that
// it can write what no good client would.
#pragma once

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "projects.h"
#include "support/session.h"

namespace pale::test {

using Json = nlohmann::ordered_json;
using Headers = std::vector<std::pair<std::string, std::string>>;

// Looks again and again, for as long as a slow machine may need.
inline bool eventually(const std::function<bool()>& holds, std::chrono::seconds patience = std::chrono::seconds(30)) {
  const auto end = std::chrono::steady_clock::now() + patience;
  for (;;) {
    if (holds()) return true;
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

inline std::string contents_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// --- processes --------------------------------------------------------------------------------------------------------

// Those that have the text in their command line, which has spaces between its words.
inline std::vector<pid_t> processes_with(const std::string& text) {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string line = contents_of(entry.path() / "cmdline");
    std::ranges::replace(line, '\0', ' ');
    if (line.find(text) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

// The mount namespaces of processes that are not this one's: those of sandboxes, which hide their command line.
inline std::set<std::string> sandboxes_of(const std::vector<pid_t>& processes) {
  std::set<std::string> found;
  std::error_code failed;
  for (const pid_t each : processes) {
    const auto name = std::filesystem::read_symlink("/proc/" + std::to_string(each) + "/ns/mnt", failed);
    if (!failed) found.insert(name.string());
  }
  found.erase(std::filesystem::read_symlink("/proc/self/ns/mnt").string());
  return found;
}

// Those of sessions, whose hosts stay outside.
inline std::set<std::string> sandboxes_below(const std::vector<pid_t>& hosts) {
  std::set<std::string> found;
  for (const pid_t host : hosts) found.merge(sandboxes_of(descendants_of(host)));
  return found;
}

// Whether a process is left in any of them.
inline bool are_gone(const std::set<std::string>& sandboxes) {
  const std::set<std::string> now = sandboxes_of(processes_with(""));
  return std::ranges::none_of(sandboxes, [&](const std::string& name) { return now.contains(name); });
}

// `pale serve`, on a port of its choice.
class ServerProcess {
 public:
  ServerProcess(Process process, const std::filesystem::path& log, const Words& more) : log_(log) {
    process.arguments = process.arguments + Words{"serve", "--port", "0"} + more;
    const std::size_t before = contents_of(log_).size();
    pid_ = fork();
    if (pid_ == 0) {
      const int out = open(log_.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
      const int in = open("/dev/null", O_RDONLY);
      dup2(in, 0);
      dup2(out, 1);
      dup2(out, 2);
      execute(process);
    }
    const bool up = eventually([&] {
      const std::string said = contents_of(log_).substr(before);
      const std::size_t end = said.find("/mcp\n");
      if (end == std::string::npos) return false;
      port_ = std::stoi(said.substr(said.rfind(':', end) + 1));
      return true;
    });
    EXPECT_TRUE(up) << contents_of(log_);
  }
  ~ServerProcess() { (void)end(SIGKILL); }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  int port() const { return port_; }
  pid_t pid() const { return pid_; }
  std::string log() const { return contents_of(log_); }
  // Its exit code; 128 + n for a signal.
  int end(int signal) {
    if (pid_ <= 0) return -1;
    kill(pid_, signal);
    int status = 0;
    waitpid(std::exchange(pid_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  std::filesystem::path log_;
  pid_t pid_ = -1;
  int port_ = 0;
};

// --- HTTP -------------------------------------------------------------------------------------------------------------

struct HttpAnswer {
  int status = 0;  // 0: none came
  std::string head;
  std::string body;

  std::string header(std::string name) const {
    name = "\r\n" + name + ": ";
    const auto same = [](char a, char b) { return std::tolower(a) == std::tolower(b); };
    const auto found = std::search(head.begin(), head.end(), name.begin(), name.end(), same);
    if (found == head.end()) return {};
    const auto from = found + static_cast<std::ptrdiff_t>(name.size());
    return {from, std::find(from, head.end(), '\r')};
  }
  // The last message: of a stream of events, what it ends with.
  Json json() const {
    const std::size_t data = body.rfind("data: ");
    const bool stream = header("content-type").starts_with("text/event-stream") && data != std::string::npos;
    return Json::parse(stream ? body.substr(data + 6, body.find('\n', data) - data - 6) : body, nullptr, false);
  }
};

namespace http {

inline std::string unchunked(const std::string& body) {
  std::string whole;
  for (std::size_t at = 0; at < body.size();) {
    const std::size_t size = std::strtoul(body.c_str() + at, nullptr, 16);
    at = body.find("\r\n", at);
    if (size == 0 || at == std::string::npos) break;
    whole += body.substr(at + 2, size);
    at += size + 4;
  }
  return whole;
}

// A connection for each request; written as it is, read to its end.
inline std::optional<std::string> exchange(int port, const std::string& request) {
  const int line = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  bool good = connect(line, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  // A server may answer before it has read everything.
  for (std::size_t sent = 0; good && sent < request.size();) {
    const ssize_t some = send(line, request.data() + sent, request.size() - sent, MSG_NOSIGNAL);
    if (some <= 0) break;
    sent += static_cast<std::size_t>(some);
  }
  char buffer[16384];
  while (good) {
    const ssize_t got = recv(line, buffer, sizeof buffer, 0);
    if (got <= 0) break;
    answer.append(buffer, static_cast<std::size_t>(got));
  }
  close(line);
  return good ? std::optional(answer) : std::nullopt;
}

inline std::string request_text(const std::string& method, const Headers& headers, const std::string& body) {
  std::string text = method + " /mcp HTTP/1.1\r\n";
  for (const auto& [name, value] : headers) text += name + ": " + value + "\r\n";
  return text + "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + body;
}

inline HttpAnswer ask(int port, const std::string& text) {
  HttpAnswer answer;
  const auto got = exchange(port, text);
  const std::size_t end = got ? got->find("\r\n\r\n") : std::string::npos;
  if (end == std::string::npos) return answer;
  answer.head = got->substr(0, end + 2);
  answer.status = std::stoi(answer.head.substr(9, 3));
  answer.body = got->substr(end + 4);
  if (answer.header("transfer-encoding") == "chunked") answer.body = unchunked(answer.body);
  return answer;
}

}  // namespace http

// --- MCP --------------------------------------------------------------------------------------------------------------

// A holder of one token (or of none). In the older era it begins with initialize, and has a session with the server.
class Caller {
 public:
  enum class Era { Older, Newer };

  Caller(int port, std::string token, Era era = Era::Newer) : port_(port), token_(std::move(token)), era_(era) {}

  HttpAnswer initialize() {
    const HttpAnswer answer = post("initialize", {{"protocolVersion", "2025-11-25"},
                                                  {"capabilities", Json::object()},
                                                  {"clientInfo", {{"name", "test"}, {"version", "1"}}}});
    session_ = answer.header("mcp-session-id");
    return answer;
  }
  HttpAnswer post(const std::string& method, Json params) {
    Headers headers = usual_headers();
    if (era_ == Era::Newer) {
      headers.emplace_back("MCP-Protocol-Version", kNewest);
      headers.emplace_back("Mcp-Method", method);
      if (method == "tools/call") headers.emplace_back("Mcp-Name", params.at("name").get<std::string>());
      params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", kNewest},
                         {"io.modelcontextprotocol/clientInfo", {{"name", "test"}, {"version", "1"}}},
                         {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
    } else if (!session_.empty()) {
      headers.emplace_back("Mcp-Session-Id", session_);
    }
    const Json message = {{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", std::move(params)}};
    return http::ask(port_, http::request_text("POST", headers, message.dump()));
  }
  HttpAnswer call(const std::string& tool, const Json& arguments = Json::object()) {
    return post("tools/call", {{"name", tool}, {"arguments", arguments}});
  }
  // What a tool answers, which must be no error.
  Json must(const std::string& tool, const Json& arguments = Json::object()) {
    const HttpAnswer answer = call(tool, arguments);
    Json said = answer.json();
    const bool good = said.is_object() && said.contains("result") && !said["result"].value("isError", false);
    EXPECT_TRUE(good) << tool << " " << arguments.dump() << "\n" << answer.status << " " << answer.body;
    return good ? said["result"].value("structuredContent", Json::object()) : Json::object();
  }

  Headers usual_headers() const {
    Headers headers = {{"Host", "127.0.0.1:" + std::to_string(port_)},
                       {"Content-Type", "application/json"},
                       {"Accept", "application/json, text/event-stream"}};
    if (!token_.empty()) headers.emplace_back("Authorization", "Bearer " + token_);
    return headers;
  }
  const std::string& session() const { return session_; }
  void take_session(const std::string& session) { session_ = session; }

 private:
  static constexpr const char* kNewest = "2026-07-28";
  int port_;
  std::string token_;
  Era era_;
  std::string session_;
};

// Whether it is neither a refusal of the protocol's nor of the tool's.
inline bool succeeded(const HttpAnswer& answer) {
  const Json said = answer.json();
  return answer.status == 200 && said.is_object() && said.contains("result") && !said["result"].value("isError", false);
}

class WithServer : public WithProjects {
 protected:
  using json = nlohmann::json;

  Process pale_process() const {
    Process process;
    process.arguments = {pale_program()};
    process.account = GetParam();
    process.environment = project_.environment();
    // What the sanitizer keeps of freed memory is no leak.
    process.environment.emplace_back(
        "ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=1:thread_local_quarantine_size_kb=16");
    return process;
  }
  std::unique_ptr<ServerProcess> start_server(const Words& more = {}) const {
    return std::make_unique<ServerProcess>(pale_process(), log_.path() / "serve.log", more);
  }
  json printed(const Words& words) const {
    const Finished done = pale(words + Words{"--json"});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return json::parse(done.out, nullptr, false);
  }
  struct Token {
    std::string id;
    std::string secret;
  };
  Token make_token(const std::string& scope, const Words& more = {}) const {
    const json made = printed(Words{"token", "create", "--scope", scope} + more);
    return {made.at("id"), made.at("token")};
  }
  TemporaryDirectory log_{GetParam(), "log"};
};

}  // namespace pale::test
