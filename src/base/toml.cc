#include "base/toml.h"

#include <algorithm>

#include "base/json.h"
#include "base/toml_scalar.h"

namespace pale {
namespace {

struct Key {
  std::string name;
  TextSpan span;
};

constexpr std::string_view kBareKeyBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

}  // namespace

class TomlReader {
 public:
  TomlReader(std::string_view text, std::size_t deepest) : cursor_{text}, deepest_(deepest) {}

  Result<TomlValue> whole() {
    if (!is_utf8(cursor_.text)) return cursor_.wrong("this is not UTF-8");
    TomlValue root;
    root.origin_ = Origin::Heading;
    TomlValue* table = &root;
    for (;;) {
      PALE_CHECK(skip_blank_lines());
      if (cursor_.at_end()) return root;
      if (cursor_.peek() == '[') {
        PALE_TRY(headed, read_heading(root));
        table = headed;
      } else {
        PALE_CHECK(read_member(*table, 0));
      }
      PALE_CHECK(expect_line_end());
    }
  }

 private:
  using Kind = TomlValue::Kind;
  using Origin = TomlValue::Origin;

  void skip_space() noexcept {
    cursor_.at = std::min(cursor_.text.find_first_not_of(" \t", cursor_.at), cursor_.text.size());
  }

  Status skip_comment() {
    if (cursor_.peek() != '#') return {};
    for (; !cursor_.at_end() && cursor_.peek() != '\n' && !cursor_.sees("\r\n"); ++cursor_.at) {
      const auto byte = static_cast<unsigned char>(cursor_.peek());
      if ((byte < 0x20 && byte != '\t') || byte == 0x7f) return cursor_.wrong("a control character in a comment");
    }
    return {};
  }

  // Space, comments and line ends.
  Status skip_blank_lines() {
    do {
      skip_space();
      PALE_CHECK(skip_comment());
    } while (cursor_.take("\n") || cursor_.take("\r\n"));
    return {};
  }

  Status expect_line_end() {
    skip_space();
    PALE_CHECK(skip_comment());
    if (cursor_.at_end() || cursor_.take("\n") || cursor_.take("\r\n")) return {};
    return cursor_.wrong("a new line is expected");
  }

  Result<Key> read_simple_key() {
    const std::size_t begin = cursor_.at;
    if (cursor_.peek() == '"' || cursor_.peek() == '\'') {
      if (cursor_.sees(R"(""")") || cursor_.sees("'''")) return cursor_.wrong("a key is in single quotation marks");
      PALE_TRY(name, toml::read_string(cursor_));
      return Key{std::move(name), {begin, cursor_.at}};
    }
    cursor_.at = std::min(cursor_.text.find_first_not_of(kBareKeyBytes, begin), cursor_.text.size());
    if (cursor_.at == begin) return cursor_.wrong("a key is expected");
    return Key{std::string(cursor_.text.substr(begin, cursor_.at - begin)), {begin, cursor_.at}};
  }

  // "a.'b c'.d"
  Result<std::vector<Key>> read_key() {
    std::vector<Key> keys;
    do {
      skip_space();
      PALE_TRY(key, read_simple_key());
      keys.push_back(std::move(key));
      skip_space();
    } while (cursor_.take("."));
    return keys;
  }

  std::unexpected<Error> taken(const Key& key) {
    cursor_.at = key.span.begin;
    return cursor_.wrong("'" + key.name + "' is there already");
  }

  static TomlValue* find(TomlValue& table, std::string_view key) {
    const auto found = std::ranges::find(table.members_, key, &TomlMember::key);
    return found == table.members_.end() ? nullptr : &found->value;
  }

  static TomlValue& add(TomlValue& table, const Key& key, Kind kind, Origin origin) {
    TomlValue value;
    value.kind_ = kind;
    value.origin_ = origin;
    value.span_ = key.span;
    table.members_.push_back({key.name, key.span, std::move(value)});
    return table.members_.back().value;
  }

  // The table a key leads through: there, or made on the way.
  Result<TomlValue*> step_into(TomlValue& table, const Key& key, Origin origin) {
    TomlValue* next = find(table, key.name);
    if (next == nullptr) return &add(table, key, Kind::Table, origin);
    const bool of_heading = origin == Origin::ImpliedByHeading;
    if (of_heading && next->kind_ == Kind::Array && next->origin_ == Origin::Heading) return &next->items_.back();
    const bool open = next->kind_ == Kind::Table && next->origin_ != Origin::Value &&
                      (of_heading || next->origin_ == Origin::DottedKey);
    if (!open) return taken(key);
    return next;
  }

  // "[a.b]" or "[[a.b]]". Returns the table that what follows belongs to.
  Result<TomlValue*> read_heading(TomlValue& root) {
    const std::size_t begin = cursor_.at;
    const bool array = cursor_.take("[[");
    if (!array) (void)cursor_.take("[");
    PALE_TRY(keys, read_key());
    if (!cursor_.take(array ? "]]" : "]")) return cursor_.wrong("the heading has no end");
    if (keys.size() > deepest_) return cursor_.wrong("this is nested too deeply");
    TomlValue* table = &root;
    for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
      PALE_TRY(next, step_into(*table, keys[i], Origin::ImpliedByHeading));
      table = next;
    }
    PALE_TRY(headed, array ? append_table(*table, keys.back()) : open_table(*table, keys.back()));
    headed->span_ = {begin, cursor_.at};
    return headed;
  }

  Result<TomlValue*> open_table(TomlValue& parent, const Key& key) {
    TomlValue* table = find(parent, key.name);
    if (table == nullptr) return &add(parent, key, Kind::Table, Origin::Heading);
    if (table->kind_ != Kind::Table || table->origin_ != Origin::ImpliedByHeading) return taken(key);
    table->origin_ = Origin::Heading;
    return table;
  }

  Result<TomlValue*> append_table(TomlValue& parent, const Key& key) {
    TomlValue* array = find(parent, key.name);
    if (array == nullptr) array = &add(parent, key, Kind::Array, Origin::Heading);
    if (array->kind_ != Kind::Array || array->origin_ != Origin::Heading) return taken(key);
    TomlValue table;
    table.origin_ = Origin::Heading;
    array->items_.push_back(std::move(table));
    return &array->items_.back();
  }

  // "key = value" in a table or between braces.
  Status read_member(TomlValue& table, std::size_t depth) {
    PALE_TRY(keys, read_key());
    if (!cursor_.take("=")) return cursor_.wrong("'=' is expected");
    if (depth + keys.size() > deepest_) return cursor_.wrong("this is nested too deeply");
    TomlValue* owner = &table;
    for (std::size_t i = 0; i + 1 < keys.size(); ++i) {
      PALE_TRY(next, step_into(*owner, keys[i], Origin::DottedKey));
      owner = next;
    }
    if (find(*owner, keys.back().name) != nullptr) return taken(keys.back());
    skip_space();
    PALE_TRY(value, read_value(depth + 1));
    owner->members_.push_back({std::move(keys.back().name), keys.back().span, std::move(value)});
    return {};
  }

  Result<TomlValue> read_value(std::size_t depth) {
    if (depth > deepest_) return cursor_.wrong("this is nested too deeply");
    const std::size_t begin = cursor_.at;
    PALE_TRY(value, cursor_.peek() == '['   ? read_array(depth)
                    : cursor_.peek() == '{' ? read_inline_table(depth)
                                            : read_plain_value());
    value.span_ = {begin, cursor_.at};
    return value;
  }

  Result<TomlValue> read_plain_value() {
    TomlValue value;
    if (cursor_.peek() == '"' || cursor_.peek() == '\'') {
      PALE_TRY(text, toml::read_string(cursor_));
      value.kind_ = Kind::Text;
      value.text_ = std::move(text);
      return value;
    }
    constexpr Kind kKinds[] = {Kind::Whole, Kind::Real, Kind::Boolean, Kind::Time};  // as in ScalarKind
    PALE_TRY(scalar, toml::read_scalar(cursor_));
    value.kind_ = kKinds[static_cast<std::size_t>(scalar.kind)];
    value.text_ = scalar.written;
    value.number_ = scalar.number;
    return value;
  }

  Result<TomlValue> read_array(std::size_t depth) {
    TomlValue array;
    array.kind_ = Kind::Array;
    ++cursor_.at;
    for (;;) {
      PALE_CHECK(skip_blank_lines());
      if (cursor_.take("]")) return array;
      PALE_TRY(item, read_value(depth + 1));
      array.items_.push_back(std::move(item));
      PALE_CHECK(skip_blank_lines());
      if (cursor_.take(",")) continue;
      if (!cursor_.take("]")) return cursor_.wrong("',' or ']' is expected");
      return array;
    }
  }

  // In one line, and no comma at its end.
  Result<TomlValue> read_inline_table(std::size_t depth) {
    TomlValue table;
    ++cursor_.at;
    skip_space();
    if (cursor_.take("}")) return table;
    do {
      PALE_CHECK(read_member(table, depth));
      skip_space();
    } while (cursor_.take(","));
    if (!cursor_.take("}")) return cursor_.wrong("',' or '}' is expected");
    close(table);
    return table;
  }

  // What dotted keys made in it can no longer be added to either.
  static void close(TomlValue& table) {
    table.origin_ = Origin::Value;
    for (TomlMember& member : table.members_) {
      if (member.value.kind_ == Kind::Table) close(member.value);
    }
  }

  toml::Cursor cursor_;
  std::size_t deepest_;
};

Result<TomlValue> TomlValue::parse(std::string_view text, std::size_t deepest) {
  return TomlReader(text, deepest).whole();
}

std::optional<bool> TomlValue::boolean() const noexcept {
  return kind_ == Kind::Boolean ? std::optional(number_ != 0) : std::nullopt;
}

std::optional<std::int64_t> TomlValue::whole_number() const noexcept {
  return kind_ == Kind::Whole ? std::optional(number_) : std::nullopt;
}

const TomlValue* TomlValue::find(std::string_view key) const noexcept {
  const auto found = std::ranges::find(members_, key, &TomlMember::key);
  return found == members_.end() ? nullptr : &found->value;
}

}  // namespace pale
