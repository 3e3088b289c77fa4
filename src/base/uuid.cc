#include "base/uuid.h"

namespace pale {
namespace {

constexpr std::string_view kShape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
constexpr std::string_view kDigits = "0123456789abcdef";

}  // namespace

bool is_uuid(std::string_view text) noexcept {
  if (text.size() != kShape.size()) return false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool good = kShape[at] == '-' ? text[at] == '-' : kDigits.find(text[at]) != std::string_view::npos;
    if (!good) return false;
  }
  return true;
}

std::string uuid_from(std::span<const std::byte, 16> random) {
  std::string text;
  for (std::size_t at = 0; at < random.size(); ++at) {
    auto byte = std::to_integer<unsigned>(random[at]);
    if (at == 6) byte = (byte & 0x0fU) | 0x40U;  // version 4
    if (at == 8) byte = (byte & 0x3fU) | 0x80U;  // the variant
    if (at == 4 || at == 6 || at == 8 || at == 10) text += '-';
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

}  // namespace pale
