#include "search/byte_class.h"

#include <utility>

namespace pale::search {
namespace {

using Range = std::pair<unsigned char, unsigned char>;
struct NamedClass {
  std::string_view name;
  Range ranges[4];  // {0, 0}: none
};
constexpr NamedClass kClasses[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
    {"blank", {{'\t', '\t'}, {' ', ' '}}},
    {"cntrl", {{1, 31}, {127, 127}}},
    {"digit", {{'0', '9'}}},
    {"graph", {{'!', '~'}}},
    {"lower", {{'a', 'z'}}},
    {"print", {{' ', '~'}}},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
    {"space", {{'\t', '\r'}, {' ', ' '}}},
    {"upper", {{'A', 'Z'}}},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
};

bool add_named(std::string_view name, ByteSet& set) {
  for (const NamedClass& known : kClasses) {
    if (known.name != name) continue;
    for (const auto& [first, last] : known.ranges) {
      if (first != 0) set.add(first, last);
    }
    return true;
  }
  return false;
}

class ClassReader {
 public:
  ClassReader(std::string_view text, ByteSet& set) : text_(text), set_(set) {}

  std::optional<std::size_t> read() {
    const bool inverted = at_ < text_.size() && (text_[at_] == '!' || text_[at_] == '^');
    if (inverted) ++at_;
    // A ']' that stands first is one of the bytes.
    do {
      if (at_ == text_.size() || !read_member()) return std::nullopt;
    } while (at_ == text_.size() || text_[at_] != ']');
    if (inverted) set_.invert();
    return at_ + 1;
  }

 private:
  bool read_member() {
    if (text_.substr(at_).starts_with("[:")) return read_name();
    if (text_[at_] == '-' && before_ && at_ + 1 < text_.size() && text_[at_ + 1] != ']') return read_range(*before_);
    before_ = read_byte();
    if (before_) set_.add(*before_);
    return before_.has_value();
  }

  // Up to the next ']'; without a ':' before that, the '[' is one of the bytes.
  bool read_name() {
    const std::size_t begin = at_ + 2;
    const std::size_t end = text_.find(']', begin);
    if (end == std::string_view::npos) return false;
    if (end == begin || text_[end - 1] != ':') {
      before_ = '[';
      set_.add('[');
      ++at_;
      return true;
    }
    before_.reset();
    at_ = end + 1;
    return add_named(text_.substr(begin, end - 1 - begin), set_);
  }

  bool read_range(unsigned char first) {
    ++at_;
    const auto last = read_byte();
    if (!last) return false;
    set_.add(first, *last);
    before_.reset();
    return true;
  }

  std::optional<unsigned char> read_byte() {
    if (text_[at_] == '\\') ++at_;
    if (at_ == text_.size()) return std::nullopt;
    return static_cast<unsigned char>(text_[at_++]);
  }

  std::string_view text_;
  ByteSet& set_;
  std::size_t at_ = 1;
  std::optional<unsigned char> before_;  // what a '-' that follows begins at
};

}  // namespace

std::optional<std::size_t> byte_class(std::string_view text, ByteSet& set) { return ClassReader(text, set).read(); }

}  // namespace pale::search
