// sandbox/seen_before.h: numbers that were there before, one word each.
#pragma once

#include <cstdint>
#include <vector>

namespace pale::sandbox {

class SeenBefore {
 public:
  // Whether it is new; from now on it is not.
  bool add(std::uint64_t number);
  bool has(std::uint64_t number) const noexcept { return slots_[place_of(number)] != 0; }
  void forget();

 private:
  static constexpr std::size_t kAtFirst = 256;
  // Where it stands, or could.
  std::size_t place_of(std::uint64_t number) const noexcept;
  std::vector<std::uint64_t> slots_ = std::vector<std::uint64_t>(kAtFirst);
  std::size_t count_ = 0;
};

}  // namespace pale::sandbox
