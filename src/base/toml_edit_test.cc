#include "base/toml_edit.h"

#include <gmock/gmock.h>
#define TOML_ASSERT(condition) static_cast<void>(0)  // It asserts some of what it then refuses.
#include <toml++/toml.h>

#include <nlohmann/json.hpp>
#include <random>

#include "base/json.h"
#include "base/toml.h"

namespace pale {
namespace {

using ::testing::HasSubstr;
using Keys = std::vector<std::string_view>;
using Kind = TomlValue::Kind;

constexpr std::size_t kDeepest = 64;

std::string set(std::string_view text, const Keys& keys, std::string_view written) {
  const auto result = toml_set(text, keys, written);
  return result ? *result : "error: " + result.error().sentence();
}

std::string remove(std::string_view text, const Keys& keys) {
  const auto result = toml_remove(text, keys);
  return result ? *result : "error: " + result.error().sentence();
}

TEST(TomlSet, ReplacesAValueWhereItStands) {
  EXPECT_EQ(set("# top\n[a]\n  b  =  1  # why\nc = 2\n", {"a", "b"}, "[3]"), "# top\n[a]\n  b  =  [3]  # why\nc = 2\n");
  EXPECT_EQ(set("a.b.c = \"\"\"\nx\n\"\"\"\r\nd = 1", {"a", "b", "c"}, "'y'"), "a.b.c = 'y'\r\nd = 1");
  EXPECT_EQ(set("a = { b = { c = 1 }, d = 2 }", {"a", "b"}, "{}"), "a = { b = {}, d = 2 }");
  EXPECT_EQ(set("a = {b=1}\n", {"a"}, "2"), "a = 2\n");
}

TEST(TomlSet, ANewMemberFollowsTheLastOneOfItsTable) {
  EXPECT_EQ(set("[a]\n  b = 1 # one\n\n# next\n[c]\n", {"a", "d"}, "2"),
            "[a]\n  b = 1 # one\n  d = 2\n\n# next\n[c]\n");
  EXPECT_EQ(set("[a]\nb = [\n  1,\n]", {"a", "d"}, "2"), "[a]\nb = [\n  1,\n]\nd = 2\n");
  EXPECT_EQ(set("[a] # empty\n\n[b]\n", {"a", "x y"}, "true"), "[a] # empty\n\"x y\" = true\n\n[b]\n");
  EXPECT_EQ(set("[a]\r\nb = 1\r\n\r\n[c]\r\n", {"a", "d"}, "2"), "[a]\r\nb = 1\r\nd = 2\r\n\r\n[c]\r\n");
  EXPECT_EQ(set("[a]\nb.c = 1\n[a.d]\ne = 2\n", {"a", "f"}, "3"), "[a]\nb.c = 1\nf = 3\n[a.d]\ne = 2\n");
}

TEST(TomlSet, AMemberOfTheTopStandsAboveTheFirstHeading) {
  EXPECT_EQ(set("", {"a"}, "1"), "a = 1\n");
  EXPECT_EQ(set("# only this", {"a"}, "1"), "# only this\na = 1\n");
  EXPECT_EQ(set("x = 1\n\n[t]\n", {"a"}, "1"), "x = 1\na = 1\n\n[t]\n");
  EXPECT_EQ(set("[t]\n", {"a"}, "1"), "a = 1\n\n[t]\n");
  EXPECT_EQ(set("# of the file\n\n# of t\n[t]\n", {"a"}, "1"), "# of the file\n\na = 1\n\n# of t\n[t]\n");
}

TEST(TomlSet, AnInlineTableGrowsBetweenItsBraces) {
  EXPECT_EQ(set("a = { b = 1 } # c\n", {"a", "d"}, "2"), "a = { b = 1, d = 2 } # c\n");
  EXPECT_EQ(set("a = {}\n", {"a", "d", "e"}, "2"), "a = { d.e = 2 }\n");
  EXPECT_EQ(set("a = { b.c = 1, d = 2 }\n", {"a", "b", "e"}, "3"), "a = { b.c = 1, b.e = 3, d = 2 }\n");
  EXPECT_EQ(set("a = { b = '''\n[ ''', c.d = 1 }\n", {"a", "c", "e"}, "2"),
            "a = { b = '''\n[ ''', c.d = 1, c.e = 2 }\n");
}

TEST(TomlSet, DottedKeysAreJoinedByAnother) {
  EXPECT_EQ(set("[t]\na.b = 1\nz = 0\n", {"t", "a", "c"}, "2"), "[t]\na.b = 1\na.c = 2\nz = 0\n");
  EXPECT_EQ(set("a.b = 1\n[x]\n", {"a", "c", "d"}, "2"), "a.b = 1\na.c.d = 2\n[x]\n");
  EXPECT_EQ(set("f.a.c = 1\n[f.a.t]\ns = 1\n", {"f", "a", "n"}, "2"), "f.a.c = 1\nf.a.n = 2\n[f.a.t]\ns = 1\n");
}

TEST(TomlSet, ATableWithoutAPlaceGetsAHeadingAtTheEnd) {
  EXPECT_EQ(set("", {"a", "b"}, "1"), "[a]\nb = 1\n");
  EXPECT_EQ(set("x = 1", {"a", "b c", "d"}, "1"), "x = 1\n\n[a.\"b c\"]\nd = 1\n");
  EXPECT_EQ(set("[a]\r\nx = 1\r\n", {"a", "b", "c"}, "1"), "[a]\r\nx = 1\r\n\r\n[a.b]\r\nc = 1\r\n");
  EXPECT_EQ(set("[a.b]\nx = 1\n\n", {"a", "c"}, "1"), "[a.b]\nx = 1\n\n[a]\nc = 1\n");
}

TEST(TomlSet, RefusesWhatIsNoTableOnTheWayAndATableAtTheEnd) {
  EXPECT_EQ(set("a = 1", {"a", "b"}, "1"), "error: cannot set a.b: 'a' is not a table");
  EXPECT_EQ(set("[[a]]\nb = 1", {"a", "b"}, "1"), "error: cannot set a.b: 'a' is not a table");
  EXPECT_EQ(set("[a]", {"a"}, "1"), "error: cannot set a: it is a table");
  EXPECT_EQ(set("a.b = 1", {"a"}, "1"), "error: cannot set a: it is a table");
  EXPECT_EQ(set("[[a]]", {"a"}, "1"), "error: cannot set a: it is a table");
  EXPECT_THAT(set("a = ", {"a"}, "1"), HasSubstr("line 1, column 5"));
  EXPECT_THAT(set("", {}, "1"), HasSubstr("error: "));
}

TEST(TomlSet, RefusesWhatIsNotOneValue) {
  for (const auto* written : {"", " ", "1 ", " 1", "1 # x", "1\nb = 2", "x", "1\n[t]", "\"", "[1", "'\xff'", "1, 2"}) {
    EXPECT_THAT(set("c = 0\n", {"a"}, written), HasSubstr("not one TOML value")) << written;
  }
  EXPECT_THAT(set("c = 0\n", {"\xff"}, "1"), HasSubstr("not UTF-8"));
}

TEST(TomlRemove, AKeyGoesWithItsLine) {
  EXPECT_EQ(remove("# a\na = [\n  1, # one\n] # b\nc = 2 # d\n", {"a"}), "# a\nc = 2 # d\n");
  EXPECT_EQ(remove("[t]\r\na = 1\r\nb = 2", {"t", "b"}), "[t]\r\na = 1\r\n");
  EXPECT_EQ(remove("a.b = 1\nc = 2\na.d = 3\n", {"a", "d"}), "a.b = 1\nc = 2\n");
  EXPECT_EQ(remove("a.b = 1\nc = 2\na.d = 3\n", {"a"}), "c = 2\n");
}

TEST(TomlRemove, AMemberOfAnInlineTableGoesWithItsComma) {
  const std::string text = "a = { b = 1, c.d = 2, \"e,\" = 3, c.f = [4] } # g\n";
  EXPECT_EQ(remove(text, {"a", "b"}), "a = { c.d = 2, \"e,\" = 3, c.f = [4] } # g\n");
  EXPECT_EQ(remove(text, {"a", "c", "d"}), "a = { b = 1, \"e,\" = 3, c.f = [4] } # g\n");
  EXPECT_EQ(remove(text, {"a", "c", "f"}), "a = { b = 1, c.d = 2, \"e,\" = 3 } # g\n");
  EXPECT_EQ(remove(text, {"a", "c"}), "a = { b = 1, \"e,\" = 3 } # g\n");
  EXPECT_EQ(remove("a = { b = 1 }\n", {"a", "b"}), "a = {}\n");
}

TEST(TomlRemove, ATableGoesWithAllThatIsInIt) {
  EXPECT_EQ(remove("x = 1\n\n[a]\nb = 1\n# inside\n\n# of c\n[c]\n", {"a"}), "x = 1\n\n# of c\n[c]\n");
  EXPECT_EQ(remove("x = 1\n\n[a]\nb = 1\n", {"a"}), "x = 1\n");
  EXPECT_EQ(remove("[a]\nb = 1\n[c]\nd = 2\n[a.e]\nf = 3\n", {"a"}), "[c]\nd = 2\n");
  EXPECT_EQ(remove("[[a]]\n[a.b]\n[[a]]\n[a.b]\n[c]\n", {"a"}), "[c]\n");
  EXPECT_EQ(remove("[a]\nb = '''\n# text'''\n[c]\n", {"a"}), "[c]\n");
}

TEST(TomlRemove, WhatIsNotThereChangesNothing) {
  const std::string text = "a = 1 # x\r\n[b]\n";
  for (const Keys& keys : {Keys{"c"}, Keys{"a", "b"}, Keys{"b", "c"}, Keys{"b", "c", "d"}}) {
    EXPECT_EQ(remove(text, keys), text);
  }
  EXPECT_THAT(remove(text, {}), HasSubstr("error: "));
}

TEST(TomlText, AnyTextReadsBack) {
  for (unsigned pair = 0; pair < 65536; ++pair) {
    const std::string text = {static_cast<char>(pair >> 8U), static_cast<char>(pair & 255U)};
    if (!is_utf8(text)) continue;
    const auto root = TomlValue::parse(toml_key(text) + " = " + toml_text(text), 1);
    ASSERT_TRUE(root.has_value()) << root.error().sentence();
    ASSERT_EQ(root->members().front().key, text);
    ASSERT_EQ(*root->members().front().value.text(), text);
  }
}

TEST(TomlText, HasNoControlCharacters) {
  EXPECT_EQ(toml_text("a\"\n\\\x1b\x7f\xc2\x9bé"), R"("a\"\n\\\u001b\u007f\u009bé")");
  EXPECT_EQ(toml_key("a-B_1"), "a-B_1");
  EXPECT_EQ(toml_key(""), "\"\"");
  EXPECT_EQ(toml_key("a.b"), "\"a.b\"");
  EXPECT_EQ(toml_list({}), "[]");
  EXPECT_EQ(toml_list(std::vector<std::string>{"a", "b\""}), R"(["a", "b\""])");
}

// --- any document, any change -----------------------------------------------------------------------------------------

nlohmann::json tree(const TomlValue& value) {
  if (value.kind() == Kind::Table) {
    auto table = nlohmann::json::object();
    for (const TomlMember& member : value.members()) table[member.key] = tree(member.value);
    return table;
  }
  if (value.kind() == Kind::Array) {
    auto array = nlohmann::json::array();
    for (const TomlValue& item : value.items()) array.push_back(tree(item));
    return array;
  }
  if (value.kind() == Kind::Text) return *value.text();
  return *value.whole_number();
}

nlohmann::json tree(const toml::node& node) {
  if (const auto* table = node.as_table()) {
    auto members = nlohmann::json::object();
    for (const auto& [key, member] : *table) members[std::string(key.str())] = tree(member);
    return members;
  }
  if (const auto* array = node.as_array()) {
    auto items = nlohmann::json::array();
    for (const toml::node& item : *array) items.push_back(tree(item));
    return items;
  }
  if (const auto* text = node.as_string()) return text->get();
  return node.as_integer()->get();
}

class RandomDocument {
 public:
  explicit RandomDocument(std::mt19937& random) : random_(random) {}

  // Often not good TOML: the same key may come twice.
  std::string text() {
    mark_ = below(4) == 0 ? "\r\n" : "\n";
    std::string text;
    for (std::size_t lines = below(14); lines > 0; --lines) {
      text += line();
      if (lines > 1 || below(4) != 0) text += mark_;
    }
    return text;
  }

  std::string value(int depth) {
    switch (below(depth > 2 ? 3 : 7)) {
      case 0: return std::to_string(below(100));
      case 1: return "\"# no comment, [t] = { \\\" \"";
      case 2: return "'}'";
      case 3: return "\"\"\"" + mark_ + "[a]" + mark_ + "# text \"\"\"";
      case 4: return "[" + (below(2) == 0 ? mark_ : "") + value(depth + 1) + ", " + value(depth + 1) + "]";
      default: return braces(depth);
    }
  }

  Keys keys() {
    Keys keys;
    for (std::size_t count = 1 + below(4); count > 0; --count) keys.push_back(kNames[below(std::size(kNames))]);
    return keys;
  }

  std::size_t below(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most - 1)(random_); }

 private:
  static constexpr std::string_view kNames[] = {"a", "b", "c", "d, {", "#"};

  std::string key() {
    std::string text;
    for (std::size_t parts = 1 + (below(3) == 0 ? below(3) : 0); parts > 0; --parts) {
      text += toml_key(kNames[below(std::size(kNames))]) + (parts > 1 ? below(4) == 0 ? " . " : "." : "");
    }
    return text;
  }

  std::string braces(int depth) {
    std::string text = "{";
    for (std::size_t members = below(3); members > 0; --members) {
      text += " " + key() + " = " + value(depth + 1) + (members > 1 ? "," : " ");
    }
    return text + "}";
  }

  std::string comment() { return below(3) == 0 ? " # comment " + std::to_string(comments_++) + "." : ""; }

  std::string line() {
    const std::string indent(below(3) == 0 ? below(4) : 0, ' ');
    switch (below(8)) {
      case 0: return "";
      case 1: return indent + "# comment " + std::to_string(comments_++) + ".";
      case 2: return indent + "[" + key() + "]" + comment();
      case 3: return below(2) == 0 ? indent + "[[" + key() + "]]" + comment() : "[" + key() + "]";
      default: return indent + key() + " = " + value(0) + comment();
    }
  }

  std::mt19937& random_;
  std::string mark_;
  int comments_ = 0;
};

// The comments that stand in a text, by their numbers, in order.
std::vector<std::string> comments(const std::string& text) {
  constexpr std::string_view kStart = "# comment ";
  std::vector<std::string> found;
  for (std::size_t at = text.find(kStart); at != std::string::npos; at = text.find(kStart, at + 1)) {
    found.push_back(text.substr(at, text.find('.', at) - at));
  }
  return found;
}

nlohmann::json::json_pointer pointer(const Keys& keys) {
  nlohmann::json::json_pointer path;
  for (const std::string_view key : keys) path /= std::string(key);
  return path;
}

// Whether `longer` is `shorter` with something put in at one place.
bool grew_at_one_place(std::string_view shorter, std::string_view longer) {
  if (longer.size() < shorter.size()) return false;
  const auto same = std::ranges::mismatch(shorter, longer).in1 - shorter.begin();
  return longer.ends_with(shorter.substr(static_cast<std::size_t>(same)));
}

// The text without the lines of a value that is there; nothing, if it is a table or an array of them.
std::string without_lines_of(const std::string& text, const Keys& keys) {
  const auto root = TomlValue::parse(text, kDeepest);
  const TomlValue* table = &*root;
  for (const std::string_view key : std::span(keys).first(keys.size() - 1)) table = table->find(key);
  const auto& member = *std::ranges::find(table->members(), keys.back(), &TomlMember::key);
  if (member.value.kind() == Kind::Table || !member.value.items().empty()) return "";
  const std::size_t begin = text.rfind('\n', member.key_span.begin), end = text.find('\n', member.value.span().end);
  return text.substr(0, begin == std::string::npos ? 0 : begin) + (end == std::string::npos ? "" : text.substr(end));
}

// Another reader sees it too.
void expect_tree(const std::string& text, const nlohmann::json& expected) {
  const auto root = TomlValue::parse(text, kDeepest);
  ASSERT_TRUE(root.has_value()) << text;
  ASSERT_EQ(tree(*root), expected) << text;
  ASSERT_EQ(tree(toml::parse(text)), expected) << text;
}

void expect_good_set(const std::string& text, const nlohmann::json& before, const Keys& keys,
                     const std::string& written) {
  const auto after = toml_set(text, keys, written);
  SCOPED_TRACE("in:\n" + text + "\nset " + pointer(keys).to_string() + " = " + written);
  if (!after) {
    ASSERT_EQ(after.error().kind, ErrorKind::Usage) << after.error().sentence();
    ASSERT_TRUE(after.error().subject.ends_with(" a table")) << after.error().sentence();
    auto path = pointer(keys);
    if (after.error().subject != "it is a table") path.pop_back();
    while (!before.contains(path)) path.pop_back();
    const bool heads = !before[path].empty() && before[path].is_array();
    ASSERT_TRUE(before[path].is_object() == (after.error().subject == "it is a table") || heads);
    return;
  }
  nlohmann::json expected = before;
  expected[pointer(keys)] = tree(*TomlValue::parse("v = " + written, kDeepest)->find("v"));
  ASSERT_NO_FATAL_FAILURE(expect_tree(*after, expected));
  ASSERT_EQ(comments(*after), comments(text)) << *after;
  ASSERT_EQ(toml_set(*after, keys, written), after);
  if (before.contains(pointer(keys))) return;
  ASSERT_TRUE(grew_at_one_place(text, *after)) << *after;
}

void expect_good_remove(const std::string& text, const nlohmann::json& before, const Keys& keys) {
  SCOPED_TRACE("in:\n" + text + "\nremove " + pointer(keys).to_string());
  const auto after = toml_remove(text, keys);
  ASSERT_TRUE(after.has_value()) << after.error().sentence();
  auto path = pointer(keys);
  const auto key = path.back();
  path.pop_back();
  if (!before.contains(path) || !before[path].is_object() || !before[path].contains(key)) {
    ASSERT_EQ(*after, text);
    return;
  }
  const auto root = TomlValue::parse(*after, kDeepest);
  ASSERT_TRUE(root.has_value()) << *after << root.error().sentence();
  const std::string around = without_lines_of(text, keys);
  ASSERT_THAT(comments(*after), ::testing::IsSupersetOf(comments(around))) << *after;
  ASSERT_EQ(tree(toml::parse(*after)), tree(*root)) << *after;
  // A table may vanish with its last dotted key or heading; otherwise nothing but what was named is gone.
  nlohmann::json expected = before, left = tree(*root);
  expected[path].erase(key);
  for (; !path.empty() && !left.contains(path); path.pop_back()) {
    ASSERT_TRUE(expected[path].empty()) << *after;
    auto parent = path;
    parent.pop_back();
    expected[parent].erase(path.back());
  }
  ASSERT_EQ(left, expected) << *after;
}

TEST(TomlEdit, ChangesWhatWasNamedAndNothingElse) {
  std::mt19937 random(20260123);
  int good = 0;
  for (int round = 0; round < 50000 && !HasFatalFailure(); ++round) {
    RandomDocument document(random);
    const std::string text = document.text();
    const auto root = TomlValue::parse(text, kDeepest);
    if (!root) continue;
    ++good;
    const nlohmann::json before = tree(*root);
    const std::string written = document.value(1);
    if (TomlValue::parse("v = " + written, kDeepest)) expect_good_set(text, before, document.keys(), written);
    expect_good_remove(text, before, document.keys());
  }
  EXPECT_GT(good, 10000);
}

}  // namespace
}  // namespace pale
