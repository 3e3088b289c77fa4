#include "mcp/peer.h"

#include <gmock/gmock.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "mcp/fixtures.h"

namespace pale::mcp {
namespace {

using ::testing::HasSubstr;

// Keeps all that is said, and answers questions as it is told.
class Heard final : public Outlet {
 public:
  void send(std::string message) override {
    said.push_back(Json::parse(message));
    if (when_asked && said.back().contains("id")) when_asked(said.back());
  }
  void finish(std::string text, Verdict how) override {
    response = Json::parse(text);
    verdict = how;
  }
  void abandon() override { abandoned = true; }
  bool is_behind() const noexcept override { return false; }

  std::vector<Json> said;
  Json response;
  Verdict verdict = Verdict::Answered;
  bool abandoned = false;
  std::function<void(const Json&)> when_asked;
};

class Peers : public ::testing::Test {
 protected:
  Peers() { add_fixtures(server_); }

  std::shared_ptr<Heard> start(Message message) {
    auto heard = std::make_shared<Heard>();
    const Era era = era_of(message);
    peer_->receive(std::move(message), era, principal_, heard);
    return heard;
  }
  // What is ready now, though something else may wait for ever.
  void run_ready() {
    const auto stop = [](Loop& loop) -> boost::asio::awaitable<void> {
      loop.stop();
      co_return;
    };
    loop_.spawn(stop(loop_));
    loop_.run();
  }
  std::shared_ptr<Heard> ask(const char* method, Json params, const Json& id = 1) {
    auto heard = start({.kind = MessageKind::Request, .id = id, .method = method, .params = std::move(params)});
    loop_.run();
    return heard;
  }
  std::shared_ptr<Heard> newer(const char* method, Json params, const Json& capabilities = Json::object()) {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28";
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
    return ask(method, std::move(params));
  }
  void initialize(const char* version = "2025-11-25", const Json& capabilities = Json::object()) {
    ask("initialize", {{"protocolVersion", version}, {"capabilities", capabilities}});
  }
  void notify(const char* method, Json params) {
    peer_->receive({.kind = MessageKind::Notification, .method = method, .params = std::move(params)}, Era::Older,
                   principal_, nullptr);
  }
  Json slept() { return newer("tools/call", {{"name", "pale_slept"}})->response["result"]["structuredContent"]; }

  Principal principal_{"alice", {}};
  Server server_{fixture_about()};
  Loop loop_{1};
  std::shared_ptr<Peer> peer_ = std::make_shared<Peer>(loop_, server_, 4);
};

TEST_F(Peers, OlderVersionsAreAgreedUponAndOthersGetTheNewestOfTheEra) {
  for (const auto& [asked, given] :
       {std::pair{"2025-06-18", "2025-06-18"}, {"2025-11-25", "2025-11-25"}, {"2024-11-05", "2025-11-25"}}) {
    peer_ = std::make_shared<Peer>(loop_, server_, 4);
    const auto heard = ask("initialize", {{"protocolVersion", asked}, {"capabilities", Json::object()}});
    EXPECT_EQ(heard->response["result"]["protocolVersion"], given);
    EXPECT_EQ(heard->response["result"]["serverInfo"]["name"], "pale-fixtures");
  }
}

TEST_F(Peers, NothingButPingIsAnsweredBeforeInitialize) {
  EXPECT_EQ(ask("ping", Json::object())->response["result"], Json::object());
  EXPECT_EQ(ask("tools/list", Json::object())->response["error"]["code"], kInvalidRequest);
  initialize();
  EXPECT_GT(ask("tools/list", Json::object())->response["result"]["tools"].size(), 20U);
  EXPECT_EQ(ask("initialize", {{"protocolVersion", "2025-11-25"}})->response["error"]["code"], kInvalidRequest);
}

TEST_F(Peers, ErasDoNotMix) {
  initialize();
  EXPECT_EQ(ask("resources/subscribe", {{"uri", "x"}})->response["result"], Json::object());
  const auto removed = newer("resources/subscribe", {{"uri", "x"}});
  EXPECT_EQ(removed->response["error"]["code"], kMethodNotFound);
  EXPECT_EQ(removed->verdict, Verdict::NoMethod);
  EXPECT_EQ(newer("ping", Json::object())->response["error"]["code"], kMethodNotFound);
  EXPECT_EQ(ask("subscriptions/listen", Json::object())->response["error"]["code"], kMethodNotFound);
}

TEST_F(Peers, NewerResultsSayWhatTheyAreAndWhoseTheyAre) {
  const Json result = newer("tools/list", Json::object())->response["result"];
  EXPECT_EQ(result["resultType"], "complete");
  EXPECT_EQ(result["cacheScope"], "private");
  EXPECT_EQ(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "pale-fixtures");
  initialize();
  const Json older = ask("tools/list", Json::object())->response["result"];
  EXPECT_EQ(older.size(), 1U);
  EXPECT_EQ(older["tools"], result["tools"]);
}

TEST_F(Peers, NewerRequestsNeedTheirMeta) {
  const auto missing = ask("server/discover", Json::object());
  EXPECT_EQ(missing->response["error"]["code"], kInvalidParams);
  EXPECT_EQ(missing->verdict, Verdict::Malformed);
  const Json meta{{"io.modelcontextprotocol/protocolVersion", "1999-01-01"}};
  const Json error = ask("tools/list", {{"_meta", meta}})->response["error"];
  EXPECT_EQ(error["code"], kUnsupportedVersion);
  EXPECT_EQ(error["data"]["supported"], Json::array({"2026-07-28"}));
  EXPECT_EQ(error["data"]["requested"], "1999-01-01");
}

TEST_F(Peers, ABadArgumentIsToldAsEachVersionWants) {
  const Json params{{"name", "pale_echo"}, {"arguments", {{"text", 7}}}};
  initialize("2025-06-18");
  const Json error = ask("tools/call", params)->response["error"];
  EXPECT_EQ(error["code"], kInvalidParams);
  EXPECT_EQ(error["message"], "pale_echo: text: must be a text, not a whole number");
  peer_ = std::make_shared<Peer>(loop_, server_, 4);
  initialize("2025-11-25");
  for (const auto& heard : {ask("tools/call", params), newer("tools/call", params)}) {
    EXPECT_EQ(heard->response["result"]["isError"], true);
    EXPECT_EQ(heard->response["result"]["content"][0]["text"], "pale_echo: text: must be a text, not a whole number");
  }
}

TEST_F(Peers, StructuredContentIsGivenAsTextToo) {
  const Json result = newer("tools/call", {{"name", "pale_echo"}, {"arguments", {{"text", "hä"}}}})->response["result"];
  EXPECT_EQ(result["structuredContent"], (Json{{"text", "hä"}}));
  EXPECT_EQ(Json::parse(result["content"][0]["text"].get<std::string>()), result["structuredContent"]);
}

TEST_F(Peers, AToolThatIsNotSeenIsDeniedLikeOneThatDoesNotExist) {
  server_.visible = [](const Principal& who, const Tool& tool) {
    return who.name == "admin" || tool.name != "pale_echo";
  };
  const Json hidden = newer("tools/call", {{"name", "pale_echo"}, {"arguments", {{"text", "x"}}}})->response["error"];
  Json missing = newer("tools/call", {{"name", "pale_ech0"}, {"arguments", {{"text", "x"}}}})->response["error"];
  missing["message"] = R"(there is no tool "pale_echo")";
  EXPECT_EQ(hidden, missing);
  const auto count = [&] { return newer("tools/list", Json::object())->response["result"]["tools"].size(); };
  const auto seen = count();
  principal_.name = "admin";
  EXPECT_EQ(count(), seen + 1);
}

TEST_F(Peers, CancellationReachesTheHandlerAndNothingIsAnswered) {
  initialize();
  const auto heard = start({.kind = MessageKind::Request,
                            .id = "s",
                            .method = "tools/call",
                            .params = {{"name", "pale_sleep"}, {"arguments", {{"milliseconds", 60000}}}}});
  EXPECT_EQ(peer_->running(), 1U);
  notify("notifications/cancelled", {{"requestId", "s"}});
  loop_.run();
  EXPECT_TRUE(heard->abandoned);
  EXPECT_TRUE(heard->response.is_null());
  EXPECT_EQ(peer_->running(), 0U);
  EXPECT_EQ(slept()["cancelled"], 1);
  notify("notifications/cancelled", {{"requestId", "s"}});  // too late, as some clients are
  notify("notifications/cancelled", Json::object());
}

TEST_F(Peers, IdsAndNumbersOfRunningRequestsAreBounded) {
  initialize();
  const Message sleep{.kind = MessageKind::Request,
                      .id = 1,
                      .method = "tools/call",
                      .params = {{"name", "pale_sleep"}, {"arguments", {{"milliseconds", 60000}}}}};
  std::vector<std::shared_ptr<Heard>> sleeps;
  for (int id = 1; id <= 4; ++id) {
    Message next = sleep;
    next.id = id;
    sleeps.push_back(start(next));
  }
  EXPECT_THAT(start(sleep)->response["error"]["message"].get<std::string>(), HasSubstr("id"));
  Message fifth = sleep;
  fifth.id = 5;
  EXPECT_THAT(start(fifth)->response["error"]["message"].get<std::string>(), HasSubstr("too many"));
  EXPECT_EQ(start(fifth)->response["id"], 5);
  peer_->cancel_all();
  loop_.run();
  EXPECT_EQ(peer_->running(), 0U);
}

TEST_F(Peers, ProgressIsToldToWhoAskedForIt) {
  EXPECT_TRUE(newer("tools/call", {{"name", "test_tool_with_progress"}})->said.empty());
  const auto heard = newer("tools/call", {{"name", "test_tool_with_progress"}, {"_meta", {{"progressToken", "p"}}}});
  ASSERT_EQ(heard->said.size(), 3U);
  EXPECT_EQ(heard->said[1]["params"],
            (Json{{"progressToken", "p"}, {"progress", 50.0}, {"total", 100.0}, {"message", "on the way"}}));
}

TEST_F(Peers, AnOlderClientIsAskedWhileTheCallWaits) {
  initialize("2025-11-25", {{"elicitation", Json::object()}});
  auto heard = std::make_shared<Heard>();
  heard->when_asked = [&](const Json& question) {
    EXPECT_EQ(question["method"], "elicitation/create");
    peer_->receive({.kind = MessageKind::Response,
                    .id = question["id"],
                    .result = {{"action", "accept"}, {"content", {{"name", "Bo"}}}}},
                   Era::Older, principal_, nullptr);
  };
  peer_->receive({.kind = MessageKind::Request,
                  .id = 1,
                  .method = "tools/call",
                  .params = {{"name", "test_input_required_result_elicitation"}}},
                 Era::Older, principal_, heard);
  loop_.run();
  EXPECT_EQ(heard->response["result"]["content"][0]["text"], "Hello, Bo!");
}

TEST_F(Peers, ANewerClientIsAskedByTheResultAndComesBack) {
  const Json can{{"elicitation", Json::object()}};
  const Json request{{"name", "test_input_required_result_multi_round"}};
  Json first = newer("tools/call", request, can)->response["result"];
  EXPECT_EQ(first["resultType"], "input_required");
  EXPECT_TRUE(first["inputRequests"].contains("step1"));
  Json again = request;
  again["requestState"] = first["requestState"];
  again["inputResponses"] = {{"step1", {{"action", "accept"}, {"content", {{"name", "Bo"}}}}}};
  Json second = newer("tools/call", again, can)->response["result"];
  EXPECT_TRUE(second["inputRequests"].contains("step2"));
  again["requestState"] = second["requestState"];
  again["inputResponses"] = {{"step2", {{"action", "accept"}, {"content", {{"color", "red"}}}}}};
  EXPECT_EQ(newer("tools/call", again, can)->response["result"]["content"][0]["text"],
            R"({"name":"Bo"}{"color":"red"})");
  // It was given to one principal for one request.
  Json stolen = again;
  stolen["arguments"] = {{"x", 1}};
  EXPECT_EQ(newer("tools/call", stolen, can)->response["error"]["code"], kInvalidParams);
  principal_.name = "mallory";
  EXPECT_EQ(newer("tools/call", again, can)->response["error"]["code"], kInvalidParams);
}

TEST_F(Peers, AClientThatCannotBeAskedIsToldWhatItLacks) {
  const auto heard = newer("tools/call", {{"name", "test_missing_capability"}});
  EXPECT_EQ(heard->response["error"]["code"], kMissingCapability);
  EXPECT_EQ(heard->response["error"]["data"]["requiredCapabilities"], (Json{{"sampling", Json::object()}}));
  EXPECT_EQ(heard->verdict, Verdict::Malformed);
}

TEST_F(Peers, ASubscriptionHearsWhatItAskedForUntilItIsCancelled) {
  Json params{{"notifications", {{"toolsListChanged", true}}}};
  params["_meta"] = {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
                     {"io.modelcontextprotocol/clientCapabilities", Json::object()}};
  const auto heard = start({.kind = MessageKind::Request, .id = 9, .method = "subscriptions/listen", .params = params});
  run_ready();
  server_.announce("notifications/prompts/list_changed");
  server_.announce("notifications/tools/list_changed");
  ASSERT_EQ(heard->said.size(), 2U);
  EXPECT_EQ(heard->said[0]["method"], "notifications/subscriptions/acknowledged");
  EXPECT_EQ(heard->said[1]["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], 9);
  peer_->cancel_subscriptions();
  loop_.run();
  EXPECT_TRUE(heard->abandoned);
  server_.announce("notifications/tools/list_changed");
  EXPECT_EQ(heard->said.size(), 2U);
}

TEST_F(Peers, WhatAHandlerThrowsIsAnAnswer) {
  server_.add(Tool{.name = "throws", .handler = [](Call&) -> boost::asio::awaitable<ToolResult> {
                     throw std::runtime_error("oh");
                     co_return ToolResult();
                   }});
  server_.add(Tool{.name = "throws_elsewhere", .handler = [](Call& call) -> boost::asio::awaitable<ToolResult> {
                     co_await call.on_pool([] { throw std::runtime_error("oh"); });
                     co_return ToolResult();
                   }});
  for (const char* name : {"throws", "throws_elsewhere"}) {
    const Json error = newer("tools/call", {{"name", name}})->response["error"];
    EXPECT_EQ(error["code"], kInternalError);
    EXPECT_EQ(error["message"], "the request failed: oh");
  }
}

TEST_F(Peers, WorkOnThePoolRunsToItsEndThoughTheCallIsCancelled) {
  bool finished = false;
  server_.add(Tool{.name = "blocks", .handler = [&](Call& call) -> boost::asio::awaitable<ToolResult> {
                     co_await call.on_pool([&] {
                       while (!call.is_cancelled()) boost::asio::steady_timer::clock_type::now();
                       finished = true;
                     });
                     boost::asio::steady_timer never(co_await boost::asio::this_coro::executor, std::chrono::hours(1));
                     co_await never.async_wait(boost::asio::use_awaitable);
                     co_return ToolResult();
                   }});
  initialize();
  const auto heard =
      start({.kind = MessageKind::Request, .id = 1, .method = "tools/call", .params = {{"name", "blocks"}}});
  notify("notifications/cancelled", {{"requestId", 1}});
  loop_.run();
  EXPECT_TRUE(finished);
  EXPECT_TRUE(heard->abandoned);
}

}  // namespace
}  // namespace pale::mcp
