#include "mcp/http.h"

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <future>
#include <thread>

#include "mcp/fixtures.h"

namespace pale::mcp {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using namespace std::chrono_literals;

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
  std::string read_until(std::string_view wanted, std::chrono::milliseconds longest = 5s) {
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
  std::string read_to_end(std::chrono::milliseconds longest = 5s) { return read_until("", longest); }
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

std::string post(const std::string& body, const Headers& more = {}, const std::string& path = "/mcp") {
  std::string text = "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
  for (const auto& [name, value] : more) text += name + ": " + value + "\r\n";
  return text + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string newer(const std::string& method, Json params, const Headers& more = {}) {
  params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
  params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = Json::object();
  Headers headers{{"MCP-Protocol-Version", "2026-07-28"}, {"Mcp-Method", method}};
  if (params.contains("name")) headers.emplace_back("Mcp-Name", params["name"].get<std::string>());
  headers.insert(headers.end(), more.begin(), more.end());
  return post(print_request(1, method, params), headers);
}

std::string older(const std::string& session, int id, const std::string& tool, const Json& arguments) {
  return post(print_request(id, "tools/call", {{"name", tool}, {"arguments", arguments}}),
              {{"Mcp-Session-Id", session}});
}

const std::string kInitialize =
    print_request(0, "initialize", {{"protocolVersion", "2025-11-25"}, {"capabilities", Json::object()}});

class Http : public ::testing::Test {
 protected:
  Http() {
    add_fixtures(server_);
    options_.anonymous = {"alice", {}};
  }
  ~Http() override { stop(); }

  void start() {
    std::promise<std::uint16_t> started;
    options_.started = [&](std::uint16_t port) { started.set_value(port); };
    options_.stopper = [this](std::function<void()> stop) { stop_ = std::move(stop); };
    thread_ = std::thread([this] { served_ = serve_http(loop_, server_, options_); });
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

  Server server_{fixture_about()};
  HttpOptions options_;
  Loop loop_{2};
  std::thread thread_;
  Status served_;
  std::function<void()> stop_;
  std::uint16_t port_ = 0;
};

TEST_F(Http, NeedsATokenThatIsKnown) {
  options_.authenticate = [](std::string_view token) -> std::optional<Principal> {
    if (token != "secret") return std::nullopt;
    return Principal{"alice", {}};
  };
  start();
  EXPECT_THAT(ask(newer("tools/list", Json::object())), HasSubstr("401 Unauthorized"));
  EXPECT_THAT(ask(newer("tools/list", Json::object())), HasSubstr("WWW-Authenticate: Bearer realm=\"pale\"\r\n"));
  EXPECT_THAT(ask(newer("tools/list", Json::object(), {{"Authorization", "Bearer wrong"}})),
              HasSubstr("error=\"invalid_token\""));
  EXPECT_THAT(ask(newer("tools/list", Json::object(), {{"Authorization", "Bearer secret"}})), HasSubstr("200 OK"));
}

TEST_F(Http, RefusesForeignHostsAndOrigins) {
  start();
  std::string foreign = newer("tools/list", Json::object());
  foreign.replace(foreign.find("localhost"), 9, "evil.test");
  EXPECT_THAT(ask(foreign), HasSubstr("403 Forbidden"));
  EXPECT_THAT(ask(newer("tools/list", Json::object(), {{"Origin", "http://evil.test"}})), HasSubstr("403 Forbidden"));
  EXPECT_THAT(ask(newer("tools/list", Json::object(), {{"Origin", "null"}})), HasSubstr("403 Forbidden"));
  EXPECT_THAT(ask(newer("tools/list", Json::object(), {{"Origin", "http://localhost"}})), HasSubstr("200 OK"));
}

TEST_F(Http, SaysWhatIsWrongByTheStatus) {
  options_.limits.header_bytes = 4096;
  options_.bounds.bytes = 10'000;
  start();
  EXPECT_THAT(ask("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"), HasSubstr("405 Method Not Allowed"));
  EXPECT_THAT(ask("PUT /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"), HasSubstr("Allow: POST, GET, DELETE"));
  EXPECT_THAT(ask("GET /elsewhere HTTP/1.1\r\nHost: localhost\r\n\r\n"), HasSubstr("404 Not Found"));
  EXPECT_THAT(ask(post("{}", {{"Accept", "text/html"}})), HasSubstr("406 Not Acceptable"));
  std::string plain = post("{}");
  plain.replace(plain.find("application/json"), 16, "application/text");
  EXPECT_THAT(ask(plain), HasSubstr("415 Unsupported"));
  EXPECT_THAT(ask(post(std::string(20'000, ' '))), HasSubstr("413 Payload Too Large"));
  EXPECT_THAT(ask(post("{}", {{"X", std::string(5000, 'x')}})), HasSubstr("431 Request Header"));
  EXPECT_THAT(ask("nonsense\r\n\r\n"), HasSubstr("400 Bad Request"));
  EXPECT_THAT(ask(post("{")), HasSubstr("-32700"));
  EXPECT_THAT(ask(post("[]")), HasSubstr("400 Bad Request"));
  EXPECT_THAT(ask(post(std::string(9000, '['))), HasSubstr("nested deeper"));
  EXPECT_THAT(ask(post(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})")), HasSubstr("400 Bad Request"));
  EXPECT_THAT(ask(post(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", {{"Mcp-Session-Id", "none"}})),
              HasSubstr("404 Not Found"));
  const std::string unknown = ask(newer("no/such", Json::object()));
  EXPECT_THAT(unknown, HasSubstr("404 Not Found"));
  EXPECT_THAT(unknown, HasSubstr("-32601"));
}

TEST_F(Http, TakesABodyInChunksAndWaitsForWhoAsksFirst) {
  start();
  const std::string whole = newer("tools/list", Json::object(), {{"Expect", "100-continue"}});
  const std::size_t body = whole.find("\r\n\r\n") + 4;
  Client client(port_);
  client.send(whole.substr(0, body));
  EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("100 Continue"));
  client.send(whole.substr(body));
  EXPECT_THAT(client.read_until("test_simple_text"), HasSubstr("200 OK"));
}

TEST_F(Http, KeepsAConnectionForTheNextRequest) {
  start();
  Client client(port_);
  for (int i = 0; i < 3; ++i) {
    client.forget();
    client.send(newer("tools/call", {{"name", "test_simple_text"}}));
    EXPECT_THAT(client.read_until("for testing"), HasSubstr("200 OK"));
  }
  client.forget();
  client.send(newer("tools/call", {{"name", "test_simple_text"}}) +
              newer("tools/call", {{"name", "test_error_handling"}}));
  EXPECT_THAT(client.read_until("intentionally"), HasSubstr("for testing"));
}

TEST_F(Http, DoesNotWaitForSlowClients) {
  options_.limits.header_time = 200ms;
  options_.limits.body_time = 200ms;
  options_.limits.idle_time = 200ms;
  start();
  Client silent(port_);
  Client slow(port_);
  slow.send("POST /mcp HTTP/1.1\r\nHo");
  Client half(port_);
  half.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{");
  for (Client* client : {&silent, &slow, &half}) {
    client->read_to_end(3s);
    EXPECT_TRUE(client->has_ended());
  }
}

TEST_F(Http, BoundsConnectionsAndRequests) {
  options_.limits.connections = 2;
  options_.limits.requests_per_second = 1;
  options_.limits.burst = 3;
  start();
  {
    Client first(port_);
    Client second(port_);
    Client third(port_);
    EXPECT_THAT(third.read_to_end(), HasSubstr("503 Service"));
  }
  std::string last;
  ASSERT_TRUE(soon([&] { return ask(newer("tools/list", Json::object())).find("429") != std::string::npos; }));
  EXPECT_THAT(ask(newer("tools/list", Json::object())), HasSubstr("Retry-After: 1"));
}

TEST_F(Http, HangingUpCancelsInTheNewerEra) {
  start();
  Client client(port_);
  client.send(newer("tools/call", {{"name", "pale_sleep"}, {"arguments", {{"milliseconds", 60000}}}}));
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(slept()["cancelled"], 0);
  client.hang_up();
  EXPECT_TRUE(soon([&] { return slept()["cancelled"] == 1; }));
}

TEST_F(Http, HangingUpDoesNotCancelInTheOlderEraAndTheAnswerIsFetchedLater) {
  options_.limits.patience = 50ms;
  start();
  const std::string session = open_session();
  {
    Client client(port_);
    client.send(older(session, 1, "pale_sleep", {{"milliseconds", 400}}));
    EXPECT_THAT(client.read_until("retry: "), HasSubstr("id: 2.0\n"));
  }
  std::this_thread::sleep_for(600ms);
  EXPECT_EQ(slept()["finished"], 1);
  Client back(port_);
  back.send("GET /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: " + session + "\r\nLast-Event-ID: 2.0\r\n\r\n");
  const std::string reply = back.read_until("0\r\n\r\n");
  EXPECT_THAT(reply, HasSubstr("text/event-stream"));
  EXPECT_THAT(reply, HasSubstr("slept"));
}

TEST_F(Http, LongAnswersBecomeStreamsThatAreKeptAlive) {
  options_.limits.patience = 50ms;
  options_.limits.keep_alive = 50ms;
  start();
  Client client(port_);
  client.send(newer("tools/call", {{"name", "pale_sleep"}, {"arguments", {{"milliseconds", 300}}}}));
  const std::string reply = client.read_until("0\r\n\r\n");
  EXPECT_THAT(reply, HasSubstr("text/event-stream"));
  EXPECT_THAT(reply, HasSubstr(":\n\n"));
  EXPECT_THAT(reply, HasSubstr("slept"));
  EXPECT_THAT(reply, Not(HasSubstr("id: ")));  // nothing to come back for in this era
}

TEST_F(Http, ASessionBelongsToItsPrincipalAndEndsOnRequest) {
  options_.authenticate = [](std::string_view token) { return std::optional(Principal{std::string(token), {}}); };
  start();
  const std::string session = open_session({{"Authorization", "Bearer alice"}});
  ASSERT_EQ(session.size(), 32U);
  const auto list = [&](const char* who) {
    return ask(
        post(print_request(1, "tools/list", Json::object()), {{"Mcp-Session-Id", session}, {"Authorization", who}}));
  };
  EXPECT_THAT(list("Bearer alice"), HasSubstr("200 OK"));
  EXPECT_THAT(list("Bearer mallory"), HasSubstr("404 Not Found"));
  const std::string end =
      "DELETE /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: " + session + "\r\nAuthorization: ";
  EXPECT_THAT(ask(end + "Bearer mallory\r\n\r\n"), HasSubstr("404 Not Found"));
  EXPECT_THAT(ask(end + "Bearer alice\r\n\r\n"), HasSubstr("204 No Content"));
  EXPECT_THAT(list("Bearer alice"), HasSubstr("404 Not Found"));
}

TEST_F(Http, SessionsMakeRoomForEachOther) {
  options_.limits.sessions = 4;
  start();
  std::vector<std::string> sessions;
  for (int i = 0; i < 20; ++i) sessions.push_back(open_session());
  const auto list = [&](const std::string& session) {
    return ask(post(print_request(1, "tools/list", Json::object()), {{"Mcp-Session-Id", session}}));
  };
  EXPECT_THAT(list(sessions.front()), HasSubstr("404 Not Found"));
  EXPECT_THAT(list(sessions.back()), HasSubstr("200 OK"));
}

TEST_F(Http, OffersFurtherRoutes) {
  options_.authenticate = [](std::string_view) -> std::optional<Principal> { return std::nullopt; };
  options_.routes.push_back({.method = "GET",
                             .path = "/health",
                             .access = Route::Access::Open,
                             .answer = [](const HttpRequest&) -> boost::asio::awaitable<HttpReply> {
                               co_return HttpReply{.body = R"({"ok":true})"};
                             }});
  options_.routes.push_back(
      {.method = "GET", .path = "/api/*", .answer = [](const HttpRequest&) -> boost::asio::awaitable<HttpReply> {
         co_return HttpReply{};
       }});
  start();
  EXPECT_THAT(ask("GET /health?x=1 HTTP/1.1\r\nHost: localhost\r\n\r\n"), HasSubstr(R"({"ok":true})"));
  EXPECT_THAT(ask("GET /health HTTP/1.1\r\nHost: evil.test\r\n\r\n"), HasSubstr("403 Forbidden"));
  EXPECT_THAT(ask("GET /api/x HTTP/1.1\r\nHost: localhost\r\n\r\n"), HasSubstr("401 Unauthorized"));
}

TEST_F(Http, StopsWhenCallsHaveFinished) {
  start();
  Client client(port_);
  client.send(newer("tools/call", {{"name", "pale_sleep"}, {"arguments", {{"milliseconds", 300}}}}));
  std::this_thread::sleep_for(100ms);
  stop();
  EXPECT_THAT(client.read_to_end(), HasSubstr("slept"));
  EXPECT_FALSE(Client(port_).is_connected());
}

TEST_F(Http, CancelsCallsThatDoNotFinishInTime) {
  options_.grace = 200ms;
  start();
  const std::string session = open_session();
  Client stream(port_);
  stream.send("GET /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: " + session + "\r\n\r\n");
  stream.read_until("retry");
  Client client(port_);
  client.send(newer("tools/call", {{"name", "pale_sleep"}, {"arguments", {{"milliseconds", 60000}}}}));
  Client other(port_);
  other.send(older(session, 1, "pale_sleep", {{"milliseconds", 60000}}));
  std::this_thread::sleep_for(100ms);
  const auto before = std::chrono::steady_clock::now();
  stop();
  EXPECT_LT(std::chrono::steady_clock::now() - before, 2s);
  EXPECT_THAT(client.read_to_end(), Not(HasSubstr("slept")));
  stream.read_to_end();
  EXPECT_TRUE(stream.has_ended());
}

std::size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST_F(Http, ServesFiftyClientsAtOnceAndKeepsNothingOfThem) {
  start();
  (void)slept();
  const std::size_t before = open_files();
  std::vector<std::thread> clients;
  std::atomic<int> good = 0;
  for (int i = 0; i < 50; ++i) {
    clients.emplace_back([&, i] {
      Client client(port_);
      for (int round = 0; round < 20; ++round) {
        const std::string text = std::to_string(i * 100 + round) + "!";
        client.forget();
        client.send(newer("tools/call", {{"name", "pale_echo"}, {"arguments", {{"text", text}}}}));
        if (client.read_until("serverInfo").find("200 OK") != std::string::npos) ++good;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(good, 1000);
  EXPECT_TRUE(soon([&] { return open_files() <= before; }));
}

}  // namespace
}  // namespace pale::mcp
