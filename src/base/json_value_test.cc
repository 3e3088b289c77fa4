#include "base/json_value.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace pale {
namespace {

using ::testing::HasSubstr;
using Kind = JsonValue::Kind;

constexpr std::size_t kDeepest = 8;

std::string refusal(std::string_view text) {
  const auto value = JsonValue::parse(text, kDeepest);
  EXPECT_FALSE(value.has_value()) << text;
  return value ? "" : value.error().subject;
}

// The same tree as another parser would have it. Numbers are compared as that parser reads them.
nlohmann::json tree(const JsonValue& value) {
  switch (value.kind()) {
    case Kind::Null: return nullptr;
    case Kind::Boolean: return value.boolean() == true;
    case Kind::Text: return *value.text();
    case Kind::Number: {
      const auto whole = value.whole_number();
      return whole ? nlohmann::json(*whole) : nlohmann::json("a number");
    }
    case Kind::Array: {
      auto array = nlohmann::json::array();
      for (const JsonValue& item : value.items()) array.push_back(tree(item));
      return array;
    }
    case Kind::Object: break;
  }
  auto object = nlohmann::json::object();
  for (const auto& [key, member] : value.members()) object[key] = tree(member);
  return object;
}

nlohmann::json without_other_numbers(nlohmann::json json) {
  if (json.is_number() && !json.is_number_unsigned()) return "a number";
  if (json.is_structured()) {
    for (auto& item : json) item = without_other_numbers(item);
  }
  return json;
}

// nlohmann's parser is the judge, but for a key that stands twice, of which it keeps the last.
void expect_agreement(const std::string& text) {
  const auto value = JsonValue::parse(text, kDeepest);
  const auto judge = nlohmann::json::parse(text, nullptr, false);
  if (!value && value.error().subject.ends_with("stands twice in one object")) return;
  ASSERT_EQ(value.has_value(), !judge.is_discarded()) << text;
  if (!value) return;
  ASSERT_EQ(tree(*value), without_other_numbers(judge)) << text;
}

// Every text of up to `most` of the pieces, between these two.
void expect_agreement_on_all(const std::vector<std::string>& pieces, int most, const std::string& before,
                             const std::string& after) {
  ASSERT_NO_FATAL_FAILURE(expect_agreement(before + after));
  if (most == 0) return;
  for (const std::string& piece : pieces) {
    ASSERT_NO_FATAL_FAILURE(expect_agreement_on_all(pieces, most - 1, before + piece, after));
  }
}

TEST(JsonValue, AgreesWithAnotherParserOnAllShortTexts) {
  expect_agreement_on_all({"{", "}", "[", "]", ",", ":", "\"a\"", "\"b\"", "1", "null", "true", " "}, 5, "", "");
}

TEST(JsonValue, AgreesWithAnotherParserOnAllShortNumbers) {
  expect_agreement_on_all({"-", "+", "0", "1", ".", "e", "E"}, 5, "[", "]");
}

TEST(JsonValue, AgreesWithAnotherParserOnAllShortStrings) {
  const std::vector<std::string> pieces = {"\\", "\\u", "d8", "dC",   "00",   "41",  "n",
                                           "/",  "\"",  "\n", "\xc3", "\xa9", "\x7f"};
  expect_agreement_on_all(pieces, 4, "[\"", "\"]");
  expect_agreement_on_all(pieces, 2, R"(["\ud83d\u)", "\"]");
}

TEST(JsonValue, EveryEscapedCodeUnitIsItsCharacter) {
  for (unsigned unit = 0; unit < 0x10000; ++unit) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    std::string text = "\"\\u";
    for (const unsigned shift : {12U, 8U, 4U, 0U}) text += kHex[unit >> shift & 15U];
    ASSERT_NO_FATAL_FAILURE(expect_agreement(text + "\""));
  }
}

TEST(JsonValue, ReadsWhatTheWriterWrote) {
  for (unsigned pair = 0; pair < 65536; ++pair) {
    const std::string text = {static_cast<char>(pair >> 8U), static_cast<char>(pair & 255U)};
    if (!is_utf8(text)) continue;
    JsonWriter out;
    out.begin_object().field(text, text).end_object();
    const auto value = JsonValue::parse(out.text(), 1);
    ASSERT_TRUE(value.has_value()) << value.error().sentence();
    ASSERT_NE(value->find(text), nullptr);
    ASSERT_EQ(*value->find(text)->text(), text);
  }
}

TEST(JsonValue, OnlyWholeNumbersThatFitAreNumbersToCountWith) {
  const auto whole = [](std::string_view text) { return JsonValue::parse(text, 0)->whole_number(); };
  EXPECT_EQ(whole("0"), 0u);
  EXPECT_EQ(whole("18446744073709551615"), 18446744073709551615u);
  for (const auto* text : {"18446744073709551616", "-1", "-0", "1.0", "1e3", "\"1\"", "true", "null"}) {
    EXPECT_EQ(whole(text), std::nullopt) << text;
  }
}

TEST(JsonValue, AValueIsOfOneKindOnly) {
  const JsonValue value = *JsonValue::parse(R"({"a": [true, "true", null]})", 2);
  EXPECT_EQ(value.text(), nullptr);
  EXPECT_EQ(value.boolean(), std::nullopt);
  EXPECT_EQ(value.find("b"), nullptr);
  const auto& items = value.find("a")->items();
  EXPECT_EQ(items.at(0).boolean(), true);
  EXPECT_EQ(items.at(0).text(), nullptr);
  EXPECT_EQ(items.at(1).boolean(), std::nullopt);
  EXPECT_TRUE(items.at(2).is_null());
}

TEST(JsonValue, ARefusalSaysWhere) {
  EXPECT_EQ(refusal("{\n  \"a\": nul\n}"), "line 2, column 8: an unknown word");
  EXPECT_EQ(refusal("[1] x"), "line 1, column 5: something follows the end");
  EXPECT_THAT(refusal("[\"\xff\"]"), HasSubstr("this is not UTF-8"));
}

TEST(JsonValue, NestingIsBounded) {
  EXPECT_TRUE(JsonValue::parse("[[{}]]", 3).has_value());
  EXPECT_FALSE(JsonValue::parse("[[{}]]", 2).has_value());
  EXPECT_THAT(refusal(std::string(1 << 20, '[')), HasSubstr("column 9: it nests too deep"));
  EXPECT_THAT(refusal(std::string(1 << 20, '{')), HasSubstr("a key is expected"));
}

TEST(JsonValue, AKeyThatStandsTwiceInOneObjectIsRefused) {
  EXPECT_THAT(refusal(R"({"a": 1, "\u0061": 2})"), HasSubstr("the key \"a\" stands twice"));
  EXPECT_TRUE(JsonValue::parse(R"([{"a": {"a": 1}}, {"a": 2}])", kDeepest).has_value());
}

TEST(JsonValue, AnObjectMayHaveThousandsOfKeysEachOnce) {
  std::string many = "{";
  for (int number = 0; number < 5000; ++number) many += "\"" + std::to_string(number) + "\":0,";
  EXPECT_EQ(JsonValue::parse(many + "\"last\":0}", kDeepest)->members().size(), 5001U);
  EXPECT_THAT(refusal(many + "\"4321\":0}"), HasSubstr("the key \"4321\" stands twice"));
}

}  // namespace
}  // namespace pale
