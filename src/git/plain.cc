#include "git/plain.h"

#include <algorithm>
#include <cstdint>

namespace pale::git {
namespace {

constexpr std::size_t kHash = 20;
constexpr std::size_t kHeader = 12;       // "DIRC", version, number of entries
constexpr std::size_t kFlags = 60;        // where they stand in an entry
constexpr std::size_t kBeforeName = 62;   // with them
constexpr unsigned kExtended = 0x4000;    // two more bytes of flags
constexpr unsigned kNameLength = 0x0fff;  // in the flags; all of these bits: longer than they can say

// Big-endian, as all numbers there.
std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint32_t number = 0;
  for (const char byte : bytes.substr(at, size)) number = number << 8U | static_cast<unsigned char>(byte);
  return number;
}

// How long the entry is that the bytes begin with; 0: it does not end.
std::size_t entry_length(std::string_view bytes, std::uint32_t version) {
  if (bytes.size() < kBeforeName) return 0;
  const std::uint32_t flags = number_at(bytes, kFlags, 2);
  std::size_t at = kBeforeName + ((flags & kExtended) != 0 ? 2 : 0);
  if (version == 4) {
    // How much of the name before it stays, then the rest of its own.
    while (at < bytes.size() && (static_cast<unsigned char>(bytes[at]) & 0x80U) != 0) ++at;
    const std::size_t end = bytes.find('\0', std::min(at + 1, bytes.size()));
    return end == std::string_view::npos ? 0 : end + 1;
  }
  const std::size_t said = flags & kNameLength;
  const std::size_t end = said < kNameLength ? at + said : bytes.find('\0', std::min(at + said, bytes.size()));
  if (end == std::string_view::npos) return 0;
  return (end + 8) & ~std::size_t{7};  // one to eight zeros behind it
}

}  // namespace

bool is_plain_config(std::string_view config) noexcept {
  while (!config.empty()) {
    std::string_view line = config.substr(0, config.find('\n'));
    config.remove_prefix(std::min(line.size() + 1, config.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (!line.starts_with('[')) continue;
    line.remove_prefix(1);
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    const auto begins = [&](std::string_view section) {
      return std::ranges::equal(section, line.substr(0, section.size()), {}, {}, lower);
    };
    if (begins("extensions") || begins("include")) return false;
  }
  return true;
}

bool is_plain_index(std::string_view index) noexcept {
  if (index.size() < kHeader + kHash || !index.starts_with("DIRC")) return false;
  const std::uint32_t version = number_at(index, 4, 4);
  if (version < 2 || version > 4) return false;
  std::string_view rest = index.substr(kHeader, index.size() - kHeader - kHash);
  for (std::uint32_t left = number_at(index, 8, 4); left > 0; --left) {
    const std::size_t length = entry_length(rest, version);
    if (length == 0 || length > rest.size()) return false;
    rest.remove_prefix(length);
  }
  while (!rest.empty()) {
    constexpr std::size_t kExtensionHeader = 8;  // its name, its length
    if (rest.size() < kExtensionHeader || rest[0] < 'A' || rest[0] > 'Z') return false;
    const std::size_t length = number_at(rest, 4, 4);
    if (length > rest.size() - kExtensionHeader) return false;
    rest.remove_prefix(kExtensionHeader + length);
  }
  return true;
}

}  // namespace pale::git
