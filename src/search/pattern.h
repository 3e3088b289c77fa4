// search/pattern.h: a shell pattern for paths, compiled once: `*`, `?`, classes, escapes and `**`, as git has them. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace pale::search {

class ByteSet {
 public:
  void add(unsigned char first, unsigned char last) noexcept;
  void add(unsigned char byte) noexcept { add(byte, byte); }
  void invert() noexcept;
  bool has(unsigned char byte) const noexcept { return (words_[byte / 64U] >> (byte % 64U) & 1U) != 0; }

 private:
  std::array<std::uint64_t, 4> words_ = {};
};

// Only `**` goes across a '/', and only where it stands for whole directories: "**/x", "x/**/y", "x/**".
class Pattern {
 public:
  // Nothing for a broken one, such as a class without its end: git takes such a pattern and lets it match nothing.
  static std::optional<Pattern> compile(std::string_view text);
  bool matches(std::string_view path) const noexcept;

 private:
  friend class PatternReader;
  enum class Kind : unsigned char {
    Byte,
    AnyByte,
    Class,
    Star,
    Everything,   // `**` at the end
    Directories,  // `**/`: none, or some with their last '/'
  };
  struct Token {
    Kind kind;
    unsigned char byte = 0;
    std::uint16_t set = 0;  // of sets_
  };
  bool fits(const Token& token, unsigned char byte) const noexcept;

  std::vector<Token> tokens_;
  std::vector<ByteSet> sets_;
};

// The length of what stands in a pattern before the first byte that means something else than itself.
std::size_t literal_length(std::string_view pattern) noexcept;

}  // namespace pale::search
