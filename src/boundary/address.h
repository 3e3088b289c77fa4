// boundary/address.h: an address of the internet as a value, and which of them nobody may be led to by a name. Touches no network.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pale {

struct Address {
  enum class Family { V4, V6 } family = Family::V4;
  std::array<std::uint8_t, 16> bytes = {};  // V4: the first four

  // "192.0.2.1" with four decimal numbers, or "2001:db8::1"; no other way to write one, no zone, no brackets.
  static std::optional<Address> parse(std::string_view text);
  static Address v4(std::uint32_t number);
  std::uint32_t number() const noexcept;  // of a V4 address

  bool operator==(const Address&) const = default;
};

// As RFC 5952 wants it.
std::string to_text(const Address& address);

// Why an address is not one of the public internet: "loopback", "private", "link-local" …; nothing: it is one. What holds another
// address (mapped, translated, tunnelled) is what that one is.
std::optional<std::string_view> special_use(const Address& address);

}  // namespace pale
