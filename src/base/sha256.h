// base/sha256.h: SHA-256 (FIPS 180-4): a number for bytes that nobody can find others for. What was approved is bound by it; where
// nobody gains by a collision, base/hash.h is shorter.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace pale {

class Sha256 {
 public:
  Sha256& add(std::string_view bytes) noexcept;
  // Of all that was added so far, in 64 digits.
  std::string hex() const;

 private:
  static constexpr std::size_t kBlock = 64;
  void take_block(const unsigned char* block) noexcept;

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, kBlock> rest_ = {};
  std::uint64_t size_ = 0;
};

}  // namespace pale
