#include "mcp/http.h"

#include <gmock/gmock.h>

#include "support/http_server.h"

namespace pale::mcp {
namespace {

using namespace std::chrono_literals;
using test::Client;
using test::newer;
using test::post;
using ::testing::HasSubstr;

class Http : public test::HttpServer {};

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
    client->read_to_end();
    EXPECT_TRUE(client->has_ended());
  }
}

TEST_F(Http, BoundsRequests) {
  options_.limits.requests_per_second = 1;
  options_.limits.burst = 3;
  start();
  ASSERT_TRUE(soon([&] { return ask(newer("tools/list", Json::object())).find("429") != std::string::npos; }));
  EXPECT_THAT(ask(newer("tools/list", Json::object())), HasSubstr("Retry-After: 1"));
}

TEST_F(Http, StrangersWaitForEachOtherAndNobodyForThem) {
  options_.limits.requests_per_second = 0.001;
  options_.limits.burst = 3;
  options_.authenticate = [](std::string_view token) -> std::optional<Principal> {
    if (token != "secret") return std::nullopt;
    return Principal{"alice", {}};
  };
  Route open{.method = "GET", .path = "/page", .access = Route::Access::Open};
  open.vet = [](HttpRequest&) { return std::optional(HttpReply{.status = 401}); };
  options_.routes.push_back(std::move(open));
  start();
  const auto list = [&](const char* token) {
    return ask(newer("tools/list", Json::object(), {{"Authorization", std::string("Bearer ") + token}}));
  };
  EXPECT_THAT(list("wrong"), HasSubstr("401 Unauthorized"));
  EXPECT_THAT(ask("GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n"), HasSubstr("401 Unauthorized"));
  EXPECT_THAT(ask("GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n"), HasSubstr("401 Unauthorized"));
  EXPECT_THAT(list("wrong"), HasSubstr("429 Too Many"));
  EXPECT_THAT(ask("GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n"), HasSubstr("429 Too Many"));
  EXPECT_THAT(list("secret"), HasSubstr("200 OK"));
}

TEST_F(Http, AnOpenRouteThatKnowsWhoAsksHasHisRate) {
  options_.limits.requests_per_second = 0.001;
  options_.limits.burst = 2;
  Route open{.method = "GET", .path = "/page", .access = Route::Access::Open};
  open.vet = [](HttpRequest& request) -> std::optional<HttpReply> {
    request.principal = Principal{"bob", {}};
    return std::nullopt;
  };
  open.answer = [](const HttpRequest&) -> boost::asio::awaitable<HttpReply> { co_return HttpReply{.body = "{}"}; };
  options_.routes.push_back(std::move(open));
  start();
  const std::string get = "GET /page HTTP/1.1\r\nHost: localhost\r\n\r\n";
  EXPECT_THAT(ask(get), HasSubstr("200 OK"));
  EXPECT_THAT(ask(get), HasSubstr("200 OK"));
  EXPECT_THAT(ask(get), HasSubstr("429 Too Many"));
  EXPECT_THAT(ask(newer("tools/list", Json::object())), HasSubstr("200 OK"));  // alice
}

// Whoever holds all connections, resting or at work, others come in.
TEST_F(Http, NobodyHasAllConnections) {
  options_.limits.connections = 8;
  options_.limits.idle_time = 60s;
  options_.authenticate = [](std::string_view token) { return std::optional(Principal{std::string(token), {}}); };
  start();
  const auto of = [](const char* who, const Json& params) {
    return newer("tools/call", params, {{"Authorization", std::string("Bearer ") + who}});
  };
  const Json simple{{"name", "test_simple_text"}};
  std::vector<std::unique_ptr<Client>> held;
  for (int each = 0; each < 20; ++each) {
    held.push_back(std::make_unique<Client>(port_));
    held.back()->send(of(each % 2 == 0 ? "alice" : "bob", simple));
    EXPECT_THAT(held.back()->read_until("for testing"), HasSubstr("200 OK")) << each;
  }
  EXPECT_THAT(ask(of("carol", simple)), HasSubstr("200 OK"));
  held.clear();
  const Json sleep{{"name", "pale_sleep"}, {"arguments", {{"milliseconds", 60000}}}};
  for (int each = 0; each < 4; ++each) {
    held.push_back(std::make_unique<Client>(port_));
    held.back()->send(of("alice", sleep));
  }
  EXPECT_TRUE(soon([&] { return ask(of("alice", simple)).find("429 Too Many") != std::string::npos; }));
  EXPECT_THAT(ask(of("carol", simple)), HasSubstr("200 OK"));
  // Those at work are not closed for newcomers.
  for (int each = 0; each < 4; ++each) {
    held.push_back(std::make_unique<Client>(port_));
    held.back()->send(of("bob", sleep));
  }
  EXPECT_TRUE(soon([&] { return ask(of("carol", simple)).find("503 Service") != std::string::npos; }));
}

TEST_F(Http, StrangersWhoSendNothingMakeRoom) {
  options_.limits.connections = 4;
  start();
  std::vector<std::unique_ptr<Client>> silent;
  for (int each = 0; each < 10; ++each) {
    silent.push_back(std::make_unique<Client>(port_));
    if (each % 2 == 0) silent.back()->send("POST /mcp HTTP/1.1\r\nHo");
  }
  EXPECT_THAT(ask(newer("tools/list", Json::object())), HasSubstr("200 OK"));
}

TEST_F(Http, BoundsWhatOnePrincipalHasUnderWay) {
  options_.limits.calls_per_principal = 2;
  options_.authenticate = [](std::string_view token) { return std::optional(Principal{std::string(token), {}}); };
  start();
  const Json sleep{{"name", "pale_sleep"}, {"arguments", {{"milliseconds", 60000}}}};
  Client first(port_);
  Client second(port_);
  for (Client* client : {&first, &second})
    client->send(newer("tools/call", sleep, {{"Authorization", "Bearer alice"}}));
  const auto list = [&](const char* who) { return ask(newer("tools/list", Json::object(), {{"Authorization", who}})); };
  EXPECT_TRUE(soon([&] { return list("Bearer alice").find("429") != std::string::npos; }));
  EXPECT_THAT(list("Bearer bob"), HasSubstr("200 OK"));
  first.hang_up();
  EXPECT_TRUE(soon([&] { return list("Bearer alice").find("200 OK") != std::string::npos; }));
}

}  // namespace
}  // namespace pale::mcp
