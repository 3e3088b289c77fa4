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

}  // namespace

std::string printable(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  const bool utf8 = is_utf8(text);
  std::string shown;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    // U+0080 to U+009F are control characters too (C1); in UTF-8 they start with 0xc2.
    const bool c1 = byte == 0xc2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0;
    const bool c1_tail = at > 0 && static_cast<unsigned char>(text[at - 1]) == 0xc2 && byte < 0xa0 && byte >= 0x80;
    if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !utf8) || c1 || c1_tail) {
      shown += "\\x";
      shown += kHex[byte >> 4U];
      shown += kHex[byte & 15U];
    } else {
      shown += text[at];
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
    if (distance < best_distance) {
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
  return parse_with_unit(text, kUnits);
}

std::string place_in(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const auto line = 1 + std::ranges::count(before, '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? at + 1 : at - newline;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace pale
