#include "base/toml.h"

#include <gmock/gmock.h>
#define TOML_ASSERT(condition) static_cast<void>(0)  // It asserts some of what it then refuses.
#include <toml++/toml.h>

#include <expected>
#include <nlohmann/json.hpp>
#include <random>

namespace pale {
namespace {

using ::testing::HasSubstr;
using Kind = TomlValue::Kind;

constexpr std::size_t kDeepest = 16;

std::string refusal(std::string_view text) {
  const auto value = TomlValue::parse(text, kDeepest);
  EXPECT_FALSE(value.has_value()) << text;
  return value ? "" : value.error().subject;
}

TomlValue parsed(std::string_view text) {
  auto value = TomlValue::parse(text, kDeepest);
  EXPECT_TRUE(value.has_value()) << text << "\n" << (value ? "" : value.error().sentence());
  return value ? std::move(*value) : TomlValue();
}

// The same tree as another parser would have it. Of reals and times only that they are such.
nlohmann::json tree(const TomlValue& value) {
  switch (value.kind()) {
    case Kind::Text: return *value.text();
    case Kind::Whole: return *value.whole_number();
    case Kind::Real: return "a real";
    case Kind::Boolean: return value.boolean() == true;
    case Kind::Time: return "a time";
    case Kind::Array: {
      auto array = nlohmann::json::array();
      for (const TomlValue& item : value.items()) array.push_back(tree(item));
      return array;
    }
    case Kind::Table: break;
  }
  auto table = nlohmann::json::object();
  for (const TomlMember& member : value.members()) table[member.key] = tree(member.value);
  return table;
}

nlohmann::json tree(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* truth = node.as_boolean()) return truth->get();
  if (node.is_floating_point()) return "a real";
  if (const auto* array = node.as_array()) {
    auto items = nlohmann::json::array();
    for (const toml::node& item : *array) items.push_back(tree(item));
    return items;
  }
  if (const auto* table = node.as_table()) {
    auto members = nlohmann::json::object();
    for (const auto& [key, member] : *table) members[std::string(key.str())] = tree(member);
    return members;
  }
  return "a time";
}

// The other parser's tree, or its complaint.
std::expected<nlohmann::json, std::string> judged(const std::string& text) {
  try {
    return tree(toml::parse(text));
  } catch (const toml::parse_error& error) {
    return std::unexpected(std::string(error.description()));
  }
}

void expect_agreement(const std::string& text) {
  const auto value = TomlValue::parse(text, kDeepest);
  const auto judge = judged(text);
  // Here a real number is kept as it is written, however large.
  if (!judge && judge.error().ends_with("could not be interpreted as a value")) return;
  ASSERT_EQ(value.has_value(), judge.has_value()) << text << "\n" << (value ? judge.error() : value.error().sentence());
  if (!value) return;
  ASSERT_EQ(tree(*value), *judge) << text;
}

constexpr const char* kGood[] = {
    "",
    "# only a comment",
    "a = 1\r\nb = \"x\"\r\n",
    "bare-key_1 = true\n\"quoted key\" = false\n'literal' = 0\n\"\" = 'empty'\n1234 = 5",
    "a.b.c = 1\na.b.d = 2\na . e = 3",
    "[t]\nx = 1\n[t.u]\ny = 2\n[v.w]\n[v]\nz = 3",
    "[[p]]\nn = 1\n[[p]]\nn = 2\n[p.q]\nr = 3\n[[p.s]]\nt = 4",
    "fruit.apple.color = 1\n[fruit.apple.taste]\nsweet = true",
    "i = [0, +1, -17, 1_000, 0xDEAD_beef, 0o755, 0b1101, 9223372036854775807, -9223372036854775808]",
    "f = [1.0, 3.1415, -0.01, 5e+22, 1e06, -2E-2, 6.626e-34, 9_224_617.445_991, inf, -inf, +nan, 1.5e-3]",
    "s = \"a\\tb\\n\\\"q\\\" \\\\ \\u00e9 \\U0001F600\"\nl = 'C:\\path'",
    "m = \"\"\"\nfirst\n  second \\\n     joined\"\"\"\nr = '''\nraw \\n\n'''\nq = \"\"\"two quotes: \"\" end\"\"\"",
    "e = \"\"\"\"quoted\"\"\"\"\nf = ''''x'''''",
    "d = [1979-05-27T07:32:00Z, 1979-05-27T00:32:00.999-07:00, 1979-05-27 07:32:00, 1979-05-27, 07:32:00.5, "
    "2024-02-29]",
    "a = [ [1, 2], [\"x\", 3.0], ]\nb = [\n  1, # one\n\n  2\n]\nc = [ { x = 1 }, { y.z = 2 } ]",
    "t = { a = 1, b.c = 2, 'd e' = [1], f = {} }",
    "\ta\t=\t1\t# tabs",
};

constexpr const char* kBad[] = {
    "a",
    "a =",
    "= 1",
    "a = 1 b = 2",
    "a = 1\na = 2",
    "a.b = 1\na = 2",
    "a = 1\na.b = 2",
    "[a]\n[a]",
    "[a]\nb = 1\n[a.b]",
    "[a.b]\n[a]\nb.c = 1",
    "a = [1]\n[[a]]",
    "[[a]]\n[a]",
    "a = {}\n[a.b]",
    "a = { b = 1 }\na.c = 2",
    "a = { b = 1, }",
    "a = { b = 1\n}",
    "a = { b = 1, b = 2 }",
    "a = { b.c = 1, b = 2 }",
    "[a",
    "[]",
    "[a.]",
    "[[a]",
    "[ [a]]",
    "a = [1, 2",
    "a = [1 2]",
    "a = [,]",
    "a = 01",
    "a = 1__0",
    "a = _1",
    "a = 1_",
    "a = 0x",
    "a = 0xg",
    "a = +0x1",
    "a = 9223372036854775808",
    "a = -9223372036854775809",
    "a = 1.",
    "a = .5",
    "a = 1.e5",
    "a = 1e",
    "a = 00.5",
    "a = Inf",
    "a = True",
    "a = yes",
    "a = 2023-02-29",
    "a = 2023-13-01",
    "a = 2023-1-01",
    "a = 24:00:00",
    "a = 07:60:00",
    "a = 2023-01-01T",
    "a = 2023-01-01T07:00:00.",
    "a = 2023-01-01T07:00:00+25:00",
    "a = \"no end",
    "a = 'no end",
    "a = \"two\nlines\"",
    "a = \"\"\"no end",
    "a = \"\\q\"",
    "a = \"\\ud800\"",
    "a = \"\\U00110000\"",
    "a = \"\\u12\"",
    "a = \"\x01\"",
    "# \x01",
    "\"\"\"a\"\"\" = 1",
    "a = \xff",
    "a b = 1",
};

TEST(Toml, AcceptsWhatIsGood) {
  for (const char* text : kGood) {
    EXPECT_TRUE(TomlValue::parse(text, kDeepest)) << text;
    expect_agreement(text);
  }
}

TEST(Toml, RefusesWhatIsNot) {
  for (const char* text : kBad) {
    EXPECT_THAT(refusal(text), HasSubstr("line ")) << text;
    expect_agreement(text);
  }
}

TEST(Toml, KeepsTheOrderOfMembers) {
  const TomlValue value = parsed("z = 1\na = 2\nm.y = 3\nm.b = 4");
  ASSERT_EQ(value.members().size(), 3U);
  EXPECT_EQ(value.members()[0].key, "z");
  EXPECT_EQ(value.members()[1].key, "a");
  EXPECT_EQ(value.members()[2].value.members()[0].key, "y");
}

TEST(Toml, KnowsWhereEverythingStands) {
  const std::string text = "# first\n[agent]\nprotected = [ \"a\", 'b' ] # why\ntrust = \"shell\"\n";
  const TomlValue value = parsed(text);
  const auto cut = [&](TextSpan span) { return text.substr(span.begin, span.end - span.begin); };
  const TomlValue* agent = value.find("agent");
  ASSERT_NE(agent, nullptr);
  EXPECT_EQ(cut(agent->span()), "[agent]");
  EXPECT_EQ(cut(agent->find("protected")->span()), "[ \"a\", 'b' ]");
  EXPECT_EQ(cut(agent->find("protected")->items()[1].span()), "'b'");
  EXPECT_EQ(cut(agent->members()[1].key_span), "trust");
  EXPECT_EQ(cut(agent->find("trust")->span()), "\"shell\"");
}

TEST(Toml, PointsAtWhatIsWrong) {
  EXPECT_EQ(refusal("a = 1\n\n  a = 2\n"), "line 3, column 3: 'a' is there already");
  EXPECT_THAT(refusal("[x]\nname = shop\n"), HasSubstr("line 2, column 8: "));
  EXPECT_THAT(refusal("[x]\nname = shop\n"), HasSubstr("quotation marks"));
}

TEST(Toml, RefusesWhatIsNestedTooDeeply) {
  EXPECT_THAT(refusal("a = " + std::string(kDeepest + 1, '[')), HasSubstr("too deeply"));
  std::string dotted = "a";
  for (std::size_t i = 0; i < kDeepest; ++i) dotted += ".a";
  EXPECT_THAT(refusal(dotted + " = 1"), HasSubstr("too deeply"));
  EXPECT_THAT(refusal("[" + dotted + "]"), HasSubstr("too deeply"));
}

// Good documents, one or two of them, with a few bytes taken out, put in or exchanged.
std::string changed_document(std::mt19937& random) {
  const auto below = [&random](std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(0, most - 1)(random);
  };
  constexpr std::string_view kBytes = "ab0123_.-+:=\"'[]{},# \n\\teETZxu";
  std::string text = kGood[below(std::size(kGood))];
  if (below(2) == 0) text.append("\n").append(kGood[below(std::size(kGood))]);
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

TEST(Toml, AgreesWithAnotherReader) {
  std::mt19937 random(20240607);
  for (int document = 0; document < 30000 && !HasFatalFailure(); ++document) expect_agreement(changed_document(random));
}

}  // namespace
}  // namespace pale
