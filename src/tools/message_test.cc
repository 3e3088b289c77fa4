#include "tools/message.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace pale::tools {
namespace {

using testing::HasSubstr;

int code_of(std::string_view line) {
  const auto message = parse_message(line);
  return message ? 0 : message.error().code;
}

TEST(ToolMessage, ARequestANotificationAndAResponseAreToldApart) {
  const auto request = parse_message(R"({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": 1}})");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->id, "7");
  EXPECT_EQ(request->method, "ping");
  EXPECT_NE(request->params.find("a"), nullptr);
  const auto notification = parse_message(R"({"jsonrpc": "2.0", "method": "notifications/initialized"})");
  ASSERT_TRUE(notification);
  EXPECT_EQ(notification->id, "");
  EXPECT_EQ(notification->params.find("a"), nullptr);
  EXPECT_TRUE(parse_message(R"({"jsonrpc": "2.0", "id": 1, "result": {}})")->is_response);
}

TEST(ToolMessage, AnIdComesBackAsItWas) {
  EXPECT_EQ(parse_message(R"({"jsonrpc": "2.0", "id": "a\"b", "method": "ping"})")->id, R"("a\"b")");
  EXPECT_EQ(parse_message(R"({"jsonrpc": "2.0", "id": -12345678901234567890, "method": "ping"})")->id,
            "-12345678901234567890");
  EXPECT_EQ(print_result("\"x\"", "{}"), "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"result\":{}}\n");
}

TEST(ToolMessage, WhatIsWrongHasTheRightCode) {
  EXPECT_EQ(code_of("{"), kParseError);
  EXPECT_EQ(code_of("nonsense"), kParseError);
  EXPECT_EQ(code_of("\xff"), kParseError);
  EXPECT_EQ(code_of(R"({"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"})"), kParseError);
  EXPECT_EQ(code_of("[]"), kInvalidRequest);
  EXPECT_EQ(code_of("3"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"id": 1, "method": "ping"})"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc": "1.0", "id": 1, "method": "ping"})"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc": "2.0", "id": 1})"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc": "2.0", "id": 1, "method": 5})"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc": "2.0", "id": null, "method": "ping"})"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc": "2.0", "id": 1.5, "method": "ping"})"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []})"), kInvalidParams);
  EXPECT_EQ(code_of(std::string(kMostDepth + 1, '[') + std::string(kMostDepth + 1, ']')), kParseError);
}

TEST(ToolMessage, TooMuchIsRefusedBeforeItCostsMemory) {
  std::string values = "[1";
  for (std::size_t i = 0; i < kMostValues + 1; ++i) values += ",1";
  const auto many = parse_message(values + "]");
  ASSERT_FALSE(many);
  EXPECT_THAT(many.error().message, HasSubstr("values"));
  // Commas in a text are none.
  const std::string text = R"({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": ")" +
                           std::string(kMostValues + 1, ',') + R"(\""}})";
  EXPECT_TRUE(parse_message(text));
  EXPECT_EQ(code_of(std::string(kMostBytes + 1, ' ')), kInvalidRequest);
}

TEST(ToolMessage, HalfALetterIsRefusedWithTheIdOfItsRequest) {
  for (const char* half : {"\\ud83d", "\\uDC00", "\\ud83dx", "\\\\\\ud83d"}) {
    const auto message = parse_message(R"({"jsonrpc": "2.0", "id": 7, "method": "ping", "params": {"a": ")" +
                                       std::string(half) + R"("}})");
    ASSERT_FALSE(message) << half;
    EXPECT_EQ(message.error().code, kParseError);
    EXPECT_EQ(message.error().id, "7") << half;
  }
  EXPECT_EQ(parse_message(R"({"id": 7, "a": "\ud83d")").error().id, "");
}

TEST(ToolMessage, AnErrorIsOneLineAndLeavesOutAnIdThatIsNotKnown) {
  const std::string line = print_error({kInvalidParams, "two\nlines", R"({"a":1})", "3"});
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["id"], 3);
  EXPECT_EQ(json["error"]["data"]["a"], 1);
  EXPECT_FALSE(nlohmann::json::parse(print_error({kParseError, "x"})).contains("id"));
}

}  // namespace
}  // namespace pale::tools
