#include "base/yaml.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "base/yaml_scalar.h"

namespace pale {

using yaml::Context;
using yaml::Indent;

namespace {

constexpr std::size_t kMostMembers = 1000;  // each is compared with those before it
constexpr std::size_t kLongestKey = 1000;   // other readers look no further for its ':'

constexpr std::string_view kQuestion = "text with '?' in brackets or braces stands in quotation marks";

bool is_null_word(std::string_view text) { return text == "null" || text == "Null" || text == "NULL" || text == "~"; }

// The first character that may not stand anywhere, or npos: control characters, a byte order mark, and what only some readers
// take for a line end (U+0085, U+2028, U+2029).
std::size_t find_forbidden(std::string_view text) {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const unsigned first = byte(at), second = byte(at + 1), third = byte(at + 2);
    const bool allowed = first == '\t' || first == '\n' || (first == '\r' && second == '\n');
    if ((first < 0x20 && !allowed) || first == 0x7f || (first == 0xc2 && second < 0xa0)) return at;
    if (first == 0xe2 && second == 0x80 && (third == 0xa8 || third == 0xa9)) return at;
    if (first == 0xef && second == 0xbb && third == 0xbf) return at;
  }
  return std::string_view::npos;
}

}  // namespace

// After each value in a block, the cursor stands at the next thing that is written, in whatever line that is.
class YamlReader {
 public:
  YamlReader(std::string_view text, std::size_t deepest) : cursor_{text}, deepest_(deepest) {}

  Result<YamlValue> whole() {
    PALE_CHECK(check_bytes());
    PALE_CHECK(skip_to_content());
    if (cursor_.sees("%")) return cursor_.wrong("directives ('%') are not supported");
    if (cursor_.at_document_mark() && cursor_.sees("---")) {
      cursor_.at += 3;
      PALE_CHECK(finish_line());
    }
    YamlValue root = nothing();
    if (!at_document_end()) {
      PALE_TRY(value, read_block_value(yaml::kNoIndent, 0));
      root = std::move(value);
    }
    PALE_CHECK(expect_end());
    return root;
  }

 private:
  using Kind = YamlValue::Kind;

  Status check_bytes() {
    if (!is_utf8(cursor_.text)) return cursor_.wrong("this is not UTF-8");
    const yaml::Cursor forbidden{cursor_.text, find_forbidden(cursor_.text)};
    if (!forbidden.at_end()) return forbidden.wrong("a control character");
    return {};
  }

  Status expect_end() {
    if (cursor_.at_document_mark() && cursor_.sees("...")) {
      cursor_.at += 3;
      PALE_CHECK(finish_line());
    }
    if (cursor_.at_end()) return {};
    return cursor_.wrong(cursor_.at_document_mark() ? "there are several documents" : "this is indented wrongly");
  }

  // --- between values ---

  // From the start of a line to the first byte that is neither a space nor in a comment.
  Status skip_to_content() {
    do {
      while (cursor_.peek() == ' ') ++cursor_.at;
      // Even in a line with nothing else: some readers stumble over it.
      if (cursor_.peek() == '\t') return cursor_.wrong(yaml::kTab);
      if (cursor_.peek() == '#') skip_comment();
    } while (cursor_.take_line_end());
    return {};
  }

  void skip_comment() {
    while (!cursor_.at_line_end()) ++cursor_.at;
  }

  // Moves over blanks and the comment that may follow them. Whether that is all there is in this line.
  bool reaches_line_end() {
    const std::size_t begin = cursor_.at;
    cursor_.skip_blanks();
    if (cursor_.peek() == '#' && cursor_.at > begin) skip_comment();
    return cursor_.at_line_end();
  }

  Status finish_line() {
    if (!reaches_line_end()) {
      if (cursor_.peek() == ':')
        return cursor_.wrong("a key is a single text in one line, with a blank behind its ':'");
      return cursor_.wrong("nothing may follow in this line");
    }
    (void)cursor_.take_line_end();
    return skip_to_content();
  }

  bool at_document_end() const { return cursor_.at_end() || cursor_.at_document_mark(); }

  bool sees_dash() const { return cursor_.peek() == '-' && cursor_.sees_blank(1); }

  bool sees_quote() const { return cursor_.peek() == '"' || cursor_.peek() == '\''; }

  // Whether a key and its ':' stand here. Asked of every value, so it makes no errors: each would count the lines above.
  bool sees_key() const {
    yaml::Cursor ahead = cursor_;
    if (sees_quote() ? !yaml::skip_quoted_in_line(ahead) : !yaml::starts_plain(ahead, Context::Block)) return false;
    if (!sees_quote()) (void)yaml::read_plain_line(ahead, Context::Block);
    ahead.skip_blanks();
    return yaml::sees_colon(ahead, Context::Block);
  }

  // What other readers know and this one does not.
  Status refuse_indicators() const {
    const char c = cursor_.peek();
    if (c == '&' || c == '*') return cursor_.wrong("anchors and aliases ('&', '*') are not supported");
    if (c == '!') return cursor_.wrong("tags ('!') are not supported");
    if (c == '?' && cursor_.sees_blank(1)) return cursor_.wrong("keys that are no single text ('?') are not supported");
    return {};
  }

  YamlValue nothing() const {
    YamlValue value;
    value.at_ = cursor_.at;
    return value;
  }

  Result<YamlValue> collection(Kind kind, std::size_t depth) const {
    if (depth > deepest_) return cursor_.wrong("this is nested too deeply");
    YamlValue value = nothing();
    value.kind_ = kind;
    return value;
  }

  // --- blocks ---

  // What stands at the start of a line, or behind a dash. Lines that belong to it are further to the right than `parent`.
  Result<YamlValue> read_block_value(Indent parent, std::size_t depth) {
    PALE_CHECK(refuse_indicators());
    if (sees_dash()) return read_sequence(depth + 1);
    if (sees_key()) return read_mapping(depth + 1);
    return read_leaf(parent, depth);
  }

  // Anything but a sequence or a mapping with lines of its own.
  Result<YamlValue> read_leaf(Indent parent, std::size_t depth) {
    PALE_CHECK(refuse_indicators());
    const char c = cursor_.peek();
    if (c == '[' || c == '{') {
      PALE_TRY(value, read_flow_value(depth));
      PALE_CHECK(finish_line());
      return value;
    }
    YamlValue value = nothing();
    value.kind_ = Kind::Scalar;
    const bool block = c == '|' || c == '>';
    value.quoted_ = block || sees_quote();
    if (!value.quoted_ && !yaml::starts_plain(cursor_, Context::Block))
      return cursor_.wrong("text that starts like this stands in quotation marks");
    PALE_TRY(text, block           ? yaml::read_block(cursor_, parent)
                   : value.quoted_ ? yaml::read_quoted(cursor_, parent)
                                   : yaml::read_plain(cursor_, parent, Context::Block));
    value.text_ = std::move(text);
    PALE_CHECK(block ? skip_to_content() : finish_line());
    return value;
  }

  Result<YamlValue> read_sequence(std::size_t depth) {
    PALE_TRY(value, collection(Kind::Sequence, depth));
    const Indent indent = cursor_.column();
    while (!at_document_end() && cursor_.column() == indent && sees_dash()) {
      ++cursor_.at;
      PALE_TRY(item, read_item(indent, depth));
      value.items_.push_back(std::move(item));
      PALE_CHECK(check_indent(indent));
    }
    return value;
  }

  // Behind the dash.
  Result<YamlValue> read_item(Indent indent, std::size_t depth) {
    YamlValue none = nothing();
    yaml::Cursor first = cursor_;
    while (first.peek() == ' ') ++first.at;
    if (first.peek() == '\t') return first.wrong(yaml::kTab);
    if (!reaches_line_end()) return read_block_value(indent, depth);
    PALE_CHECK(finish_line());
    if (at_document_end() || cursor_.column() <= indent) return none;
    return read_block_value(indent, depth);
  }

  Result<YamlValue> read_mapping(std::size_t depth) {
    PALE_TRY(value, collection(Kind::Mapping, depth));
    const Indent indent = cursor_.column();
    while (!at_document_end() && cursor_.column() == indent) {
      PALE_CHECK(refuse_indicators());
      if (sees_dash()) return cursor_.wrong("a key is expected, not a dash");
      if (!sees_key()) return cursor_.wrong("a key and ':' are expected");
      PALE_TRY(key, read_key(value, Context::Block));
      PALE_TRY(member, read_member_value(indent, depth));
      value.members_.push_back({std::move(key.text), key.at, std::move(member)});
      PALE_CHECK(check_indent(indent));
    }
    return value;
  }

  struct Key {
    std::string text;
    std::size_t at;
  };

  // A quoted or plain text in one line.
  Result<std::string> read_key_text(Context context) {
    if (!sees_quote()) {
      if (!yaml::starts_plain(cursor_, context)) return cursor_.wrong("a key is expected");
      return std::string(yaml::read_plain_line(cursor_, context));
    }
    if (yaml::Cursor ahead = cursor_; !yaml::skip_quoted_in_line(ahead)) return cursor_.wrong("a key is in one line");
    return yaml::read_quoted(cursor_, yaml::kNoIndent);
  }

  // With its ':'.
  Result<Key> read_key(const YamlValue& mapping, Context context) {
    const yaml::Cursor begin = cursor_;
    const bool plain = !sees_quote();
    PALE_TRY(text, read_key_text(context));
    if (plain && text == "<<") return begin.wrong("merge keys ('<<') are not supported");
    if (plain && is_null_word(text)) return begin.wrong("a key that stands for nothing");
    if (plain && context == Context::Flow && text.find('?') != std::string::npos) return begin.wrong(kQuestion);
    if (mapping.find(text) != nullptr)
      return begin.wrong("the key '" + printable(text) + "' stands twice in one mapping");
    if (mapping.members_.size() == kMostMembers) return begin.wrong("a mapping has too many members");
    cursor_.skip_blanks();
    if (cursor_.at - begin.at > kLongestKey) return begin.wrong("a key is too long");
    // Behind quotation marks no blank is needed: "{"a":1}" is JSON.
    const bool adjacent = context == Context::Flow && !plain;
    if (cursor_.peek() != ':' || !(cursor_.sees_blank(1) || adjacent))
      return cursor_.wrong("':' and a blank are expected");
    ++cursor_.at;
    return Key{std::move(text), begin.at};
  }

  // Behind the ':'.
  Result<YamlValue> read_member_value(Indent indent, std::size_t depth) {
    YamlValue none = nothing();
    if (!reaches_line_end()) {
      if (sees_dash()) return cursor_.wrong("a sequence starts on a line of its own");
      if (sees_key())
        return cursor_.wrong("a mapping starts on a line of its own; text with ':' stands in quotation marks");
      return read_leaf(indent, depth);
    }
    PALE_CHECK(finish_line());
    if (at_document_end() || cursor_.column() < indent) return none;
    if (cursor_.column() > indent) return read_block_value(indent, depth);
    // The dashes of a sequence may stand right below its key.
    if (sees_dash()) return read_sequence(depth + 1);
    return none;
  }

  // Behind a member: what follows belongs to the same collection or to one further to the left.
  Status check_indent(Indent indent) const {
    if (!at_document_end() && cursor_.column() > indent) return cursor_.wrong("this is indented wrongly");
    return {};
  }

  // --- between brackets and braces ---

  Result<YamlValue> read_flow_value(std::size_t depth) {
    PALE_CHECK(refuse_indicators());
    const char c = cursor_.peek();
    if (c == '[') return read_flow_sequence(depth + 1);
    if (c == '{') return read_flow_mapping(depth + 1);
    YamlValue value = nothing();
    value.kind_ = Kind::Scalar;
    value.quoted_ = sees_quote();
    if (!value.quoted_ && !yaml::starts_plain(cursor_, Context::Flow)) return cursor_.wrong("a value is expected");
    PALE_TRY(text, value.quoted_ ? yaml::read_quoted(cursor_, yaml::kNoIndent)
                                 : yaml::read_plain(cursor_, yaml::kNoIndent, Context::Flow));
    if (!value.quoted_ && text.find('?') != std::string::npos) return cursor_.wrong(kQuestion);
    value.text_ = std::move(text);
    return value;
  }

  // Also over line ends and comments.
  Status skip_flow_space() {
    if (!reaches_line_end()) return {};
    if (cursor_.take_line_end()) PALE_CHECK(skip_to_content());
    if (at_document_end()) return cursor_.wrong("a bracket is missing");
    return {};
  }

  // Behind a member: whether another one may follow.
  Result<bool> take_separator(char end) {
    PALE_CHECK(skip_flow_space());
    if (cursor_.take(',')) {
      PALE_CHECK(skip_flow_space());
      return !cursor_.take(end);
    }
    if (cursor_.take(end)) return false;
    if (cursor_.peek() == ':') return cursor_.wrong("a key stands in braces");
    return cursor_.wrong(std::string("',' or '") + end + "' is expected");
  }

  Result<YamlValue> read_flow_sequence(std::size_t depth) {
    PALE_TRY(value, collection(Kind::Sequence, depth));
    ++cursor_.at;
    PALE_CHECK(skip_flow_space());
    for (bool more = !cursor_.take(']'); more;) {
      PALE_TRY(item, read_flow_value(depth));
      value.items_.push_back(std::move(item));
      PALE_TRY(another, take_separator(']'));
      more = another;
    }
    return value;
  }

  Result<YamlValue> read_flow_mapping(std::size_t depth) {
    PALE_TRY(value, collection(Kind::Mapping, depth));
    ++cursor_.at;
    PALE_CHECK(skip_flow_space());
    for (bool more = !cursor_.take('}'); more;) {
      PALE_CHECK(refuse_indicators());
      PALE_TRY(key, read_key(value, Context::Flow));
      YamlValue member = nothing();
      PALE_CHECK(skip_flow_space());
      if (cursor_.peek() != ',' && cursor_.peek() != '}') {
        PALE_TRY(written, read_flow_value(depth));
        member = std::move(written);
      }
      value.members_.push_back({std::move(key.text), key.at, std::move(member)});
      PALE_TRY(another, take_separator('}'));
      more = another;
    }
    return value;
  }

  yaml::Cursor cursor_;
  std::size_t deepest_;
};

Result<YamlValue> YamlValue::parse(std::string_view text, std::size_t deepest) {
  return YamlReader(text, deepest).whole();
}

bool YamlValue::is_null() const noexcept {
  return kind_ == Kind::Null || (kind_ == Kind::Scalar && !quoted_ && is_null_word(text_));
}

std::optional<bool> YamlValue::boolean() const noexcept {
  if (kind_ != Kind::Scalar || quoted_ || (text_ != "true" && text_ != "false")) return std::nullopt;
  return text_ == "true";
}

std::optional<std::uint64_t> YamlValue::whole_number() const noexcept {
  const bool octal = text_.size() > 1 && text_.front() == '0';  // to some readers
  return kind_ == Kind::Scalar && !quoted_ && !octal ? parse_number(text_) : std::nullopt;
}

const YamlValue* YamlValue::find(std::string_view key) const noexcept {
  const auto found = std::ranges::find(members_, key, &YamlMember::key);
  return found == members_.end() ? nullptr : &found->value;
}

}  // namespace pale
