#include "mcp/message.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace pale::mcp {
namespace {

int code_of(std::string_view text) {
  const auto message = parse_message(text, {});
  return message ? 0 : message.error().code;
}

TEST(Message, IsARequestANotificationOrAResponse) {
  const auto request = parse_message(R"({"jsonrpc":"2.0","id":"a","method":"m","params":{"x":1}})", {});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->kind, MessageKind::Request);
  EXPECT_EQ(request->id, "a");
  EXPECT_EQ(request->params["x"], 1);
  EXPECT_EQ(parse_message(R"({"jsonrpc":"2.0","method":"m"})", {})->kind, MessageKind::Notification);
  EXPECT_EQ(parse_message(R"({"jsonrpc":"2.0","id":1,"result":{}})", {})->kind, MessageKind::Response);
  EXPECT_EQ(parse_message(R"({"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}})", {})->error["code"], 1);
}

TEST(Message, ThatIsNoneIsRefusedByItsCode) {
  EXPECT_EQ(code_of(""), kParseError);
  EXPECT_EQ(code_of("{"), kParseError);
  EXPECT_EQ(code_of("\"\xff\""), kParseError);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1e999,"method":"m"})"), kParseError);
  EXPECT_EQ(code_of("[]"), kInvalidRequest);
  EXPECT_EQ(code_of(R"([{"jsonrpc":"2.0","id":1,"method":"m"}])"), kInvalidRequest);
  EXPECT_EQ(code_of("7"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"id":1,"method":"m"})"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc":"1.0","id":1,"method":"m"})"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":null,"method":"m"})"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1.5,"method":"m"})"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":{},"method":"m"})"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":3})"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"m","params":[1]})"), kInvalidParams);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1})"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"result":{},"error":{}})"), kInvalidRequest);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"result":7})"), kInvalidRequest);
}

TEST(Message, KeepsItsIdInTheError) {
  const auto message = parse_message(R"({"jsonrpc":"2.0","id":7,"method":"m","params":3})", {});
  ASSERT_FALSE(message);
  EXPECT_EQ(print_error(message.error()),
            R"({"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"\"params\" must be an object"}})");
}

TEST(Message, IsBoundedInSizeDepthAndMembers) {
  const std::string deep = R"({"jsonrpc":"2.0","method":"m","params":{"x":)" + std::string(100'000, '[');
  EXPECT_EQ(code_of(deep), kInvalidRequest);
  EXPECT_EQ(code_of(std::string(64, '[') + std::string(64, ']')), kInvalidRequest);  // a batch, but not too deep
  std::string wide = R"({"jsonrpc":"2.0","method":"m","params":{)";
  for (int i = 0; i < 2000; ++i) wide += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  EXPECT_EQ(code_of(wide + "}}"), kInvalidRequest);
  EXPECT_EQ(parse_message(wide + "}}", {.members = 3000})->params.size(), 2000);
  EXPECT_EQ(code_of("[" + std::string(300'000, ',')), kInvalidRequest);
  EXPECT_EQ(code_of(std::string((4 << 20) + 1, ' ')), kInvalidRequest);
  // Brackets and commas in texts are no structure.
  const std::string text = std::string(100'000, '[') + std::string(200'000, ',') + "\\\"{";
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","method":"m","params":{"x":")" + text + "\"}}"), 0);
}

TEST(Message, IsPrintedOnOneLineWhateverItHolds) {
  const std::string line = print_result(1, Json{{"text", "a\nb\xff"}});
  EXPECT_EQ(line, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"text\":\"a\\nb\xEF\xBF\xBD\"}}");
}

RC_GTEST_PROP(Message, NeverBreaksTheParser, (const std::string& text)) { (void)parse_message(text, {}); }

// From pieces of real messages: much further into the parser than noise gets.
RC_GTEST_PROP(Message, OfPiecesNeverBreaksTheParser, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(
      rc::gen::element<std::string>("{", "}", "[", "]", ",", ":", "\"", "\"jsonrpc\":\"2.0\"", "\"id\":", "1", "-",
                                    "1e5", "null", "true", "\"method\":\"ping\"", "\"params\":{", "\"result\":{}",
                                    "\"error\":{}", "\\", "\\u", "\\ud800", "\xc3", "\xa9", " ", "\n"));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  (void)parse_message(text, {});
}

RC_GTEST_PROP(Message, ComesBackAsItWasPrinted, (std::int64_t id, const std::string& method)) {
  const std::string name = Json::parse(print(method)).get<std::string>();  // as far as it is UTF-8
  const Json params{{"text", name}, {"list", Json::array({1, true, nullptr})}};
  const auto message = parse_message(print_request(id, name, params), {});
  RC_ASSERT(message.has_value());
  RC_ASSERT(message->id == id);
  RC_ASSERT(message->method == name);
  RC_ASSERT(message->params == params);
}

RC_GTEST_PROP(LineReader, FindsTheSameLinesHoweverTheyAreCut, (const std::vector<std::string>& texts)) {
  std::string all;
  std::vector<std::string> lines;
  for (std::string text : texts) {
    std::erase_if(text, [](char c) { return c == '\n' || c == '\r'; });
    all += text + "\n";
    lines.push_back(text);
  }
  LineReader reader(1000);
  std::vector<std::string> found;
  while (!all.empty()) {
    const auto size = *rc::gen::inRange<std::size_t>(1, all.size() + 1);
    reader.feed(all.substr(0, size));
    all.erase(0, size);
    while (const auto line = reader.next()) found.push_back(line->text);
  }
  RC_ASSERT(found == lines);
}

TEST(LineReader, GivesUpALineThatIsTooLongAndGoesOnBehindIt) {
  LineReader reader(10);
  for (int i = 0; i < 100; ++i) {
    reader.feed("0123456789abcdef");
    const auto line = reader.next();
    EXPECT_EQ(line.has_value(), i == 0);
    EXPECT_LE(reader.held(), 16U);
  }
  reader.feed("x\nshort\n");
  const auto line = reader.next();
  ASSERT_TRUE(line);
  EXPECT_EQ(line->text, "short");
  EXPECT_FALSE(line->too_long);
  reader.feed("0123456789a\n");
  EXPECT_TRUE(reader.next()->too_long);
}

}  // namespace
}  // namespace pale::mcp
