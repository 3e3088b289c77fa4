#include <gmock/gmock.h>

#include "base/yaml.h"

namespace pale {
namespace {

std::string text_of(std::string_view yaml) {
  const auto value = YamlValue::parse(std::string("v: ").append(yaml), 1);
  if (!value) return "error: " + value.error().subject;
  const std::string* text = value->find("v")->text();
  return text == nullptr ? "no text" : *text;
}

TEST(YamlScalar, BlocksEndAsTheySay) {
  EXPECT_EQ(text_of("|\n  a\n\n  b\n\n"), "a\n\nb\n");
  EXPECT_EQ(text_of("|-\n  a\n\n"), "a");
  EXPECT_EQ(text_of("|+\n  a\n\n\n"), "a\n\n\n");
  EXPECT_EQ(text_of("|\n  a"), "a");
  EXPECT_EQ(text_of("|1\n  a\n b\n"), " a\nb\n");
  EXPECT_EQ(text_of(">\n  a\n  b\n\n  c\n    d\n  e\n"), "a b\nc\n  d\ne\n");
  EXPECT_EQ(text_of(">+\n  a\n  b\n\n\n"), "a b\n\n\n");
  EXPECT_EQ(text_of("|+\n\n\n"), "\n\n");
  EXPECT_EQ(text_of("|\n\n"), "");
}

TEST(YamlScalar, EveryEscapeIsItsCharacter) {
  EXPECT_EQ(text_of(R"("\0\a\b\t\n\v\f\r\e\ \"\/\\")"), std::string("\0\a\b\t\n\v\f\r\x1b \"/\\", 13));
  EXPECT_EQ(text_of("\"\\\t\""), "\t");
  EXPECT_EQ(text_of(R"("\N\_\L\P")"), "\u0085\u00a0\u2028\u2029");
  EXPECT_EQ(text_of(R"("\x41\xe9\u20AC\U0001f600")"), "Aé€😀");
  EXPECT_EQ(text_of("'\\n'''"), "\\n'");
}

TEST(YamlScalar, PlainTextIsFolded) {
  EXPECT_EQ(text_of("a\n  b  \n\n\n   c # d\n"), "a b\n\nc");
  EXPECT_EQ(text_of("a # b\n"), "a");
  EXPECT_EQ(text_of("a#b: c"),
            "error: line 1, column 4: a mapping starts on a line of its own; text with ':' stands in quotation marks");
  EXPECT_EQ(text_of("a\n  - b\n"), "a - b");
}

TEST(YamlScalar, QuotedTextIsFolded) {
  EXPECT_EQ(text_of("\"a  \n  b\\\n  c\n\n  d \""), "a bc\nd ");
  EXPECT_EQ(text_of("'  a\n  b'"), "  a b");
  EXPECT_EQ(text_of("\"a\\t\n  b\""), "a\t b");
}

}  // namespace
}  // namespace pale
