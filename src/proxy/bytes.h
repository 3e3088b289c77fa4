// proxy/bytes.h: reads numbers and pieces of a message one after another. What is not there is not read, and said in the end.
#pragma once

#include <cstdint>
#include <string_view>

namespace pale::proxy {

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  bool good() const noexcept { return good_; }
  bool empty() const noexcept { return rest_.empty(); }
  std::string_view rest() const noexcept { return rest_; }

  // Of the wire: the largest part first.
  std::uint32_t number(std::size_t size) {
    std::uint32_t value = 0;
    for (const char byte : take(size)) value = value << 8U | static_cast<unsigned char>(byte);
    return value;
  }
  std::string_view take(std::size_t size) {
    if (size > rest_.size()) {
      good_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view piece = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return piece;
  }
  // A piece with its length, of `size` bytes, before it.
  std::string_view counted(std::size_t size) { return take(number(size)); }

 private:
  std::string_view rest_;
  bool good_ = true;
};

}  // namespace pale::proxy
