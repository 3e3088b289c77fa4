#include "base/json.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <vector>

namespace pale {
namespace {

std::string written(std::string_view text) {
  JsonWriter out;
  out.value(text);
  return out.text();
}

TEST(JsonWriter, PutsCommasBetweenAndNowhereElse) {
  JsonWriter out;
  out.begin_object().field("a", 1).key("b").begin_array().end_array();
  out.key("c").begin_array().value(1).begin_object().end_object().begin_array().value(2).end_array().null().end_array();
  out.key("d").begin_object().field("e", true).field("f", "x").end_object().end_object();
  EXPECT_EQ(out.text(), R"({"a":1,"b":[],"c":[1,{},[2],null],"d":{"e":true,"f":"x"}})");
}

TEST(JsonWriter, WritesNumbersTruthAndTextEachInItsOwnWay) {
  JsonWriter out;
  const char* pointer = "p";
  out.begin_array()
      .value(-1)
      .value(18446744073709551615u)
      .value(false)
      .value(pointer)
      .value(std::string("s"))
      .end_array();
  EXPECT_EQ(out.text(), R"([-1,18446744073709551615,false,"p","s"])");
}

TEST(JsonWriter, EveryPairOfBytesIsReadBackByAParser) {
  for (unsigned pair = 0; pair < 65536; ++pair) {
    const std::string text = {static_cast<char>(pair >> 8), static_cast<char>(pair & 255)};
    const auto json = nlohmann::json::parse(written(text), nullptr, false);
    if (is_utf8(text)) {
      ASSERT_EQ(json, text);
    } else {
      ASSERT_EQ(json, (nlohmann::json{{"base64", to_base64(text)}}));
    }
  }
}

TEST(JsonWriter, WritesNoByteThatATerminalObeys) {
  for (int byte = 0; byte < 0x20; ++byte) {
    const std::string text = written(std::string(1, static_cast<char>(byte)));
    EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  }
  EXPECT_EQ(written("\x7f\x1b"), R"("\u007f\u001b")");
}

TEST(JsonWriter, AKeyIsEscapedLikeAValue) {
  JsonWriter out;
  out.begin_object().field("a\"\n", 1).end_object();
  EXPECT_EQ(out.text(), "{\"a\\\"\\n\":1}");
}

TEST(Utf8, AgreesWithAParserOnAllSequencesOfTellingBytes) {
  constexpr unsigned char kTelling[] = {'a',  0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf,
                                        0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf4, 0xf5, 0xff};
  std::vector<std::string> sequences = {""};
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    const std::string sequence = sequences[i];
    ASSERT_EQ(is_utf8(sequence), nlohmann::json::accept("\"" + sequence + "\"")) << ::testing::PrintToString(sequence);
    if (sequence.size() == 4) continue;
    for (const unsigned char byte : kTelling) sequences.push_back(sequence + static_cast<char>(byte));
  }
}

TEST(Base64, HasTheVectorsOfRfc4648) {
  const std::pair<std::string_view, std::string_view> vectors[] = {{"", ""},
                                                                   {"f", "Zg=="},
                                                                   {"fo", "Zm8="},
                                                                   {"foo", "Zm9v"},
                                                                   {"foob", "Zm9vYg=="},
                                                                   {"fooba", "Zm9vYmE="},
                                                                   {"foobar", "Zm9vYmFy"},
                                                                   {"\xff\xfe\xfd", "//79"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(to_base64(bytes), text);
    std::string decoded;
    EXPECT_TRUE(from_base64(text, decoded));
    EXPECT_EQ(decoded, bytes);
  }
}

TEST(Base64, EveryPairOfBytesComesBackAtEveryPlaceInAGroup) {
  for (unsigned pair = 0; pair < 65536; pair += 5) {
    for (std::size_t before = 0; before < 3; ++before) {
      const std::string bytes = std::string(before, 'x') + static_cast<char>(pair >> 8) + static_cast<char>(pair & 255);
      std::string decoded;
      ASSERT_TRUE(from_base64(to_base64(bytes), decoded));
      ASSERT_EQ(decoded, bytes);
    }
  }
}

TEST(Base64, WhatIsNotBase64IsRefused) {
  for (const std::string_view text : {"Z", "Zg", "Zg=", "Zg===", "Zg==Zg==", "=", "==", "====", "Z===", "Z=g=",
                                      "Zm9v\n", "Zm 9", "Zm9-", "Zm9_", "Zg==\xff\xff\xff\xff"}) {
    std::string decoded;
    EXPECT_FALSE(from_base64(text, decoded)) << text;
  }
}

}  // namespace
}  // namespace pale
