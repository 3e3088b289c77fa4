#include "base/toml_edit.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "base/text.h"
#include "base/toml.h"

namespace pale {
namespace {

using Keys = std::span<const std::string_view>;

constexpr std::size_t kDeepest = 64;

// --- lines ------------------------------------------------------------------------------------------------------------

std::size_t line_begin(std::string_view text, std::size_t at) {
  return at == 0 ? 0 : text.rfind('\n', at - 1) + 1;  // npos + 1 is 0
}

// Behind the line end.
std::size_t line_end(std::string_view text, std::size_t at) {
  const std::size_t newline = text.find('\n', at);
  return newline == std::string_view::npos ? text.size() : newline + 1;
}

// What a line starts with: '#', '[', a byte of a key; '\n' if it is blank.
char first_byte(std::string_view text, std::size_t at) {
  const std::size_t first = text.find_first_not_of(" \t\r", line_begin(text, at));
  return first == std::string_view::npos ? '\n' : text[first];
}

std::string_view indent_of(std::string_view text, std::size_t at) {
  const std::size_t begin = line_begin(text, at);
  return text.substr(begin, std::min(text.find_first_not_of(" \t", begin), text.size()) - begin);
}

// The text's own, by its first line.
std::string_view line_mark(std::string_view text) {
  const std::size_t newline = text.find('\n');
  return newline != std::string_view::npos && newline > 0 && text[newline - 1] == '\r' ? "\r\n" : "\n";
}

// --- what is written where --------------------------------------------------------------------------------------------

// How a table came to be, which decides where a new member goes.
enum class Form { Root, Heading, ImpliedByHeading, Braces, Dotted };

// A key with its value, in one piece.
struct Leaf {
  TextSpan key;  // the last part of a dotted one
  TextSpan value;
};

// Other than tables, and arrays of them, that are written as headings or dotted keys: their span is a key's or a heading's.
bool is_leaf(std::string_view text, const TomlValue& value) {
  const char first = text[value.span().begin];
  if (value.kind() == TomlValue::Kind::Table) return first == '{';
  return value.kind() != TomlValue::Kind::Array || first == '[';
}

bool has_heading(std::string_view text, const TomlValue& table) {
  return table.kind() == TomlValue::Kind::Table && text[table.span().begin] == '[';
}

// The leaves between a table's braces, or below its heading and above the next.
void gather_leaves(std::string_view text, const TomlValue& table, std::vector<Leaf>& leaves) {
  for (const TomlMember& member : table.members()) {
    if (is_leaf(text, member.value)) {
      leaves.push_back({member.key_span, member.value.span()});
    } else if (!has_heading(text, member.value)) {
      gather_leaves(text, member.value, leaves);
    }
  }
}

// In the order of the text: dotted keys of several tables may be mixed.
std::vector<Leaf> leaves_of(std::string_view text, const TomlValue& table) {
  std::vector<Leaf> leaves;
  gather_leaves(text, table, leaves);
  std::sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) { return a.key.begin < b.key.begin; });
  return leaves;
}

// The headings of a table and of the tables in it.
void gather_headings(std::string_view text, const TomlValue& value, std::vector<const TomlValue*>& headed) {
  for (const TomlValue& item : value.items()) gather_headings(text, item, headed);
  if (value.kind() == TomlValue::Kind::Table && has_heading(text, value)) headed.push_back(&value);
  for (const TomlMember& member : value.members()) {
    if (!is_leaf(text, member.value)) gather_headings(text, member.value, headed);
  }
}

// How far keys lead from table to table.
struct Trail {
  const TomlValue* table;  // the last one they reach
  Form form = Form::Root;
  std::size_t steps = 0;          // how many keys led there
  const TomlValue* blocked = {};  // what the next key names, if that is no table

  // The table that dotted keys in it start from: itself, if it was not made by dotted keys.
  const TomlValue* home = table;
  Form home_form = Form::Root;
  std::size_t home_steps = 0;
};

Form form_of(std::string_view text, const TomlValue& table, const Trail& before) {
  const std::size_t begin = table.span().begin;
  if (text[begin] == '{') return Form::Braces;
  if (text[begin] == '[') return Form::Heading;
  // In braces a line may start with anything: the end of a string of several lines.
  if (before.home_form == Form::Braces) return Form::Dotted;
  return first_byte(text, begin) == '[' ? Form::ImpliedByHeading : Form::Dotted;
}

Trail follow(std::string_view text, const TomlValue& root, Keys keys) {
  Trail trail{&root};
  for (const std::string_view key : keys) {
    const TomlValue* next = trail.table->find(key);
    if (next == nullptr) break;
    if (next->kind() != TomlValue::Kind::Table) {
      trail.blocked = next;
      break;
    }
    trail.form = form_of(text, *next, trail);
    trail.table = next;
    ++trail.steps;
    if (trail.form == Form::Dotted) continue;
    trail.home = next;
    trail.home_form = trail.form;
    trail.home_steps = trail.steps;
  }
  return trail;
}

const TomlValue* find(const TomlValue& root, Keys keys) {
  const TomlValue* value = &root;
  for (const std::string_view key : keys) {
    value = value->find(key);
    if (value == nullptr) return nullptr;
  }
  return value;
}

std::string dotted(Keys keys) {
  std::string text;
  for (const std::string_view key : keys) text.append(text.empty() ? "" : ".").append(toml_key(key));
  return text;
}

std::unexpected<Error> cannot(std::string_view what, Keys keys, std::string_view why) {
  return fail(ErrorKind::Usage, "cannot " + std::string(what) + " " + printable(dotted(keys)) + ":", std::string(why));
}

// --- setting ----------------------------------------------------------------------------------------------------------

struct Edit {
  TextSpan where;
  std::string text;
};

std::string edited(std::string_view text, const Edit& edit) {
  return std::string(text.substr(0, edit.where.begin)).append(edit.text).append(text.substr(edit.where.end));
}

// A whole value and nothing beside it: no comment, no second line.
bool is_one_value(std::string_view written) {
  constexpr std::string_view kBefore = "v = ";
  const auto root = TomlValue::parse(std::string(kBefore).append(written), kDeepest);
  return root && root->members().size() == 1 &&
         root->members().front().value.span() == TextSpan{kBefore.size(), kBefore.size() + written.size()};
}

// Behind the line that `above` ends in, and as far to the right as that starts.
Edit line_below(std::string_view text, TextSpan above, const std::string& line) {
  const std::size_t at = line_end(text, above.end);
  const bool ended = at > 0 && text[at - 1] == '\n';
  const std::string_view mark = line_mark(text);
  std::string inserted(ended ? std::string_view() : mark);
  return {{at, at}, inserted.append(indent_of(text, above.begin)).append(line).append(mark)};
}

// The first line of all that is no comment: above the first heading and the comment that belongs to it.
Edit first_line(std::string_view text, const std::string& line) {
  const std::string mark(line_mark(text));
  std::size_t block = 0;  // where the comment starts that may turn out to belong to a heading
  for (std::size_t at = 0; at < text.size(); at = line_end(text, at)) {
    const char first = first_byte(text, at);
    if (first == '[') return {{block, block}, line + mark + mark};
    if (first == '\n') block = line_end(text, at);
  }
  const bool ended = text.empty() || text.back() == '\n';
  return {{text.size(), text.size()}, (ended ? "" : mark) + line + mark};
}

Edit last_section(std::string_view text, Keys table, const std::string& line) {
  const std::string mark(line_mark(text));
  const bool ended = text.empty() || text.back() == '\n';
  const bool apart = text.empty() || (ended && first_byte(text, text.size() - 1) == '\n');
  return {{text.size(), text.size()},
          (ended ? "" : mark) + (apart ? "" : mark) + "[" + dotted(table) + "]" + mark + line + mark};
}

Edit insert_in_braces(std::string_view text, const Trail& trail, const std::string& member) {
  const auto leaves = leaves_of(text, *trail.table);
  if (leaves.empty()) return {trail.table->span(), "{ " + member + " }"};
  const std::size_t at = leaves.back().value.end;
  return {{at, at}, ", " + member};
}

Edit insert(std::string_view text, const Trail& trail, Keys keys, std::string_view written) {
  const std::string member = dotted(keys.subspan(trail.home_steps)) + " = " + std::string(written);
  if (trail.home_form == Form::Braces) return insert_in_braces(text, trail, member);
  const bool needs_heading =
      trail.form == Form::ImpliedByHeading || (trail.form != Form::Dotted && trail.steps + 1 < keys.size());
  if (needs_heading) {
    const std::string line = toml_key(keys.back()) + " = " + std::string(written);
    return last_section(text, keys.first(keys.size() - 1), line);
  }
  const auto leaves = leaves_of(text, *trail.table);
  if (!leaves.empty()) return line_below(text, {leaves.back().key.begin, leaves.back().value.end}, member);
  return trail.form == Form::Root ? first_line(text, member) : line_below(text, trail.table->span(), member);
}

// --- removing ---------------------------------------------------------------------------------------------------------

// A member of an inline table, with one comma.
TextSpan cut_from_braces(std::string_view text, const Trail& trail, const Leaf& leaf) {
  const auto leaves = leaves_of(text, *trail.home);
  const auto found = std::find_if(leaves.begin(), leaves.end(), [&](const Leaf& one) { return one.key == leaf.key; });
  const TextSpan braces = trail.home->span();
  if (leaves.size() == 1) return {braces.begin + 1, braces.end - 1};
  if (found + 1 == leaves.end()) return {std::prev(found)->value.end, leaf.value.end};
  const auto skip_comma = [&](std::size_t at) { return text.find_first_not_of(" \t,", at); };
  return {skip_comma(found == leaves.begin() ? braces.begin + 1 : std::prev(found)->value.end),
          skip_comma(leaf.value.end)};
}

// A heading and all up to the next one; the last one also with the blank line that set it apart.
TextSpan section_of(std::string_view text, const TomlValue& root, const TomlValue& table) {
  std::vector<const TomlValue*> headed;
  for (const TomlMember& member : root.members()) {
    if (!is_leaf(text, member.value)) gather_headings(text, member.value, headed);
  }
  std::size_t next = text.size();
  for (const TomlValue* other : headed) {
    const std::size_t begin = other->span().begin;
    if (begin > table.span().begin) next = std::min(next, line_begin(text, begin));
  }
  const std::size_t begin = line_begin(text, table.span().begin);
  if (next == text.size()) {
    const bool apart = begin > 0 && first_byte(text, begin - 1) == '\n';
    return {apart ? line_begin(text, begin - 1) : begin, next};
  }
  // The last line of a string may look like a comment; above that nothing belongs to the next heading.
  const auto leaves = leaves_of(text, table);
  const std::size_t least = line_end(text, leaves.empty() ? table.span().end : leaves.back().value.end);
  while (next > least && first_byte(text, next - 1) == '#') next = line_begin(text, next - 1);
  return {begin, next};
}

// The last piece of what is to be removed. The last, since what a heading means depends on those above it.
TextSpan last_piece(std::string_view text, const TomlValue& root, const Trail& parent, const TomlMember& member) {
  std::vector<const TomlValue*> headed;
  std::vector<Leaf> leaves;
  if (is_leaf(text, member.value)) {
    leaves.push_back({member.key_span, member.value.span()});
  } else {
    gather_headings(text, member.value, headed);
    if (!has_heading(text, member.value)) leaves = leaves_of(text, member.value);
  }
  if (!headed.empty()) {
    const auto begin = [](const TomlValue* table) { return table->span().begin; };
    return section_of(text, root, **std::ranges::max_element(headed, {}, begin));
  }
  const Leaf& leaf = leaves.back();
  if (parent.home_form == Form::Braces) return cut_from_braces(text, parent, leaf);
  return {line_begin(text, leaf.key.begin), line_end(text, leaf.value.end)};
}

}  // namespace

Result<std::string> toml_set(std::string_view text, Keys keys, std::string_view written) {
  if (keys.empty()) return fail(ErrorKind::Usage, "cannot set a value without a key", "");
  if (!is_one_value(written)) return cannot("set", keys, "this is not one TOML value: " + printable(written));
  PALE_TRY(root, TomlValue::parse(text, kDeepest));
  const Trail trail = follow(text, root, keys.first(keys.size() - 1));
  if (trail.blocked)
    return cannot("set", keys, "'" + printable(dotted(keys.first(trail.steps + 1))) + "' is not a table");
  const TomlValue* old = trail.steps + 1 == keys.size() ? trail.table->find(keys.back()) : nullptr;
  if (old != nullptr && !is_leaf(text, *old)) return cannot("set", keys, "it is a table");
  std::string result =
      edited(text, old == nullptr ? insert(text, trail, keys, written) : Edit{old->span(), std::string(written)});

  PALE_TRY(again, TomlValue::parse(result, kDeepest));
  const TomlValue* value = find(again, keys);
  if (value == nullptr || std::string_view(result).substr(value->span().begin).substr(0, written.size()) != written)
    return fail(ErrorKind::Mismatch, "the TOML would not hold what was set:", printable(dotted(keys)));
  return result;
}

Result<std::string> toml_remove(std::string_view text, Keys keys) {
  if (keys.empty()) return fail(ErrorKind::Usage, "cannot remove a value without a key", "");
  std::string result(text);
  for (;;) {
    PALE_TRY(root, TomlValue::parse(result, kDeepest));
    const Trail trail = follow(result, root, keys.first(keys.size() - 1));
    if (trail.steps + 1 != keys.size()) return result;
    const auto& members = trail.table->members();
    const auto member = std::ranges::find(members, keys.back(), &TomlMember::key);
    if (member == members.end()) return result;
    result = edited(result, {last_piece(result, root, trail, *member), {}});
  }
}

std::string toml_text(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  constexpr std::string_view kNamed = "\b\t\n\f\r\"\\", kNames = "btnfr\"\\";
  std::string quoted = "\"";
  for (std::size_t at = 0; at < text.size(); ++at) {
    auto byte = static_cast<unsigned char>(text[at]);
    const std::size_t named = kNamed.find(text[at]);
    // U+0080 to U+009F are control characters too; in UTF-8 they are 0xc2 and their own number.
    const bool c1 = byte == 0xc2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0;
    if (c1) byte = static_cast<unsigned char>(text[++at]);
    if (named != std::string_view::npos) {
      quoted.append("\\") += kNames[named];
    } else if (c1 || byte < 0x20 || byte == 0x7f) {
      quoted.append("\\u00").append({kHex[byte >> 4U], kHex[byte & 15U]});
    } else {
      quoted += text[at];
    }
  }
  return quoted + '"';
}

std::string toml_key(std::string_view key) {
  constexpr std::string_view kBare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const bool bare = !key.empty() && key.find_first_not_of(kBare) == std::string_view::npos;
  return bare ? std::string(key) : toml_text(key);
}

std::string toml_list(std::span<const std::string> items) {
  std::string text = "[";
  for (const std::string& item : items) text.append(text.size() == 1 ? "" : ", ").append(toml_text(item));
  return text + "]";
}

}  // namespace pale
