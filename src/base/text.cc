#include "base/text.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/json.h"

namespace pale {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

struct Unit {
  char letter;
  std::uint64_t factor;
};

std::optional<std::uint64_t> parse_with_unit(std::string_view text, std::span<const Unit> units) {
  if (text.empty()) return std::nullopt;
  std::uint64_t factor = 1;
  for (const Unit& unit : units) {
    if (text.back() == unit.letter || text.back() == unit.letter + ('a' - 'A')) factor = unit.factor;
  }
  if (text.back() < '0' || text.back() > '9') {
    if (factor == 1 && text.back() != 's') return std::nullopt;
    text.remove_suffix(1);
  }
  const auto number = parse_number(text);
  if (!number || *number > std::numeric_limits<std::uint64_t>::max() / factor) return std::nullopt;
  return *number * factor;
}

// Of good UTF-8, by its first byte.
std::size_t length_of_letter(char first) {
  const auto byte = static_cast<unsigned char>(first);
  if (byte < 0xc0) return 1;
  return byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
}

// Control characters, C1 among them; and what moves or hides the letters around it: direction marks, characters without
// width.
bool is_hidden(std::string_view letter) {
  struct Range {
    std::uint32_t first, last;
  };
  constexpr Range kHidden[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},  {0x200b, 0x200f},
                               {0x2028, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}};
  constexpr unsigned kMasks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
  std::uint32_t point = static_cast<unsigned char>(letter.front()) & kMasks[letter.size()];
  for (const char byte : letter.substr(1)) point = point << 6U | (static_cast<unsigned char>(byte) & 0x3fU);
  return std::ranges::any_of(kHidden, [&](const Range& range) { return range.first <= point && point <= range.last; });
}

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const bool utf8 = is_utf8(text);
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8 ? length_of_letter(text[at]) : 1;
    const std::string_view letter = text.substr(at, length);
    at += length;
    if ((length > 1 || static_cast<unsigned char>(letter.front()) < 0x80) && !is_hidden(letter)) {
      shown += letter;
      continue;
    }
    for (const char byte : letter) {
      const auto value = static_cast<unsigned char>(byte);
      shown += {'\\', 'x', kHex[value >> 4U], kHex[value & 15U]};
    }
  }
  return shown;
}

std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates) {
  std::optional<std::string_view> best;
  std::size_t best_distance = std::max<std::size_t>(2, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    // The beginning of a word is most likely that word.
    const bool begun = word.size() > 2 && candidate.starts_with(word);
    const std::size_t distance = begun ? 0 : edit_distance(word, candidate);
    // More than half of it must be the same, or it is another word.
    if (distance < best_distance && 2 * distance <= std::max(word.size(), candidate.size())) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string shell_word(std::string_view text) {
  constexpr std::string_view kHarmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+=:,@%";
  if (!text.empty() && text.find_first_not_of(kHarmless) == std::string_view::npos) return std::string(text);
  std::string word = "'";
  for (const char byte : text) word += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
  return word + "'";
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  std::uint64_t number = 0;
  if (text.empty()) return std::nullopt;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<unsigned>(c - '0');
    if (number > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return std::nullopt;
    number = number * 10 + digit;
  }
  return number;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  constexpr Unit kUnits[] = {{'K', 1ULL << 10U}, {'M', 1ULL << 20U}, {'G', 1ULL << 30U}, {'T', 1ULL << 40U}};
  return text.ends_with('s') ? std::nullopt : parse_with_unit(text, kUnits);
}

std::optional<std::uint64_t> parse_duration(std::string_view text) {
  constexpr Unit kUnits[] = {{'S', 1}, {'M', 60}, {'H', 3600}, {'D', 86400}};
  // Longer is as good as that; this fits also in nanoseconds, and added to any time of today.
  constexpr std::uint64_t kCentury = 36525ULL * 86400;
  const auto seconds = parse_with_unit(text, kUnits);
  return seconds ? std::optional(std::min(*seconds, kCentury)) : std::nullopt;
}

std::string place_in(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? at + 1 : at - newline;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace pale
