#include "boundary/punycode.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/json.h"

namespace pale {
namespace {

constexpr std::uint32_t kBase = 36;
constexpr std::uint32_t kSmallest = 1;
constexpr std::uint32_t kLargest = 26;
constexpr std::uint32_t kSkew = 38;
constexpr std::uint32_t kDamp = 700;
constexpr std::uint32_t kFirstBias = 72;
constexpr std::uint32_t kFirstNumber = 128;
constexpr std::size_t kMostLetters = 63;

// The text is UTF-8.
std::vector<std::uint32_t> letters_of(std::string_view text) {
  std::vector<std::uint32_t> letters;
  for (const char each : text) {
    const auto byte = static_cast<unsigned char>(each);
    if (byte >= 0x80 && byte < 0xc0) {
      letters.back() = letters.back() << 6U | (byte & 0x3fU);
    } else {
      letters.push_back(byte < 0x80 ? byte : byte & (byte < 0xe0 ? 0x1fU : byte < 0xf0 ? 0x0fU : 0x07U));
    }
  }
  return letters;
}

// The small letter of a capital of Latin, Greek or Cyrillic, where one rule says which that is.
std::uint32_t small(std::uint32_t letter) {
  const bool latin = letter >= 0xc0 && letter <= 0xde && letter != 0xd7;
  const bool greek = letter >= 0x391 && letter <= 0x3a9;
  const bool cyrillic = letter >= 0x410 && letter <= 0x42f;
  if (latin || greek || cyrillic) return letter + 0x20;
  return letter >= 0x400 && letter <= 0x40f ? letter + 0x50 : letter;
}

// What the network writes as it is typed. Of other letters the form there is another (capitals, wide letters, marks that join the
// letter before them), or nobody here knows: a name is not guessed.
constexpr std::pair<std::uint32_t, std::uint32_t> kPlain[] = {
    {0x00, 0x7f},   {0xdf, 0xff},   {0x3ac, 0x3ce},   {0x430, 0x45f},   {0x5d0, 0x5ea},   {0x620, 0x64a},
    {0x904, 0x939}, {0xe01, 0xe30}, {0x3041, 0x3096}, {0x30a1, 0x30fc}, {0x4e00, 0x9fff}, {0xac00, 0xd7a3},
};
bool is_plain_letter(std::uint32_t letter) {
  const bool small_of_a_pair = (letter >= 0x101 && letter <= 0x137 && letter % 2 == 1) ||
                               (letter >= 0x13a && letter <= 0x148 && letter % 2 == 0 && letter != 0x140) ||
                               (letter >= 0x14b && letter <= 0x177 && letter % 2 == 1) || letter == 0x17a ||
                               letter == 0x17c || letter == 0x17e;
  const auto holds = [&](const auto& range) { return letter >= range.first && letter <= range.second; };
  return (small_of_a_pair && letter != 0x133) || (letter != 0xf7 && std::ranges::any_of(kPlain, holds));
}

std::uint32_t adapted(std::uint32_t delta, std::uint32_t count, bool first) {
  delta /= first ? kDamp : 2;
  delta += delta / count;
  std::uint32_t steps = 0;
  for (; delta > ((kBase - kSmallest) * kLargest) / 2; steps += kBase) delta /= kBase - kSmallest;
  return steps + (kBase - kSmallest + 1) * delta / (delta + kSkew);
}

char digit(std::uint32_t value) { return static_cast<char>(value < 26 ? 'a' + value : '0' + (value - 26)); }

void put_number(std::string& out, std::uint32_t number, std::uint32_t bias) {
  for (std::uint32_t at = kBase;; at += kBase) {
    const std::uint32_t least = at <= bias ? kSmallest : std::min(at - bias, kLargest);
    if (number < least) break;
    out += digit(least + (number - least) % (kBase - least));
    number = (number - least) / (kBase - least);
  }
  out += digit(number);
}

std::string encoded(const std::vector<std::uint32_t>& letters) {
  std::string out;
  for (const std::uint32_t letter : letters) {
    if (letter < kFirstNumber) out += static_cast<char>(letter);
  }
  const auto basic = static_cast<std::uint32_t>(out.size());
  if (basic > 0) out += '-';
  std::uint32_t number = kFirstNumber;
  std::uint32_t delta = 0;
  std::uint32_t bias = kFirstBias;
  for (std::uint32_t done = basic; done < letters.size();) {
    std::uint32_t next = UINT32_MAX;
    for (const std::uint32_t letter : letters) {
      if (letter >= number) next = std::min(next, letter);
    }
    delta += (next - number) * (done + 1);
    number = next;
    for (const std::uint32_t letter : letters) {
      if (letter < number) ++delta;
      if (letter != number) continue;
      put_number(out, delta, bias);
      bias = adapted(delta, done + 1, done == basic);
      delta = 0;
      ++done;
    }
    ++delta;
    ++number;
  }
  return out;
}

}  // namespace

std::optional<std::string> to_punycode(std::string_view name) {
  if (!is_utf8(name)) return std::nullopt;
  std::string result;
  while (true) {
    const std::size_t dot = name.find('.');
    const std::string_view label = name.substr(0, dot);
    std::vector<std::uint32_t> letters = letters_of(label);
    std::ranges::transform(letters, letters.begin(), small);
    if (letters.size() > kMostLetters || !std::ranges::all_of(letters, is_plain_letter)) return std::nullopt;
    const bool plain = std::ranges::all_of(letters, [](std::uint32_t letter) { return letter < kFirstNumber; });
    result += plain ? std::string(label) : "xn--" + encoded(letters);
    if (dot == std::string_view::npos) return result;
    result += '.';
    name.remove_prefix(dot + 1);
  }
}

}  // namespace pale
