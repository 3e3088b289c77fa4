// base/hash.h: a number for a text or a sequence of them, the same in every run: FNV-1a. For names, not against an adversary.
#pragma once

#include <cstdint>
#include <string_view>

namespace pale {

class Hash {
 public:
  constexpr Hash& add(std::uint64_t value) noexcept {
    value_ = (value_ ^ value) * 0x100000001b3U;
    return *this;
  }
  // With its length: two texts in a row are told from others that are split elsewhere.
  constexpr Hash& add(std::string_view text) noexcept {
    for (const char c : text) add(static_cast<unsigned char>(c));
    return add(text.size());
  }
  constexpr std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace pale
