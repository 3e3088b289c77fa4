#include "mcp/http_rules.h"

#include <gtest/gtest.h>

#include "mcp/rate.h"
#include "mcp/running.h"
#include "mcp/tool.h"

namespace pale::mcp {
namespace {

const boost::asio::ip::address kHere = boost::asio::ip::make_address("127.0.0.1");

TEST(Host, IsThisMachineOrAGivenName) {
  for (const char* host : {"localhost", "LOCALHOST:1", "127.0.0.1:8080", "[::1]", "[::1]:80"})
    EXPECT_TRUE(is_own_host(host, kHere, {})) << host;
  for (const char* host : {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil", "localhost:x", "[::1",
                           "localhost:80:80", "localhost:", "evil@localhost", "::1"}) {
    EXPECT_FALSE(is_own_host(host, kHere, {})) << host;
  }
  EXPECT_TRUE(is_own_host("pale.example:443", kHere, {"Pale.example"}));
  EXPECT_TRUE(is_own_host("[fd00::2]:443", kHere, {"fd00::2"}));
}

TEST(Host, IsTheAddressThatWasReachedAndNoOther) {
  const auto at = [](const char* local) { return boost::asio::ip::make_address(local); };
  EXPECT_TRUE(is_own_host("10.0.0.7:80", at("10.0.0.7"), {}));
  EXPECT_TRUE(is_own_host("10.0.0.7", at("::ffff:10.0.0.7"), {}));
  EXPECT_TRUE(is_own_host("[fd00::2]", at("fd00::2"), {}));
  EXPECT_TRUE(is_own_host("[FD00:0:0::2]:80", at("fd00::2"), {}));
  EXPECT_TRUE(is_own_host("[fe80::1]", at("fe80::1%1"), {}));
  for (const char* host : {"10.0.0.8", "10.0.0.7.evil", "[10.0.0.7]", "fd00::2", "[fd00::3]", "[fd00::2", "10.0.0.7@x"})
    EXPECT_FALSE(is_own_host(host, at("10.0.0.7"), {}) || is_own_host(host, at("fd00::2"), {})) << host;
}

TEST(Origin, IsTheServersOwnOrAGivenOne) {
  EXPECT_TRUE(is_own_origin("http://localhost:80", "localhost:80", {}));
  EXPECT_FALSE(is_own_origin("http://localhost:81", "localhost:80", {}));  // another program on this machine
  EXPECT_FALSE(is_own_origin("null", "localhost:80", {}));
  EXPECT_FALSE(is_own_origin("http://localhost:80.evil", "localhost:80", {}));
  EXPECT_TRUE(is_own_origin("https://studio.example", "localhost:80", {"https://studio.example"}));
}

TEST(Token, FollowsTheWordBearer) {
  EXPECT_EQ(bearer_token("Bearer abc"), "abc");
  EXPECT_EQ(bearer_token("bearer  abc "), "abc");
  for (const char* text : {"", "Bearer", "Bearer ", "Basic abc", "abc"})
    EXPECT_EQ(bearer_token(text), std::nullopt) << text;
}

TEST(Accept, KnowsListsWeightsAndWildcards) {
  EXPECT_TRUE(accepts("text/event-stream, application/json", "text/event-stream"));
  EXPECT_TRUE(accepts("text/event-stream, application/json", "application/json"));
  EXPECT_TRUE(accepts("text/html;q=1, application/json;q=0.5", "application/json"));
  EXPECT_TRUE(accepts("*/*", "application/json"));
  EXPECT_TRUE(accepts("text/*", "text/event-stream"));
  EXPECT_TRUE(accepts("", "application/json"));
  EXPECT_FALSE(accepts("text/html", "application/json"));
  EXPECT_FALSE(accepts("application/json", "text/event-stream"));
  EXPECT_TRUE(is_json("application/json; charset=utf-8"));
  EXPECT_FALSE(is_json("text/plain"));
}

HttpRequest request(std::vector<std::pair<std::string, std::string>> headers) {
  return {.method = "POST", .headers = std::move(headers)};
}

Message call(const char* tool) {
  Message message{.kind = MessageKind::Request, .id = 1, .method = "tools/call"};
  message.params = Json{{"name", tool}, {"_meta", {{kMetaVersion, "2026-07-28"}}}};
  return message;
}

TEST(Headers, SayTheSameAsTheBody) {
  using Headers = std::vector<std::pair<std::string, std::string>>;
  const Headers good{{"mcp-protocol-version", "2026-07-28"}, {"mcp-method", "tools/call"}, {"mcp-name", "run"}};
  EXPECT_FALSE(check_headers(request(good), call("run")));
  for (std::size_t missing = 0; missing < good.size(); ++missing) {
    Headers headers = good;
    headers.erase(headers.begin() + static_cast<std::ptrdiff_t>(missing));
    EXPECT_EQ(check_headers(request(headers), call("run"))->code, kHeaderMismatch);
    headers = good;
    headers[missing].second += "x";
    EXPECT_EQ(check_headers(request(headers), call("run"))->code, kHeaderMismatch);
  }
  Headers encoded = good;
  encoded[2].second = "=?base64?cnVu?=";
  EXPECT_FALSE(check_headers(request(encoded), call("run")));
}

TEST(Headers, RepeatMarkedArguments) {
  Json schema = object_schema({{"region", text_schema("…")}, {"count", number_schema("…")}});
  schema["properties"]["region"]["x-mcp-header"] = "Region";
  schema["properties"]["count"]["x-mcp-header"] = "Count";
  const auto check = [&](const char* region, const Json& arguments) {
    std::vector<std::pair<std::string, std::string>> headers;
    if (region != nullptr) headers.emplace_back("mcp-param-region", region);
    headers.emplace_back("mcp-param-count", "42.0");
    return check_param_headers(request(headers), schema, arguments).has_value();
  };
  EXPECT_FALSE(check("eu", {{"region", "eu"}, {"count", 42}}));
  EXPECT_TRUE(check("us", {{"region", "eu"}, {"count", 42}}));
  EXPECT_TRUE(check(nullptr, {{"region", "eu"}, {"count", 42}}));
  EXPECT_TRUE(check("eu", {{"count", 42}}));
  EXPECT_FALSE(check(nullptr, {{"region", nullptr}, {"count", 42}}));
  EXPECT_FALSE(check("=?base64?w6Q=?=", {{"region", "ä"}, {"count", 42}}));
  EXPECT_TRUE(check("=?base64?w6Q?=", {{"region", "ä"}, {"count", 42}}));
  EXPECT_TRUE(check("\xc3\xa4", {{"region", "ä"}, {"count", 42}}));
}

TEST(Rate, LetsABurstThroughAndThenFillsUp) {
  Rate rate(10, 3);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(rate.take("alice", start));
  const auto wait = rate.take("alice", start);
  ASSERT_TRUE(wait);
  EXPECT_LE(*wait, std::chrono::milliseconds(101));
  EXPECT_FALSE(rate.take("bob", start));  // whom it does not concern
  EXPECT_FALSE(rate.take("alice", start + std::chrono::milliseconds(101)));
  rate.sweep(start + std::chrono::seconds(1));
  EXPECT_EQ(rate.size(), 0U);
}

}  // namespace
}  // namespace pale::mcp
