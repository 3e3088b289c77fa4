// support/http_server.h: a server of the protocol's fixtures in this process, and clients that write every byte themselves.
#pragma once

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "mcp/fixtures.h"
#include "mcp/http.h"

namespace pale::test {

using namespace std::chrono_literals;
using mcp::Json;

// One connection, and what a client can do with it.
class Client {
 public:
  explicit Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&place), sizeof place) == 0;
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { hang_up(); }
  void hang_up() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  void send(std::string_view text) const { (void)::send(fd_, text.data(), text.size(), MSG_NOSIGNAL); }
  // All until the end, or until it holds something.
  std::string read_until(std::string_view wanted, std::chrono::milliseconds longest = 30s) {
    const auto end = std::chrono::steady_clock::now() + longest;
    while (wanted.empty() || text_.find(wanted) == std::string::npos) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
      pollfd waiting{fd_, POLLIN, 0};
      if (left.count() <= 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) break;
      char buffer[65536];
      const ssize_t size = ::recv(fd_, buffer, sizeof buffer, 0);
      if (size <= 0) {
        ended_ = true;
        break;
      }
      text_.append(buffer, static_cast<std::size_t>(size));
    }
    return text_;
  }
  std::string read_to_end(std::chrono::milliseconds longest = 30s) { return read_until("", longest); }
  bool has_ended() const { return ended_; }
  bool is_connected() const { return connected_; }
  void forget() { text_.clear(); }

 private:
  int fd_;
  bool connected_ = false;
  bool ended_ = false;
  std::string text_;
};

using Headers = std::vector<std::pair<std::string, std::string>>;

inline std::string post(const std::string& body, const Headers& more = {}, const std::string& path = "/mcp") {
  std::string text = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  for (const auto& [name, value] : more) text += name + ": " + value + "\r\n";
  return text + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

inline std::string newer(const std::string& method, Json params, const Headers& more = {}) {
  params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
  params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = Json::object();
  Headers headers{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
  if (params.contains("name")) headers.emplace_back("Mcp-Name", params["name"].get<std::string>());
  headers.insert(headers.end(), more.begin(), more.end());
  return post(mcp::print_request(1, method, params), headers);
}

inline std::string older(const std::string& session, int id, const std::string& tool, const Json& arguments) {
  return post(mcp::print_request(id, "tools/call", {{"name", tool}, {"arguments", arguments}}),
              {{"Mcp-Session-Id", session}});
}

inline const std::string kInitialize =
    mcp::print_request(0, "initialize", {{"protocolVersion", "2025-11-25"}, {"capabilities", Json::object()}});

class HttpServer : public ::testing::Test {
 protected:
  HttpServer() {
    mcp::add_fixtures(server_);
    options_.anonymous = {"alice", {}};
  }
  ~HttpServer() override { stop(); }

  void start() {
    std::promise<std::uint16_t> started;
    options_.started = [&](std::uint16_t port) { started.set_value(port); };
    options_.stopper = [this](std::function<void()> stop) { stop_ = std::move(stop); };
    thread_ = std::thread([this] { served_ = mcp::serve_http(loop_, server_, options_); });
    port_ = started.get_future().get();
  }
  void stop() {
    if (!thread_.joinable()) return;
    stop_();
    thread_.join();
    EXPECT_TRUE(served_);
  }
  // A whole exchange on a connection of its own.
  std::string ask(const std::string& request) {
    Client client(port_);
    client.send(request);
    std::string head = client.read_until("\r\n\r\n");
    const std::size_t length = head.find("Content-Length: ");
    const std::size_t begin = head.find("\r\n\r\n");
    if (length == std::string::npos || begin == std::string::npos) return head;
    const std::size_t size = std::stoul(head.substr(length + 16));
    while (head.size() < begin + 4 + size && !client.has_ended()) head = client.read_until("\n\n\n", 20ms);
    return head;
  }
  std::string open_session(const Headers& more = {}) {
    const std::string reply = ask(post(kInitialize, more));
    const std::size_t at = reply.find("Mcp-Session-Id: ");
    return at == std::string::npos ? "" : reply.substr(at + 16, 32);
  }
  Json slept() {
    const std::string reply = ask(newer("tools/call", {{"name", "pale_slept"}}));
    return Json::parse(reply.substr(reply.find("\r\n\r\n") + 4))["result"]["structuredContent"];
  }
  bool soon(const std::function<bool()>& wanted) {
    for (int i = 0; i < 100 && !wanted(); ++i) std::this_thread::sleep_for(20ms);
    return wanted();
  }

  mcp::Server server_{mcp::fixture_about()};
  mcp::HttpOptions options_;
  mcp::Loop loop_{2};
  std::thread thread_;
  Status served_;
  std::function<void()> stop_;
  std::uint16_t port_ = 0;
};

}  // namespace pale::test
