#include "boundary/address.h"

#include <algorithm>
#include <span>
#include <vector>

namespace pale {
namespace {

constexpr std::size_t kGroups = 8;

std::optional<unsigned> decimal_byte(std::string_view text) {
  if (text.empty() || text.size() > 3 || (text.size() > 1 && text.front() == '0')) return std::nullopt;
  unsigned value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(digit - '0');
  }
  return value <= 255 ? std::optional(value) : std::nullopt;
}

std::optional<std::uint32_t> dotted(std::string_view text) {
  std::uint32_t number = 0;
  for (int part = 0; part < 4; ++part) {
    const std::size_t dot = part < 3 ? text.find('.') : text.size();
    if (dot == std::string_view::npos) return std::nullopt;
    const auto byte = decimal_byte(text.substr(0, dot));
    if (!byte) return std::nullopt;
    number = number << 8U | *byte;
    text.remove_prefix(part < 3 ? dot + 1 : dot);
  }
  return number;
}

std::optional<unsigned> hex_group(std::string_view text) {
  if (text.empty() || text.size() > 4) return std::nullopt;
  unsigned value = 0;
  for (const char digit : text) {
    const std::size_t at =
        std::string_view("0123456789abcdef").find(static_cast<char>(digit >= 'A' && digit <= 'F' ? digit + 32 : digit));
    if (at == std::string_view::npos) return std::nullopt;
    value = value << 4U | static_cast<unsigned>(at);
  }
  return value;
}

// Groups between colons; the last may be a dotted address. Nothing between two colons at the ends of `text` is wrong.
std::optional<std::vector<unsigned>> groups_of(std::string_view text) {
  std::vector<unsigned> groups;
  while (!text.empty()) {
    const std::size_t colon = text.find(':');
    const std::string_view part = text.substr(0, colon);
    if (colon == std::string_view::npos && part.find('.') != std::string_view::npos) {
      const auto number = dotted(part);
      if (!number) return std::nullopt;
      groups.push_back(*number >> 16U);
      groups.push_back(*number & 0xffffU);
      return groups;
    }
    const auto group = hex_group(part);
    if (!group) return std::nullopt;
    groups.push_back(*group);
    if (colon == std::string_view::npos) break;
    text.remove_prefix(colon + 1);
    if (text.empty()) return std::nullopt;
  }
  return groups;
}

std::optional<Address> parse_v6(std::string_view text) {
  const std::size_t gap = text.find("::");
  const auto front = groups_of(text.substr(0, gap));
  const auto back = gap == std::string_view::npos ? std::vector<unsigned>() : groups_of(text.substr(gap + 2));
  if (!front || !back) return std::nullopt;
  const std::size_t count = front->size() + back->size();
  if (gap == std::string_view::npos ? count != kGroups : count >= kGroups) return std::nullopt;
  std::array<unsigned, kGroups> all = {};
  std::ranges::copy(*front, all.begin());
  std::ranges::copy_backward(*back, all.end());
  Address address{Address::Family::V6, {}};
  for (std::size_t at = 0; at < kGroups; ++at) {
    address.bytes[2 * at] = static_cast<std::uint8_t>(all[at] >> 8U);
    address.bytes[2 * at + 1] = static_cast<std::uint8_t>(all[at] & 0xffU);
  }
  return address;
}

struct Range {
  std::uint32_t first;
  unsigned bits;
  std::string_view what;
};
// The IANA registry of special-purpose addresses, and where clouds answer questions about a machine.
constexpr Range kSpecial[] = {
    {0x00000000, 8, "this network"},   {0x0a000000, 8, "private"},        {0x64400000, 10, "shared by carriers"},
    {0x7f000000, 8, "loopback"},       {0xa9fe0000, 16, "link-local"},    {0xac100000, 12, "private"},
    {0xa83f8110, 32, "a cloud's own"}, {0xc0000000, 24, "reserved"},      {0xc0000200, 24, "documentation"},
    {0xc0586300, 24, "a relay's"},     {0xc0a80000, 16, "private"},       {0xc6120000, 15, "for benchmarks"},
    {0xc6336400, 24, "documentation"}, {0xcb007100, 24, "documentation"}, {0xe0000000, 4, "multicast"},
    {0xf0000000, 4, "reserved"},
};

std::optional<std::string_view> special_v4(std::uint32_t number) {
  for (const Range& range : kSpecial) {
    if (((number ^ range.first) >> (32U - range.bits)) == 0) return range.what;
  }
  return std::nullopt;
}

bool begins(std::span<const std::uint8_t> bytes, std::initializer_list<std::uint8_t> with) {
  return std::ranges::equal(bytes.first(with.size()), with);
}

std::uint32_t word_at(const Address& address, std::size_t at) {
  std::uint32_t word = 0;
  for (std::size_t each = at; each < at + 4; ++each) word = word << 8U | address.bytes[each];
  return word;
}

// Public addresses are those in 2000::/3, but for what lies in it by special agreement.
std::optional<std::string_view> special_v6(const Address& address) {
  const std::span<const std::uint8_t> bytes = address.bytes;
  const auto holds = [&](std::size_t at) { return special_v4(word_at(address, at)); };
  if (std::ranges::all_of(bytes.first(10), [](std::uint8_t byte) { return byte == 0; })) {
    if (begins(bytes.subspan(10), {0xff, 0xff})) return holds(12);
    const bool loopback = word_at(address, 12) == 1 && word_at(address, 8) == 0;
    return loopback ? "loopback" : "reserved";
  }
  if (begins(bytes, {0x00, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) return holds(12);
  if (begins(bytes, {0x20, 0x02})) return holds(2);
  if (begins(bytes, {0x20, 0x01, 0x0d, 0xb8}) || begins(bytes, {0x3f, 0xff, 0x00})) return "documentation";
  if (begins(bytes, {0x20, 0x01}) && bytes[2] < 2) return "reserved";
  if ((bytes[0] & 0xfeU) == 0xfcU) return "private";
  if (bytes[0] == 0xfe && (bytes[1] & 0xc0U) == 0x80U) return "link-local";
  if (bytes[0] == 0xff) return "multicast";
  return (bytes[0] & 0xe0U) == 0x20U ? std::nullopt : std::optional<std::string_view>("reserved");
}

std::string hex_text(unsigned value) {
  std::string text;
  for (int shift = 12; shift >= 0; shift -= 4) {
    const unsigned digit = value >> static_cast<unsigned>(shift) & 15U;
    if (digit != 0 || !text.empty() || shift == 0) text += "0123456789abcdef"[digit];
  }
  return text;
}

// Where the longest run of zeros begins, and its length; the first of several.
std::pair<std::size_t, std::size_t> longest_zeros(const std::array<unsigned, kGroups>& groups) {
  std::size_t best = 0;
  std::size_t length = 0;
  for (std::size_t from = 0; from < kGroups; ++from) {
    std::size_t to = from;
    while (to < kGroups && groups[to] == 0) ++to;
    if (to - from > length) {
      best = from;
      length = to - from;
    }
  }
  return {best, length};
}

}  // namespace

Address Address::v4(std::uint32_t number) {
  Address address;
  for (std::size_t at = 0; at < 4; ++at)
    address.bytes[at] = static_cast<std::uint8_t>(number >> static_cast<unsigned>(24 - 8 * at));
  return address;
}

std::uint32_t Address::number() const noexcept { return word_at(*this, 0); }

std::optional<Address> Address::parse(std::string_view text) {
  if (text.find(':') != std::string_view::npos) return parse_v6(text);
  const auto number = dotted(text);
  return number ? std::optional(v4(*number)) : std::nullopt;
}

std::string to_text(const Address& address) {
  std::string text;
  if (address.family == Address::Family::V4) {
    for (std::size_t at = 0; at < 4; ++at) text += (at == 0 ? "" : ".") + std::to_string(address.bytes[at]);
    return text;
  }
  std::array<unsigned, kGroups> groups = {};
  for (std::size_t at = 0; at < kGroups; ++at)
    groups[at] = static_cast<unsigned>(address.bytes[2 * at]) << 8U | address.bytes[2 * at + 1];
  const auto [gap, length] = longest_zeros(groups);
  for (std::size_t at = 0; at < kGroups; ++at) {
    if (length > 1 && at == gap) {
      text += "::";
      at += length - 1;
      continue;
    }
    if (!text.empty() && !text.ends_with(':')) text += ':';
    text += hex_text(groups[at]);
  }
  return text;
}

std::optional<std::string_view> special_use(const Address& address) {
  return address.family == Address::Family::V4 ? special_v4(address.number()) : special_v6(address);
}

}  // namespace pale
