#include "base/json_value.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"

namespace pale {

namespace {

constexpr std::size_t kFewMembers = 100;  // each is compared with those before it; more are sorted in the end

}  // namespace

class JsonReader {
 public:
  JsonReader(std::string_view text, std::size_t deepest) : text_(text), deepest_(deepest) {}

  Result<JsonValue> whole() {
    if (!is_utf8(text_)) return wrong("this is not UTF-8");
    PALE_TRY(value, read_value(0));
    skip_space();
    if (at_ != text_.size()) return wrong("something follows the end");
    return value;
  }

 private:
  using Kind = JsonValue::Kind;

  std::unexpected<Error> wrong(std::string_view what) const {
    return fail(ErrorKind::Usage, "this is not JSON:", place_in(text_, at_) + ": " + std::string(what));
  }

  void skip_space() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

  bool take(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  Result<JsonValue> read_value(std::size_t depth) {
    skip_space();
    if (at_ >= text_.size()) return wrong("a value is missing");
    switch (text_[at_]) {
      case '{': return read_object(depth + 1);
      case '[': return read_array(depth + 1);
      case '"': return read_text_value();
      case 't': return read_word("true", Kind::Boolean);
      case 'f': return read_word("false", Kind::Boolean);
      case 'n': return read_word("null", Kind::Null);
      default: return read_number();
    }
  }

  Result<JsonValue> read_word(std::string_view word, Kind kind) {
    if (text_.substr(at_, word.size()) != word) return wrong("an unknown word");
    at_ += word.size();
    JsonValue value;
    value.kind_ = kind;
    value.text_ = word;
    return value;
  }

  std::size_t take_digits() {
    const std::size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
    return std::exchange(at_, end) == end ? 0 : 1;
  }

  Result<JsonValue> read_number() {
    const std::size_t begin = at_;
    (void)take('-');
    const bool zero = take('0');
    if (!zero && take_digits() == 0) return wrong("a value is expected");
    if (take('.') && take_digits() == 0) return wrong("digits are missing after the point");
    if (take('e') || take('E')) {
      if (!take('+')) (void)take('-');
      if (take_digits() == 0) return wrong("digits are missing in the exponent");
    }
    JsonValue value;
    value.kind_ = Kind::Number;
    value.text_ = text_.substr(begin, at_ - begin);
    return value;
  }

  Result<JsonValue> read_text_value() {
    JsonValue value;
    value.kind_ = Kind::Text;
    PALE_TRY(text, read_text());
    value.text_ = std::move(text);
    return value;
  }

  Result<std::string> read_text() {
    ++at_;
    std::string text;
    while (at_ < text_.size() && text_[at_] != '"') {
      const char c = text_[at_++];
      if (static_cast<unsigned char>(c) < 0x20) return wrong("a control character in a string");
      if (c != '\\') {
        text += c;
      } else {
        PALE_CHECK(read_escape(text));
      }
    }
    if (!take('"')) return wrong("a string has no end");
    return text;
  }

  Status read_escape(std::string& text) {
    if (at_ >= text_.size()) return wrong("a string has no end");
    constexpr std::string_view kLetters = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const char letter = text_[at_++];
    if (const std::size_t known = kLetters.find(letter); known != std::string_view::npos) {
      text += kMeanings[known];
      return {};
    }
    if (letter != 'u') return wrong("an unknown escape in a string");
    PALE_TRY(unit, read_unit());
    if (unit >= 0xdc00 && unit < 0xe000) return wrong("half a surrogate pair");
    if (unit >= 0xd800 && unit < 0xdc00) {
      if (!take('\\') || !take('u')) return wrong("half a surrogate pair");
      PALE_TRY(low, read_unit());
      if (low < 0xdc00 || low >= 0xe000) return wrong("half a surrogate pair");
      unit = 0x10000 + ((unit - 0xd800) << 10U) + (low - 0xdc00);
    }
    append_utf8(text, unit);
    return {};
  }

  Result<unsigned> read_unit() {
    unsigned unit = 0;
    for (int digits = 0; digits < 4; ++digits, ++at_) {
      constexpr std::string_view kDigits = "0123456789abcdef";
      if (at_ >= text_.size()) return wrong("a string has no end");
      const char c = text_[at_];
      const std::size_t digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c);
      if (digit == std::string_view::npos) return wrong("four hexadecimal digits are expected");
      unit = unit << 4U | static_cast<unsigned>(digit);
    }
    return unit;
  }

  static void append_utf8(std::string& text, unsigned point) {
    const auto put = [&text](unsigned byte) { text += static_cast<char>(byte); };
    if (point < 0x80) return put(point);
    if (point < 0x800) {
      put(0xc0 | point >> 6U);
    } else if (point < 0x10000) {
      put(0xe0 | point >> 12U);
      put(0x80 | (point >> 6U & 0x3fU));
    } else {
      put(0xf0 | point >> 18U);
      put(0x80 | (point >> 12U & 0x3fU));
      put(0x80 | (point >> 6U & 0x3fU));
    }
    put(0x80 | (point & 0x3fU));
  }

  Result<JsonValue> read_array(std::size_t depth) {
    if (depth > deepest_) return wrong("it nests too deep");
    ++at_;
    JsonValue value;
    value.kind_ = Kind::Array;
    skip_space();
    if (take(']')) return value;
    for (;;) {
      PALE_TRY(item, read_value(depth));
      value.items_.push_back(std::move(item));
      skip_space();
      if (take(']')) return value;
      if (!take(',')) return wrong("',' or ']' is expected");
    }
  }

  Result<JsonValue> read_object(std::size_t depth) {
    if (depth > deepest_) return wrong("it nests too deep");
    ++at_;
    JsonValue value;
    value.kind_ = Kind::Object;
    skip_space();
    if (take('}')) return value;
    for (;;) {
      skip_space();
      if (at_ >= text_.size() || text_[at_] != '"') return wrong("a key is expected");
      PALE_TRY(key, read_text());
      if (value.members_.size() < kFewMembers && value.find(key) != nullptr) return twice(key);
      skip_space();
      if (!take(':')) return wrong("':' is expected");
      PALE_TRY(member, read_value(depth));
      value.members_.emplace_back(std::move(key), std::move(member));
      skip_space();
      if (take('}')) break;
      if (!take(',')) return wrong("',' or '}' is expected");
    }
    if (value.members_.size() > kFewMembers) PALE_CHECK(check_keys(value));
    return value;
  }

  std::unexpected<Error> twice(std::string_view key) const {
    return wrong("the key \"" + std::string(key) + "\" stands twice in one object");
  }

  Status check_keys(const JsonValue& object) const {
    std::vector<std::string_view> keys;
    keys.reserve(object.members_.size());
    for (const auto& [key, member] : object.members_) keys.push_back(key);
    std::ranges::sort(keys);
    const auto again = std::ranges::adjacent_find(keys);
    return again == keys.end() ? Status() : twice(*again);
  }

  std::string_view text_;
  std::size_t deepest_;
  std::size_t at_ = 0;
};

Result<JsonValue> JsonValue::parse(std::string_view text, std::size_t deepest) {
  return JsonReader(text, deepest).whole();
}

std::optional<bool> JsonValue::boolean() const noexcept {
  if (kind_ != Kind::Boolean) return std::nullopt;
  return text_ == "true";
}

std::optional<std::string> JsonValue::bytes() const {
  if (kind_ == Kind::Text) return text_;
  const JsonValue* wrapped = members_.size() == 1 ? find("base64") : nullptr;
  std::string decoded;
  if (wrapped == nullptr || wrapped->text() == nullptr || !from_base64(*wrapped->text(), decoded)) return std::nullopt;
  return decoded;
}

void write_json(JsonWriter& out, const JsonValue& value) {
  switch (value.kind()) {
    case JsonValue::Kind::Null: out.null(); break;
    case JsonValue::Kind::Boolean:
    case JsonValue::Kind::Number: out.number(value.written()); break;
    case JsonValue::Kind::Text: out.value(*value.text()); break;
    case JsonValue::Kind::Array:
      out.begin_array();
      for (const JsonValue& item : value.items()) write_json(out, item);
      out.end_array();
      break;
    case JsonValue::Kind::Object:
      out.begin_object();
      for (const auto& [key, member] : value.members()) write_json(out.key(key), member);
      out.end_object();
      break;
  }
}

std::optional<std::uint64_t> JsonValue::whole_number() const noexcept {
  return kind_ == Kind::Number ? parse_number(text_) : std::nullopt;
}

const JsonValue* JsonValue::find(std::string_view key) const noexcept {
  for (const auto& [name, value] : members_) {
    if (name == key) return &value;
  }
  return nullptr;
}

}  // namespace pale
