#include "base/json_scan.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/json.h"
#include "base/json_value.h"
#include "base/text.h"

namespace pale {
namespace {

constexpr std::size_t kDeepest = 64;

// --- eight bytes at a time ---------------------------------------------------------------------------------------------

using Word = std::uint64_t;
static_assert(std::endian::native == std::endian::little, "the first byte in memory is the lowest of a word");

constexpr Word each(unsigned char byte) { return Word{0x0101010101010101} * byte; }
constexpr Word kTopBits = each(0x80);

Word word_at(std::string_view text, std::size_t at) {
  Word word = 0;
  std::memcpy(&word, text.data() + at, sizeof word);
  return word;
}

// The top bit of every byte that is less than `limit`, at most 128; above the first such byte also others may be marked.
constexpr Word less_than(Word word, unsigned char limit) { return (word - each(limit)) & ~word & kTopBits; }
constexpr Word equal_to(Word word, char byte) { return less_than(word ^ each(static_cast<unsigned char>(byte)), 1); }

std::size_t first_marked(Word marks) { return static_cast<std::size_t>(std::countr_zero(marks)) / 8; }

bool is_plain(char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; }

// The next byte of a string that does not stand for itself.
std::size_t skip_plain(std::string_view text, std::size_t at) {
  for (; at + sizeof(Word) <= text.size(); at += sizeof(Word)) {
    const Word word = word_at(text, at);
    const Word marks = equal_to(word, '"') | equal_to(word, '\\') | less_than(word, 0x20);
    if (marks != 0) return at + first_marked(marks);
  }
  while (at < text.size() && is_plain(text[at])) ++at;
  return at;
}

std::size_t skip_ascii(std::string_view text, std::size_t at) {
  for (; at + sizeof(Word) <= text.size(); at += sizeof(Word)) {
    const Word marks = word_at(text, at) & kTopBits;
    if (marks != 0) return at + first_marked(marks);
  }
  while (at < text.size() && static_cast<unsigned char>(text[at]) < 0x80) ++at;
  return at;
}

// Of what is mostly ASCII. No character's bytes reach beyond the next byte that is ASCII.
bool is_utf8_in_pieces(std::string_view text) {
  for (std::size_t at = skip_ascii(text, 0); at < text.size(); at = skip_ascii(text, at)) {
    const std::size_t begin = at;
    while (at < text.size() && static_cast<unsigned char>(text[at]) >= 0x80) ++at;
    if (!is_utf8(text.substr(begin, at - begin))) return false;
  }
  return true;
}

// --- the grammar ------------------------------------------------------------------------------------------------------

// Says false where the text is wrong: a Result for each of a hundred thousand values would cost as much as reading them.
class JsonScan {
 public:
  JsonScan(std::string_view text, std::span<const std::string_view> keys) : text_(text), keys_(keys) {}

  Result<std::optional<TextSpan>> whole() {
    if (!scan_whole()) return fail(ErrorKind::Usage, "this is not JSON:", place_in(text_, at_) + ": " + what_);
    return found_;
  }

 private:
  // How many of the keys have led here; or that this is not where they lead.
  static constexpr std::size_t kElsewhere = ~std::size_t{0};

  bool wrong(std::string what) {
    what_ = std::move(what);
    return false;
  }

  bool scan_whole() {
    if (!is_utf8_in_pieces(text_)) return wrong("this is not UTF-8");
    if (!scan_value(0, 0)) return false;
    skip_space();
    return at_ == text_.size() || wrong("something follows the end");
  }

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
      ++at_;
  }

  bool take(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  bool scan_value(std::size_t depth, std::size_t led_by) {
    skip_space();
    const std::size_t begin = at_;
    if (!scan_any(depth, led_by)) return false;
    if (led_by == keys_.size()) found_ = TextSpan{begin, at_};
    return true;
  }

  bool scan_any(std::size_t depth, std::size_t led_by) {
    if (at_ >= text_.size()) return wrong("a value is missing");
    switch (text_[at_]) {
      case '{': return scan_object(depth + 1, led_by);
      case '[': return scan_array(depth + 1);
      case '"': return scan_string();
      case 't': return scan_word("true");
      case 'f': return scan_word("false");
      case 'n': return scan_word("null");
      default: return scan_number();
    }
  }

  bool scan_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return wrong("an unknown word");
    at_ += word.size();
    return true;
  }

  bool take_digits() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') ++at_;
    return at_ != begin;
  }

  bool scan_number() {
    (void)take('-');
    if (!take('0') && !take_digits()) return wrong("a value is expected");
    if (take('.') && !take_digits()) return wrong("digits are missing after the point");
    if (take('e') || take('E')) {
      if (!take('+')) (void)take('-');
      if (!take_digits()) return wrong("digits are missing in the exponent");
    }
    return true;
  }

  bool scan_string() {
    for (++at_;;) {
      at_ = skip_plain(text_, at_);
      if (at_ >= text_.size()) return wrong("a string has no end");
      const char c = text_[at_++];
      if (c == '"') return true;
      if (c != '\\') return wrong("a control character in a string");
      if (!scan_escape()) return false;
    }
  }

  bool scan_escape() {
    if (at_ >= text_.size()) return wrong("a string has no end");
    const char letter = text_[at_++];
    if (std::string_view("\"\\/bfnrt").find(letter) != std::string_view::npos) return true;
    if (letter != 'u') return wrong("an unknown escape in a string");
    unsigned unit = 0, low = 0;
    if (!scan_unit(unit)) return false;
    if (unit < 0xd800 || unit >= 0xe000) return true;
    if (unit >= 0xdc00 || !take('\\') || !take('u')) return wrong("half a surrogate pair");
    if (!scan_unit(low)) return false;
    return (low >= 0xdc00 && low < 0xe000) || wrong("half a surrogate pair");
  }

  bool scan_unit(unsigned& unit) {
    constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
    for (int digits = 0; digits < 4; ++digits, ++at_) {
      if (at_ >= text_.size()) return wrong("a string has no end");
      const std::size_t digit = kDigits.find(text_[at_]);
      if (digit == std::string_view::npos) return wrong("four hexadecimal digits are expected");
      unit = unit << 4U | static_cast<unsigned>(digit < 16 ? digit : digit - 6);
    }
    return true;
  }

  bool scan_array(std::size_t depth) {
    if (depth > kDeepest) return wrong("it nests too deep");
    ++at_;
    skip_space();
    if (take(']')) return true;
    for (;;) {
      if (!scan_value(depth, kElsewhere)) return false;
      skip_space();
      if (take(']')) return true;
      if (!take(',')) return wrong("',' or ']' is expected");
    }
  }

  bool scan_object(std::size_t depth, std::size_t led_by) {
    if (depth > kDeepest) return wrong("it nests too deep");
    const std::string_view* wanted = led_by < keys_.size() ? &keys_[led_by] : nullptr;
    bool met = false;
    ++at_;
    skip_space();
    if (take('}')) return true;
    for (;;) {
      skip_space();
      const std::size_t key = at_;
      if (at_ >= text_.size() || text_[at_] != '"') return wrong("a key is expected");
      if (!scan_string()) return false;
      const bool leads_on = wanted != nullptr && is_key(text_.substr(key, at_ - key), *wanted);
      if (leads_on && met) return wrong("the key \"" + std::string(*wanted) + "\" stands twice in one object");
      met = met || leads_on;
      skip_space();
      if (!take(':')) return wrong("':' is expected");
      if (!scan_value(depth, leads_on ? led_by + 1 : kElsewhere)) return false;
      skip_space();
      if (take('}')) return true;
      if (!take(',')) return wrong("',' or '}' is expected");
    }
  }

  // `quoted` is a good string with its quotation marks.
  static bool is_key(std::string_view quoted, std::string_view wanted) {
    const std::string_view written = quoted.substr(1, quoted.size() - 2);
    if (written == wanted) return written.find('\\') == std::string_view::npos;
    // An escape takes at least two bytes for one, so a shorter text is another key.
    if (written.size() <= wanted.size() || written.find('\\') == std::string_view::npos) return false;
    const auto key = JsonValue::parse(quoted, 0);
    return key && *key->text() == wanted;
  }

  std::string_view text_;
  std::span<const std::string_view> keys_;
  std::size_t at_ = 0;
  std::string what_;  // what is wrong at `at_`
  std::optional<TextSpan> found_;
};

}  // namespace

Result<std::optional<TextSpan>> find_json(std::string_view text, std::span<const std::string_view> keys) {
  return JsonScan(text, keys).whole();
}

}  // namespace pale
