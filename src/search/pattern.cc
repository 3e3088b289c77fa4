#include "search/pattern.h"

#include <algorithm>
#include <utility>

#include "search/byte_class.h"

namespace pale::search {
namespace {

constexpr std::string_view kSpecial = "*?[\\";
constexpr std::size_t kMostSets = 10'000;

}  // namespace

void ByteSet::add(unsigned char first, unsigned char last) noexcept {
  for (unsigned byte = first; byte <= last; ++byte) words_[byte / 64U] |= std::uint64_t{1} << (byte % 64U);
}

void ByteSet::invert() noexcept {
  for (std::uint64_t& word : words_) word = ~word;
}

std::size_t literal_length(std::string_view pattern) noexcept {
  const std::size_t special = pattern.find_first_of(kSpecial);
  return special == std::string_view::npos ? pattern.size() : special;
}

class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : text_(text) {}

  std::optional<Pattern> read() {
    while (at_ < text_.size()) {
      if (!read_token()) return std::nullopt;
    }
    return std::move(pattern_);
  }

 private:
  using Kind = Pattern::Kind;

  bool read_token() {
    const char byte = text_[at_];
    if (byte == '*') return read_stars();
    if (byte == '[') return read_class();
    ++at_;
    if (byte == '?') return push(Kind::AnyByte);
    if (byte != '\\') return push(Kind::Byte, byte);
    if (at_ == text_.size()) return false;
    return push(Kind::Byte, text_[at_++]);
  }

  // Two or more are `**`; where they do not stand for whole directories, they are as good as one.
  bool read_stars() {
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_not_of('*', begin), text_.size());
    const std::string_view behind = text_.substr(at_);
    const bool whole = (begin == 0 || text_[begin - 1] == '/') &&
                       (behind.empty() || behind.front() == '/' || behind.starts_with("\\/"));
    if (at_ - begin == 1 || !whole) return push(Kind::Star);
    if (behind.empty() || behind.front() == '\\') return push(Kind::Everything);
    ++at_;
    return push(Kind::Directories);
  }

  bool read_class() {
    ByteSet set;
    const auto length = byte_class(text_.substr(at_), set);
    if (!length || pattern_.sets_.size() == kMostSets) return false;
    at_ += *length;
    pattern_.tokens_.push_back({Kind::Class, 0, static_cast<std::uint16_t>(pattern_.sets_.size())});
    pattern_.sets_.push_back(set);
    return true;
  }

  bool push(Kind kind, char byte = 0) {
    pattern_.tokens_.push_back({kind, static_cast<unsigned char>(byte)});
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Pattern pattern_;
};

std::optional<Pattern> Pattern::compile(std::string_view text) { return PatternReader(text).read(); }

bool Pattern::fits(const Token& token, unsigned char byte) const noexcept {
  if (token.kind == Kind::Byte) return token.byte == byte;
  return byte != '/' && (token.kind == Kind::AnyByte || sets_[token.set].has(byte));
}

// What the last `*` took is enough to try again: it cannot leave its component, and what an earlier one could take
// differently ends at the same '/'. Of several `**` the last one reaches whatever an earlier one would.
bool Pattern::matches(std::string_view path) const noexcept {
  struct Retry {
    const Token* token = nullptr;
    std::size_t at = 0;
  };
  Retry star;
  Retry deep;
  const Token* token = tokens_.data();
  const Token* const end = token + tokens_.size();
  for (std::size_t at = 0;;) {
    if (token == end && at == path.size()) return true;
    if (token != end && token->kind == Kind::Star) {
      star = {++token, at};
    } else if (token != end && (token->kind == Kind::Everything || token->kind == Kind::Directories)) {
      deep = {token++, at};
      star = {};
    } else if (token != end && at < path.size() && fits(*token, static_cast<unsigned char>(path[at]))) {
      ++token, ++at;
    } else if (star.token != nullptr && star.at < path.size() && path[star.at] != '/') {
      token = star.token;
      at = ++star.at;
    } else if (deep.token != nullptr) {
      const std::size_t next = deep.token->kind == Kind::Everything ? deep.at : path.find('/', deep.at);
      if (next >= path.size()) return false;
      at = deep.at = next + 1;
      token = deep.token + 1;
      star = {};
    } else {
      return false;
    }
  }
}

}  // namespace pale::search
