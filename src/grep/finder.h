// grep/finder.h: finds a literal in a text, many bytes at a time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "search/request.h"

namespace pale::grep {

inline constexpr std::size_t kNowhere = std::string_view::npos;

// It is looked for by two of its bytes, the rarest ones, in many places at once; where both are, the rest is compared.
class Finder {
 public:
  // Not empty. AnyCase is about the letters of ASCII.
  Finder(std::string_view literal, search::Letters letters);
  // Where it stands, at `from` or behind it.
  std::size_t find(std::string_view text, std::size_t from) const noexcept;

 private:
  bool stands_at(const char* place) const noexcept;
  std::size_t find_slowly(std::string_view text, std::size_t from) const noexcept;

  std::string literal_;
  std::string fold_;  // for each byte 0x20 if both its cases will do: with that bit set they are the same
  std::size_t rare_ = 0;
  std::size_t second_ = 0;
};

}  // namespace pale::grep
