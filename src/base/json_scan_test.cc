#include "base/json_scan.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/json_value.h"

namespace pale {
namespace {

using ::testing::HasSubstr;
using Keys = std::vector<std::string_view>;

constexpr std::size_t kDeepest = 64;

std::string found(std::string_view text, const Keys& keys) {
  const auto span = find_json(text, keys);
  if (!span) return "error: " + span.error().subject;
  return *span ? std::string(text.substr((*span)->begin, (*span)->end - (*span)->begin)) : "nothing";
}

TEST(JsonScan, FindsWhatTheKeysLeadTo) {
  const std::string text = R"( {"a": [1, {"b": 2}], "b": {"a": {"c": -1.5e3 }, "": "x\"y"}, "c": null} )";
  EXPECT_EQ(found(text, {"a"}), R"([1, {"b": 2}])");
  EXPECT_EQ(found(text, {"b", "a", "c"}), "-1.5e3");
  EXPECT_EQ(found(text, {"b", ""}), R"("x\"y")");
  EXPECT_EQ(found(text, {"c"}), "null");
  EXPECT_EQ(found(" [1] ", {}), "[1]");
}

TEST(JsonScan, FindsNothingWhereNothingIs) {
  const std::string text = R"({"a": [{"b": 2}], "c": null, "d": {"e": 1}})";
  for (const Keys& keys : {Keys{"b"}, Keys{"a", "b"}, Keys{"c", "e"}, Keys{"d", "e", "f"}, Keys{"d", "c"}, Keys{"e"}}) {
    EXPECT_EQ(found(text, keys), "nothing");
  }
}

TEST(JsonScan, AKeyIsWhatItsEscapesMean) {
  EXPECT_EQ(found(R"({"\u0061\u00e9\n\"": 1})", {"aé\n\""}), "1");
  EXPECT_EQ(found(R"({"\ud83d\ude00": 1})", {"😀"}), "1");
  EXPECT_EQ(found(R"({"a\n": 1})", {"a\\n"}), "nothing");
  EXPECT_EQ(found(R"({"a\\n": 1})", {"a\\n"}), "1");
}

TEST(JsonScan, AKeyThatWasAskedForMayNotStandTwice) {
  EXPECT_EQ(found(R"({"a": 1, "\u0061": 2})", {"a"}),
            "error: line 1, column 18: the key \"a\" stands twice in one object");
  EXPECT_THAT(found(R"({"a": {"b": 1}, "a": 2})", {"a", "b"}), HasSubstr("stands twice"));
  EXPECT_THAT(found(R"({"a": {"b": 1, "b": 1}})", {"a", "b"}), HasSubstr("stands twice"));
  EXPECT_EQ(found(R"({"a": 1, "c": {"a": 2}, "d": [{"a": 3}]})", {"a"}), "1");
  EXPECT_EQ(found(R"({"a": 1, "b": 2, "b": 3})", {"a"}), "1");
}

TEST(JsonScan, WhatFollowsTheValueIsCheckedToo) {
  EXPECT_EQ(found(R"({"a": 1, "b": tru})", {"a"}), "error: line 1, column 15: an unknown word");
  EXPECT_EQ(found(R"({"a": 1} x)", {"a"}), "error: line 1, column 10: something follows the end");
  EXPECT_THAT(found("{\"a\": 1, \"b\": \"long enough for words\xff\"}", {"a"}), HasSubstr("not UTF-8"));
}

TEST(JsonScan, NestingIsBounded) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(found(nested(kDeepest), {"a"}), "nothing");
  EXPECT_THAT(found(nested(kDeepest + 1), {"a"}), HasSubstr("it nests too deep"));
  EXPECT_THAT(found(std::string(1 << 20, '['), {}), HasSubstr("column 65: it nests too deep"));
}

// Every byte at every place of a word, alone in a string.
TEST(JsonScan, EveryByteIsSeenWhereverItStands) {
  for (unsigned byte = 0; byte < 256; ++byte) {
    for (std::size_t before = 0; before < 17; ++before) {
      for (std::size_t after = 0; after < 9; ++after) {
        const std::string inside = std::string(before, '!') + static_cast<char>(byte) + std::string(after, '\x7f');
        const std::string text = "[\"" + inside + "\"]";
        ASSERT_EQ(find_json(text, {}).has_value(), JsonValue::parse(text, 1).has_value()) << byte << " " << before;
      }
    }
  }
}

bool same(const JsonValue& a, const JsonValue& b) {
  const auto same_member = [](const auto& x, const auto& y) { return x.first == y.first && same(x.second, y.second); };
  const bool same_text =
      (a.text() == nullptr) == (b.text() == nullptr) && (a.text() == nullptr || *a.text() == *b.text());
  return a.kind() == b.kind() && same_text && a.boolean() == b.boolean() && a.whole_number() == b.whole_number() &&
         std::ranges::equal(a.items(), b.items(), same) && std::ranges::equal(a.members(), b.members(), same_member);
}

// The tree is the judge, and complains in the same words; but it does not allow that any key stands twice.
void expect_agreement(const std::string& text, const Keys& keys) {
  const auto span = find_json(text, keys);
  const auto judge = JsonValue::parse(text, kDeepest);
  if (!judge && judge.error().subject.ends_with("stands twice in one object")) return;
  ASSERT_EQ(span.has_value(), judge.has_value()) << text;
  if (!judge) {
    ASSERT_EQ(span.error(), judge.error()) << text;
    return;
  }
  const JsonValue* expected = &*judge;
  for (const std::string_view key : keys) expected = expected == nullptr ? nullptr : expected->find(key);
  ASSERT_EQ(span->has_value(), expected != nullptr) << text;
  if (expected == nullptr) return;
  const auto value =
      JsonValue::parse(std::string_view(text).substr((*span)->begin, (*span)->end - (*span)->begin), kDeepest);
  ASSERT_TRUE(value.has_value()) << text;
  ASSERT_TRUE(same(*value, *expected)) << text;
}

class RandomJson {
 public:
  explicit RandomJson(std::mt19937& random) : random_(random) {}

  // Good, but for a few bytes that are taken out, put in or exchanged.
  std::string text() {
    std::string text = value(0);
    for (std::size_t changes = below(4); changes > 0 && !text.empty(); --changes) {
      const std::size_t at = below(text.size());
      const char byte = kBytes[below(kBytes.size())];
      switch (below(3)) {
        case 0: text.erase(at, 1); break;
        case 1: text.insert(at, 1, byte); break;
        default: text[at] = byte;
      }
    }
    return text;
  }

  Keys keys() {
    Keys keys;
    for (std::size_t count = below(4); count > 0; --count) keys.push_back(kKeys[below(std::size(kKeys))]);
    return keys;
  }

 private:
  static constexpr std::string_view kBytes = "ab01.-+eE:\"[]{},\\u/ \n\t\x01\x7f\xc3\xa9tfnld";
  static constexpr std::string_view kKeys[] = {"a", "b", "a key of more than one word", "é", "\"\\\n"};
  static constexpr const char* kWrittenKeys[] = {
      R"("a")", R"("\u0061")", R"("b")", R"("a key of more than one word")", R"("é")", R"("\u00E9")", R"("\"\\\n")"};
  static constexpr const char* kScalars[] = {"0",
                                             "17",
                                             "-2.50e+3",
                                             "true",
                                             "false",
                                             "null",
                                             R"("")",
                                             R"("plain text, long")",
                                             R"("\ud83d\ude00 \/ \b\f\r\t")",
                                             "\"größer als ein Wort\"",
                                             R"("x\\\"y\\")"};

  std::size_t below(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most - 1)(random_); }

  std::string space() {
    constexpr const char* kSpaces[] = {"", "", " ", "\n  ", "\r\n\t", "          "};
    return kSpaces[below(std::size(kSpaces))];
  }

  std::string value(std::size_t depth) {
    const std::size_t kind = below(depth == 0 ? 10 : 4 + depth * 2);
    if (depth > 4 || (kind > 3 && depth > 0)) return kScalars[below(std::size(kScalars))];
    std::string text;
    for (std::size_t members = below(5); members > 0; --members) {
      text += text.empty() ? "" : ",";
      text += space();
      if (kind != 0) text += kWrittenKeys[below(std::size(kWrittenKeys))] + space() + ":" + space();
      text += value(depth + 1) + space();
    }
    return (kind == 0 ? "[" : "{") + (text.empty() ? space() : text) + (kind == 0 ? "]" : "}");
  }

  std::mt19937& random_;
};

TEST(JsonScan, AgreesWithTheTree) {
  std::mt19937 random(20260123);
  for (int document = 0; document < 300000 && !HasFatalFailure(); ++document) {
    RandomJson json(random);
    const std::string text = json.text();
    expect_agreement(text, json.keys());
  }
}

}  // namespace
}  // namespace pale
