#include <gmock/gmock.h>

#include <atomic>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <filesystem>

#include "mcp/http.h"
#include "support/http_server.h"

namespace pale::mcp {
namespace {

using namespace std::chrono_literals;
using test::Client;
using test::newer;
using test::older;
using test::post;
using ::testing::HasSubstr;
using ::testing::Not;

class HttpCalls : public test::HttpServer {};

TEST_F(HttpCalls, HangingUpCancelsInTheNewerEra) {
  start();
  Client client(port_);
  client.send(newer("tools/call", {{"name", "pale_sleep"}, {"arguments", {{"milliseconds", 60000}}}}));
  std::this_thread::sleep_for(100ms);
  EXPECT_EQ(slept()["cancelled"], 0);
  client.hang_up();
  EXPECT_TRUE(soon([&] { return slept()["cancelled"] == 1; }));
}

TEST_F(HttpCalls, HangingUpDoesNotCancelInTheOlderEraAndTheAnswerIsFetchedLater) {
  options_.limits.patience = 50ms;
  start();
  const std::string session = open_session();
  {
    Client client(port_);
    client.send(older(session, 1, "pale_sleep", {{"milliseconds", 400}}));
    EXPECT_THAT(client.read_until("retry: "), HasSubstr("id: 2.0\n"));
  }
  EXPECT_TRUE(soon([&] { return slept()["finished"] == 1; }));
  Client back(port_);
  back.send("GET /mcp HTTP/1.1\r\nHost: localhost\r\nMcp-Session-Id: " + session + "\r\nLast-Event-ID: 2.0\r\n\r\n");
  const std::string reply = back.read_until("0\r\n\r\n");
  EXPECT_THAT(reply, HasSubstr("text/event-stream"));
  EXPECT_THAT(reply, HasSubstr("slept"));
}

TEST_F(HttpCalls, ProgressThatIsNotReadIsLeftOutAndTheAnswerComes) {
  server_.add(Tool{.name = "flood",
                   .description = "Says more than anybody reads.",
                   .handler = [](Call& call) -> boost::asio::awaitable<ToolResult> {
                     for (int i = 1; i < 1000; ++i) call.progress(i, {}, std::string(100'000, 'x'));
                     co_return ToolResult::text("the answer");
                   }});
  start();
  Json params{{"name", "flood"}, {"_meta", {{"progressToken", "p"}}}};
  Client one(port_);
  one.send(newer("tools/call", params));
  EXPECT_THAT(one.read_until("0\r\n\r\n"), HasSubstr("the answer"));
  params["arguments"] = Json::object();
  Client other(port_);
  other.send(post(print_request(1, "tools/call", params), {{"Mcp-Session-Id", open_session()}}));
  EXPECT_THAT(other.read_until("0\r\n\r\n"), HasSubstr("the answer"));
}

TEST_F(HttpCalls, LongAnswersBecomeStreamsThatAreKeptAlive) {
  options_.limits.patience = 50ms;
  options_.limits.keep_alive = 50ms;
  start();
  Client client(port_);
  client.send(newer("tools/call", {{"name", "pale_sleep"}, {"arguments", {{"milliseconds", 2000}}}}));
  const std::string reply = client.read_until("0\r\n\r\n");
  EXPECT_THAT(reply, HasSubstr("text/event-stream"));
  EXPECT_THAT(reply, HasSubstr(":\n\n"));
  EXPECT_THAT(reply, HasSubstr("slept"));
  EXPECT_THAT(reply, Not(HasSubstr("id: ")));  // nothing to come back for in this era
}

TEST_F(HttpCalls, ASessionBelongsToItsPrincipalAndEndsOnRequest) {
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

TEST_F(HttpCalls, SessionsMakeRoomForEachOther) {
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

TEST_F(HttpCalls, OffersFurtherRoutes) {
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

TEST_F(HttpCalls, StopsWhenCallsHaveFinished) {
  start();
  Client client(port_);
  client.send(newer("tools/call", {{"name", "pale_sleep"}, {"arguments", {{"milliseconds", 300}}}}));
  std::this_thread::sleep_for(100ms);
  stop();
  EXPECT_THAT(client.read_to_end(), HasSubstr("slept"));
  EXPECT_FALSE(Client(port_).is_connected());
}

TEST_F(HttpCalls, CancelsCallsThatDoNotFinishInTime) {
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
  EXPECT_LT(std::chrono::steady_clock::now() - before, 10s);
  EXPECT_THAT(client.read_to_end(), Not(HasSubstr("slept")));
  stream.read_to_end();
  EXPECT_TRUE(stream.has_ended());
}

TEST_F(HttpCalls, AHandlerThatWillNotStopGoesWithTheLoop) {
  server_.add(Tool{.name = "deaf", .handler = [](Call&) -> boost::asio::awaitable<ToolResult> {
                     co_await boost::asio::this_coro::reset_cancellation_state(boost::asio::disable_cancellation());
                     boost::asio::steady_timer never(co_await boost::asio::this_coro::executor, std::chrono::hours(1));
                     co_await never.async_wait(boost::asio::use_awaitable);
                     co_return ToolResult();
                   }});
  options_.grace = 100ms;
  start();
  Client client(port_);
  client.send(newer("tools/call", {{"name", "deaf"}}));
  Client other(port_);
  other.send(older(open_session(), 1, "deaf", Json::object()));
  std::this_thread::sleep_for(100ms);
  stop();
}

std::size_t open_files() {
  const std::filesystem::directory_iterator files("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

TEST_F(HttpCalls, ServesFiftyClientsAtOnceAndKeepsNothingOfThem) {
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
