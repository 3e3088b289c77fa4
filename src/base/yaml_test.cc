#include "base/yaml.h"

#include <gmock/gmock.h>
#include <yaml-cpp/yaml.h>

#include <expected>
#include <nlohmann/json.hpp>
#include <random>

#include "base/text.h"

namespace pale {
namespace {

using ::testing::HasSubstr;
using Kind = YamlValue::Kind;

constexpr std::size_t kDeepest = 16;

std::string refusal(std::string_view text) {
  const auto value = YamlValue::parse(text, kDeepest);
  EXPECT_FALSE(value.has_value()) << text;
  return value ? "" : value.error().subject;
}

YamlValue parsed(std::string_view text) {
  auto value = YamlValue::parse(text, kDeepest);
  EXPECT_TRUE(value.has_value()) << text << "\n" << (value ? "" : value.error().sentence());
  return value ? std::move(*value) : YamlValue();
}

// The same tree as another reader would have it. Mappings are lists of pairs: order counts.
nlohmann::json tree(const YamlValue& value) {
  if (value.is_null()) return nullptr;
  auto items = nlohmann::json::array();
  switch (value.kind()) {
    case Kind::Null: break;
    case Kind::Scalar: return (value.quoted() ? "quoted: " : "plain: ") + *value.text();
    case Kind::Sequence:
      for (const YamlValue& item : value.items()) items.push_back(tree(item));
      break;
    case Kind::Mapping:
      for (const YamlMember& member : value.members())
        items.push_back({{"key", member.key}, {"value", tree(member.value)}});
      if (items.empty()) return "an empty mapping";
  }
  return items;
}

nlohmann::json tree(const YAML::Node& node) {
  if (node.IsNull()) return nullptr;
  if (node.IsScalar()) return (node.Tag() == "!" ? "quoted: " : "plain: ") + node.Scalar();
  auto items = nlohmann::json::array();
  if (node.IsSequence()) {
    for (const auto& item : node) items.push_back(tree(item));
    return items;
  }
  for (const auto& member : node) {
    const std::string key = member.first.IsNull() ? "a word for null" : member.first.Scalar();
    items.push_back({{"key", key}, {"value", tree(member.second)}});
  }
  return items.empty() ? nlohmann::json("an empty mapping") : items;
}

// The other reader's tree, or its complaint.
std::expected<nlohmann::json, std::string> judged(const std::string& text) {
  try {
    return tree(YAML::Load(text));
  } catch (const YAML::Exception& error) {
    return std::unexpected(std::string(error.what()));
  }
}

// Where the other reader is known to be wrong: some escapes become single bytes, ">+" loses a line end, and spaces at the end
// of the text are taken for a line of a folded block.
bool judge_errs(const std::string& text) {
  for (const auto* faulty : {"\\N", "\\_", "\\L", "\\P", ">+", ">1+", ">2+"}) {
    if (text.find(faulty) != std::string::npos) return true;
  }
  return text.ends_with(' ') && text.find('>') != std::string::npos;
}

// Whatever is read here is read there, as the same. More may be refused here.
void expect_agreement(const std::string& text) {
  const auto value = YamlValue::parse(text, kDeepest);
  if (!value || judge_errs(text)) return;
  const auto judge = judged(text);
  ASSERT_TRUE(judge.has_value()) << text << "\n" << judge.error();
  ASSERT_EQ(tree(*value), *judge) << text;
}

constexpr const char* kGood[] = {
    "",
    "# nothing but this\n",
    "---\n...\n",
    "--- # marked\na: 1\n... # done\n# after\n",
    "plain words",
    "'just a text'",
    "|\n text\n more\n",
    "{a: 1, b: [2, 3]}",
    "[a, b]\n",
    "a: b\r\nc:\r\n  - d\r\n  - |\r\n    e\r\n    f\r\ng: \"h\r\n  i\"\r\n",
    R"(# what an agent sees, and where it writes
sandbox:
  mode: strict
  root: "."
  zones:
    drafts:
      path: "./drafts"
      mode: rw   # until they are good
    library:
      path: ./library
      mode: ro
)",
    R"(---
name: librarian
description: Sorts what others left on the table
models:
  - "maker:small-*"
  - maker:large
limits:
  files: 3
  bytes: 1048576
  endings:
    - .md
    - .txt
)",
    R"(toolsets:
  files: {}
  helpers:
    allowed: [reader, 'writer', "judge"]
sandbox:
  zones:
    - name: in
      mode: ro
    - name: out
      mode: rw
      approval:
        write: ask     # each time
        delete: never
)",
    "a: 1\nb: two\nc: 'three'\nd: \"four\"\ne:\nf: ~\n",
    "a: true\nb: false\nc: yes\nd: null\ne: 0x1f\nf: 1.5\ng: -1\nh: 007\n",
    "key:\n- one\n- two\nother:\n  - three\n",
    "- a\n- - b\n  - c\n-\n  - d\n- e: 1\n  f: 2\n-\n- g:\n  - h\n",
    "a:   # comment\n  # another\n  b: c\n# third\n  d: e\n#end",
    "\"quoted key\": 1\n'single key' : 2\nplain key with spaces: 3\n-x: 4\nüber: größe\n",
    "url: http://host:80/path#part\ntime: 12:30:00\ndash: -x\nquestion: ?x\ncolon: :x\nhash: a#b\nstar: a*b & c\n",
    R"(text: |
  first line
    indented

  last line
folded: >
  words that
  go on

  new paragraph
    kept
    lines
  end
after: 1
)",
    "a: |-\n  no end\nb: |+\n  all ends\n\n\nc: >-\n  folded\n  text\n\ne: |2\n    two more\n  x\nf: |\n\n  after a "
    "blank\n",
    "- |\n  in a list\n- >2-\n   one more\n  x\n- |1\n  y\n- | # why\n  z\n",
    "plain: text that\n  goes on\n  here\n\n  and there\nnext: x\n",
    "single: 'it''s\n  folded\n\n  text'\n",
    "double: \"a\\\n  b\\n\\t\\x41\\u00e9\\U0001F600\n  c  \n\n  d\\ \n  e\"\n",
    "flow: [a, [b, c], {d: e, \"f\":g, 'h': [i]}, ]\nmap: { a: 1, b: , c: 'x' }\nempty: [ ]\n",
    "flow: [\n  one,   # first\n  two\n    words,\n  \"th\n   ree\"\n]\nmap: {\n  a: 1,\n  b: {c: d}\n}\n",
};

struct Refused {
  const char* text;
  const char* why;
};
constexpr Refused kBad[] = {
    {"a: 1\n\tb: 2", "line 2, column 1: a tab"},
    {"a:\n  b: 1\n \tc: 2", "line 3, column 2: a tab"},
    {"-\ta", "column 2: a tab"},
    {"a: |\n \tb", "a tab"},
    {"a: &x 1", "column 4: anchors and aliases"},
    {"a: *x", "anchors and aliases"},
    {"- *x", "anchors and aliases"},
    {"[*x]", "anchors and aliases"},
    {"&x a: 1", "anchors and aliases"},
    {"a: !!str 1", "tags"},
    {"!x\na: 1", "tags"},
    {"{a: !x 1}", "tags"},
    {"a:\n  <<: b", "line 2, column 3: merge keys"},
    {"{<<: b}", "merge keys"},
    {"? a\n: b", "no single text"},
    {"[a]: b", "a key is a single text"},
    {"{a: b}: c", "a key is a single text"},
    {"{'a\n b': c}", "a key is in one line"},
    {"~: a", "a key that stands for nothing"},
    {"a: 1\n---\nb: 2", "line 2, column 1: there are several documents"},
    {"a: 1\n...\nb: 2", "line 3, column 1: "},
    {"--- a: 1", "nothing may follow"},
    {"%YAML 1.2\n---\na: 1", "directives"},
    {"a: 1\nb: 2\na: 3", "line 3, column 1: the key 'a' stands twice"},
    {"{a: 1, 'a': 2}", "column 8: the key 'a' stands twice"},
    {"a: b: c", "a mapping starts on a line of its own"},
    {"a: - b", "a sequence starts on a line of its own"},
    {"a: 1\n  b: 2", "line 2, column 4: a key cannot stand here"},
    {"a:\n    b: 1\n  c: 2", "line 3, column 3: this is indented wrongly"},
    {"a: 'x'\n  b: 2", "line 2, column 3: this is indented wrongly"},
    {"- a\nb: 1", "line 2, column 1: "},
    {"a: 1\n- b", "a key is expected, not a dash"},
    {"a: 1\nb", "a key and ':' are expected"},
    {"a: @b", "stands in quotation marks"},
    {"a: `b`", "stands in quotation marks"},
    {"a: %b", "stands in quotation marks"},
    {"a: ]", "stands in quotation marks"},
    {"a: 'b' c", "nothing may follow"},
    {"a: [b] c", "nothing may follow"},
    {"a: 'b'# c", "nothing may follow"},
    {"a: \"b", "a string has no end"},
    {"a: 'b\nc'", "further to the right"},
    {"'a\n---\nb'", "no end in its document"},
    {"a: 'b\n\n\n  '", "a string ends with blank lines"},
    {"a: \"\\q\"", "an unknown escape"},
    {"a: \"\\ud800\"", "no such character"},
    {"a: \"\\U00110000\"", "no such character"},
    {"a: \"\\x4\"", "a hexadecimal digit is missing"},
    {"a: |0\n  b", "behind '|' or '>'"},
    {"a: |--\n  b", "behind '|' or '>'"},
    {"a: | b", "a block of text starts on the next line"},
    {"a: |\n    \n  b", "a blank line above"},
    {"a: [b", "a bracket is missing"},
    {"a: [b\n---\n]", "a bracket is missing"},
    {"[a b: c]", "a key stands in braces"},
    {"[a,, b]", "a value is expected"},
    {"{a b}", "':' and a blank are expected"},
    {"{a:[b]}", "':' and a blank are expected"},
    {"[a?b]", "text with '?'"},
    {"[a}", "',' or ']' is expected"},
    {"a: \xff", "this is not UTF-8"},
    {"a: \x01", "line 1, column 4: a control character"},
    {"a: b\rc: d", "a control character"},
    {"a: b\u2028c: d", "a control character"},
    {"\ufeffa: b", "a control character"},
};

TEST(Yaml, AcceptsWhatIsGood) {
  for (const char* text : kGood) {
    (void)parsed(text);
    expect_agreement(text);
  }
}

TEST(Yaml, RefusesWhatItDoesNotKnowAndSaysWhere) {
  for (const auto& [text, why] : kBad) {
    EXPECT_THAT(refusal(text), HasSubstr("line ")) << text;
    EXPECT_THAT(refusal(text), HasSubstr(why)) << text;
  }
}

TEST(Yaml, KnowsWhereEverythingStands) {
  const std::string text = "# first\nzones:\n  - name: in\n    \"path\": ./in # why\nlist: [a, {b: c}]\nnone:\n";
  const YamlValue value = parsed(text);
  const auto place = [&](std::size_t at) { return place_in(text, at); };
  EXPECT_EQ(place(value.members()[0].key_at), "line 2, column 1");
  const YamlValue& zone = value.find("zones")->items().at(0);
  EXPECT_EQ(place(zone.at()), "line 3, column 5");
  EXPECT_EQ(place(zone.members()[1].key_at), "line 4, column 5");
  EXPECT_EQ(place(zone.find("path")->at()), "line 4, column 13");
  EXPECT_EQ(place(value.find("list")->at()), "line 5, column 7");
  EXPECT_EQ(place(value.find("list")->items()[1].find("b")->at()), "line 5, column 15");
  EXPECT_EQ(place(value.find("none")->at()), "line 6, column 6");
}

TEST(Yaml, LeavesToTheCallerWhatAScalarMeans) {
  const YamlValue value = parsed("[true, 'true', yes, 12, '12', 012, 0, -1, null, 'null']");
  const auto& items = value.items();
  EXPECT_EQ(items.at(0).boolean(), true);
  EXPECT_EQ(*items.at(0).text(), "true");
  EXPECT_FALSE(items.at(0).quoted());
  EXPECT_EQ(items.at(1).boolean(), std::nullopt);
  EXPECT_TRUE(items.at(1).quoted());
  EXPECT_EQ(items.at(2).boolean(), std::nullopt);
  EXPECT_EQ(items.at(3).whole_number(), 12U);
  for (const std::size_t other : {0U, 4U, 5U, 7U, 8U}) EXPECT_EQ(items.at(other).whole_number(), std::nullopt) << other;
  EXPECT_EQ(items.at(6).whole_number(), 0U);
  EXPECT_TRUE(items.at(8).is_null());
  EXPECT_EQ(*items.at(8).text(), "null");
  EXPECT_FALSE(items.at(9).is_null());
  EXPECT_EQ(value.text(), nullptr);
  EXPECT_EQ(parsed("a:\n").find("a")->kind(), Kind::Null);
  EXPECT_EQ(parsed("a:\n").find("b"), nullptr);
}

TEST(Yaml, NestingIsBounded) {
  EXPECT_TRUE(YamlValue::parse("a:\n- [b]", 3));
  EXPECT_FALSE(YamlValue::parse("a:\n- [b]", 2));
  EXPECT_TRUE(YamlValue::parse("a", 0));
  std::string dashes;
  for (int i = 0; i < 100000; ++i) dashes += "- ";
  EXPECT_THAT(refusal(dashes), HasSubstr("nested too deeply"));
  EXPECT_THAT(refusal(std::string(100000, '[')), HasSubstr("nested too deeply"));
}

TEST(Yaml, MappingsAreBounded) {
  std::string many;
  for (int i = 0; i < 1001; ++i) many += "k" + std::to_string(i) + ":\n";
  EXPECT_THAT(refusal(many), HasSubstr("line 1001, column 1: a mapping has too many members"));
  EXPECT_THAT(refusal(std::string(1001, 'k') + ": 1"), HasSubstr("a key is too long"));
}

// Good documents with lines moved, put in from others or pushed to the right, and a few bytes exchanged.
class ChangedDocument {
 public:
  explicit ChangedDocument(std::mt19937& random) : random_(random) {}

  std::string text() {
    auto lines = lines_of(any());
    for (std::size_t changes = below(3); changes > 0; --changes) change_line(lines);
    std::string text;
    const std::string mark = below(10) == 0 ? "\r\n" : "\n";
    for (const std::string& line : lines) text += line + mark;
    if (below(3) == 0 && !text.empty()) text.resize(text.size() - mark.size());
    for (std::size_t changes = below(5); changes > 0 && !text.empty(); --changes) change_byte(text);
    return text;
  }

 private:
  std::size_t below(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most - 1)(random_); }

  std::string any() { return kGood[below(std::size(kGood))]; }

  static std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      lines.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    return lines;
  }

  void change_line(std::vector<std::string>& lines) {
    const auto others = lines_of(any());
    const std::size_t at = below(lines.size() + 1);
    const auto place = lines.begin() + static_cast<std::ptrdiff_t>(at);
    if (at == lines.size() || below(3) == 0) {
      if (!others.empty()) lines.insert(place, others[below(others.size())]);
    } else if (below(3) == 0) {
      lines.erase(place);
    } else if (below(2) == 0) {
      lines[at].insert(0, std::string(1 + below(4), ' '));
    } else {
      lines[at].erase(0, std::min(lines[at].find_first_not_of(' '), 1 + below(4)));
    }
  }

  void change_byte(std::string& text) {
    constexpr std::string_view kBytes = "ab01 \n\t:-#,[]{}\"'\\|>+?&*!%@`~.=<x";
    const std::size_t at = below(text.size());
    const char byte = kBytes[below(kBytes.size())];
    switch (below(3)) {
      case 0: text.erase(at, 1); break;
      case 1: text.insert(at, 1, byte); break;
      default: text[at] = byte;
    }
  }

  std::mt19937& random_;
};

TEST(Yaml, AgreesWithAnotherReader) {
  std::mt19937 random(20260123);
  for (int document = 0; document < 40000 && !HasFatalFailure(); ++document) {
    expect_agreement(ChangedDocument(random).text());
  }
}

// Every text of up to `most` of the pieces, behind this one.
void expect_agreement_on_all(const std::vector<std::string>& pieces, int most, const std::string& before) {
  ASSERT_NO_FATAL_FAILURE(expect_agreement(before));
  if (most == 0) return;
  for (const std::string& piece : pieces) {
    ASSERT_NO_FATAL_FAILURE(expect_agreement_on_all(pieces, most - 1, before + piece));
  }
}

TEST(Yaml, AgreesWithAnotherReaderOnAllShortTexts) {
  expect_agreement_on_all({"a", ":", " ", "\n", "-", "|", "'", "#", "[", "]", "{", "}", ","}, 4, "");
  expect_agreement_on_all({"a: ", "b", "\n", "- ", " ", "|\n", ">\n", "'"}, 5, "");
  expect_agreement_on_all({"a", "\n", " ", "\t", "\\", "\"", "''"}, 5, "k: \"");
  expect_agreement_on_all({"1", "-", " ", "\n", "a", "#"}, 6, "k: |");
}

}  // namespace
}  // namespace pale
