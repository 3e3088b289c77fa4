#include "base/toml_scalar.h"

#include <algorithm>
#include <limits>

#include "base/text.h"

namespace pale::toml {
namespace {

constexpr std::string_view kScalarBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-_.:";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Everything but tabs and, where it may span lines, line ends.
bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::numeric_limits<int>::max();
}

void append_utf8(std::string& text, std::uint32_t point) {
  const auto put = [&text](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (point < 0x80) {
    put(point);
  } else if (point < 0x800) {
    put(0xc0U | point >> 6U);
    put(0x80U | (point & 0x3fU));
  } else if (point < 0x10000) {
    put(0xe0U | point >> 12U);
    put(0x80U | (point >> 6U & 0x3fU));
    put(0x80U | (point & 0x3fU));
  } else {
    put(0xf0U | point >> 18U);
    put(0x80U | (point >> 12U & 0x3fU));
    put(0x80U | (point >> 6U & 0x3fU));
    put(0x80U | (point & 0x3fU));
  }
}

Status read_code_point(Cursor& cursor, std::size_t digits, std::string& text) {
  std::uint32_t point = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    const int digit = digit_value(cursor.peek());
    if (digit > 15) return cursor.wrong("a hexadecimal digit is missing");
    point = point << 4U | static_cast<std::uint32_t>(digit);
    ++cursor.at;
  }
  if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return cursor.wrong("there is no such character");
  append_utf8(text, point);
  return {};
}

// Behind the backslash.
Status read_escape(Cursor& cursor, std::string& text) {
  constexpr std::string_view kNames = "btnfr\"\\", kMeanings = "\b\t\n\f\r\"\\";
  const char name = cursor.peek();
  const std::size_t index = kNames.find(name);
  if (index == std::string_view::npos && name != 'u' && name != 'U') return cursor.wrong("an unknown escape");
  ++cursor.at;
  if (index == std::string_view::npos) return read_code_point(cursor, name == 'u' ? 4 : 8, text);
  text += kMeanings[index];
  return {};
}

// A backslash at the end of a line: it, the line end and all space up to the next text are not there.
bool skip_line_ending_backslash(Cursor& cursor) {
  const std::size_t line_end = cursor.text.find_first_not_of(" \t", cursor.at);
  const Cursor end{cursor.text, std::min(line_end, cursor.text.size())};
  if (!end.sees("\n") && !end.sees("\r\n")) return false;
  cursor.at = std::min(cursor.text.find_first_not_of(" \t\r\n", end.at), cursor.text.size());
  return true;
}

struct Quotes {
  std::string_view mark;
  bool escapes;
  bool lines;
};

// Up to two more quotation marks may stand right before the three that end a text.
void take_quotes_at_the_end(Cursor& cursor, const Quotes& quotes, std::string& text) {
  for (int more = 0; more < 2 && cursor.peek() == quotes.mark.front(); ++more) {
    text += quotes.mark.front();
    ++cursor.at;
  }
}

Result<std::string> read_between(Cursor& cursor, const Quotes& quotes) {
  std::string text;
  for (;;) {
    if (cursor.at_end()) return cursor.wrong("a string has no end");
    if (cursor.take(quotes.mark)) {
      if (quotes.lines) take_quotes_at_the_end(cursor, quotes, text);
      return text;
    }
    if (quotes.lines && (cursor.take("\n") || cursor.take("\r\n"))) {
      text += '\n';
    } else if (is_control(cursor.peek())) {
      return cursor.wrong(cursor.peek() == '\n' ? "a string has no end in its line"
                                                : "a control character in a string");
    } else if (quotes.escapes && cursor.take("\\")) {
      if (quotes.lines && skip_line_ending_backslash(cursor)) continue;
      PALE_CHECK(read_escape(cursor, text));
    } else {
      text += cursor.text[cursor.at++];
    }
  }
}

// Digits of a base, single underscores between them. The number of digits, 0 if they are not well formed.
std::size_t count_digits(std::string_view text, int base) {
  std::size_t digits = 0;
  bool after_digit = false;
  for (const char c : text) {
    const bool digit = c != '_';
    if (digit ? digit_value(c) >= base : !after_digit) return 0;
    digits += digit ? 1 : 0;
    after_digit = digit;
  }
  return after_digit ? digits : 0;
}

std::optional<std::int64_t> whole_of(std::string_view digits, int base, bool negative) {
  std::uint64_t number = 0;
  const std::uint64_t most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) + (negative ? 1 : 0);
  for (const char c : digits) {
    if (c == '_') continue;
    const auto digit = static_cast<std::uint64_t>(digit_value(c));
    if (number > (most - digit) / static_cast<std::uint64_t>(base)) return std::nullopt;
    number = number * static_cast<std::uint64_t>(base) + digit;
  }
  return static_cast<std::int64_t>(negative ? ~number + 1 : number);
}

bool has_leading_zero(std::string_view digits) { return digits.size() > 1 && digits.front() == '0'; }

// "1_000.5e-3" behind its sign: a fraction, an exponent, or both.
bool is_real(std::string_view text) {
  if (text == "inf" || text == "nan") return true;
  const std::size_t mark = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, mark);
  if (mark != std::string_view::npos) {
    std::string_view exponent = text.substr(mark + 1);
    if (exponent.starts_with('+') || exponent.starts_with('-')) exponent.remove_prefix(1);
    if (count_digits(exponent, 10) == 0) return false;
  }
  const std::size_t point = mantissa.find('.');
  if (point == std::string_view::npos && mark == std::string_view::npos) return false;
  if (point != std::string_view::npos && count_digits(mantissa.substr(point + 1), 10) == 0) return false;
  const std::string_view whole = mantissa.substr(0, point);
  return count_digits(whole, 10) != 0 && !has_leading_zero(whole);
}

// Parts of a time, each with so many digits.
class Clock {
 public:
  explicit Clock(std::string_view text) : text_(text) {}

  std::optional<int> number(std::size_t digits, int least, int most) {
    if (text_.size() < digits || !std::ranges::all_of(text_.substr(0, digits), is_digit)) return std::nullopt;
    int value = 0;
    for (const char c : text_.substr(0, digits)) value = value * 10 + (c - '0');
    text_.remove_prefix(digits);
    return value >= least && value <= most ? std::optional(value) : std::nullopt;
  }
  bool take(std::string_view any_of) {
    if (text_.empty() || any_of.find(text_.front()) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool fraction() {
    if (!take(".")) return true;
    const std::size_t digits = std::min(text_.find_first_not_of("0123456789"), text_.size());
    text_.remove_prefix(digits);
    return digits != 0;
  }
  bool at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
};

int days_of(int year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[month - 1];
}

bool read_date(Clock& clock) {
  const auto year = clock.number(4, 0, 9999);
  if (!year || !clock.take("-")) return false;
  const auto month = clock.number(2, 1, 12);
  return month && clock.take("-") && clock.number(2, 1, days_of(*year, *month));
}

bool read_time_of_day(Clock& clock) {
  return clock.number(2, 0, 23) && clock.take(":") && clock.number(2, 0, 59) && clock.take(":") &&
         clock.number(2, 0, 59) && clock.fraction();
}

bool read_offset(Clock& clock) {
  return clock.take("zZ") || (clock.take("+-") && clock.number(2, 0, 23) && clock.take(":") && clock.number(2, 0, 59));
}

bool is_time(std::string_view text) {
  Clock clock(text);
  if (text.size() > 2 && text[2] == ':') return read_time_of_day(clock) && clock.at_end();
  if (!read_date(clock)) return false;
  if (clock.at_end()) return true;
  if (!clock.take("tT ") || !read_time_of_day(clock)) return false;
  return clock.at_end() || (read_offset(clock) && clock.at_end());
}

bool looks_like_a_time(std::string_view text) {
  const auto starts = [&](std::size_t digits, char mark) {
    return text.size() > digits && text[digits] == mark && std::ranges::all_of(text.substr(0, digits), is_digit);
  };
  return starts(4, '-') || starts(2, ':');
}

std::optional<Scalar> whole_scalar(std::string_view written) {
  constexpr std::pair<std::string_view, int> kBases[] = {{"0x", 16}, {"0o", 8}, {"0b", 2}};
  for (const auto& [prefix, base] : kBases) {
    if (!written.starts_with(prefix)) continue;
    const std::string_view digits = written.substr(prefix.size());
    const auto number = count_digits(digits, base) == 0 ? std::nullopt : whole_of(digits, base, false);
    return number ? std::optional(Scalar{ScalarKind::Whole, written, *number}) : std::nullopt;
  }
  const bool sign = written.starts_with('+') || written.starts_with('-');
  const std::string_view digits = written.substr(sign ? 1 : 0);
  if (count_digits(digits, 10) == 0 || has_leading_zero(digits)) return std::nullopt;
  const auto number = whole_of(digits, 10, written.starts_with('-'));
  return number ? std::optional(Scalar{ScalarKind::Whole, written, *number}) : std::nullopt;
}

std::optional<Scalar> scalar_of(std::string_view written) {
  if (written == "true" || written == "false") return Scalar{ScalarKind::Boolean, written, written == "true" ? 1 : 0};
  if (looks_like_a_time(written))
    return is_time(written) ? std::optional(Scalar{ScalarKind::Time, written}) : std::nullopt;
  const bool sign = written.starts_with('+') || written.starts_with('-');
  if (is_real(written.substr(sign ? 1 : 0))) return Scalar{ScalarKind::Real, written};
  return whole_scalar(written);
}

// The bytes that belong together. A date and a time of day may have a space between them.
std::string_view scalar_at(const Cursor& cursor) {
  constexpr std::size_t kDate = std::string_view("1979-05-27").size();
  const std::string_view rest = cursor.text.substr(cursor.at);
  const std::size_t end = std::min(rest.find_first_not_of(kScalarBytes), rest.size());
  const bool date_and_more =
      end == kDate && looks_like_a_time(rest) && end + 1 < rest.size() && rest[end] == ' ' && is_digit(rest[end + 1]);
  return rest.substr(0, date_and_more ? std::min(rest.find_first_not_of(kScalarBytes, end + 1), rest.size()) : end);
}

}  // namespace

std::unexpected<Error> Cursor::wrong(std::string_view what) const {
  return fail(ErrorKind::Usage, "this is not TOML:", place_in(text, at) + ": " + std::string(what));
}

Result<std::string> read_string(Cursor& cursor) {
  constexpr Quotes kKinds[] = {
      {R"(""")", true, true}, {"'''", false, true}, {R"(")", true, false}, {"'", false, false}};
  for (const Quotes& quotes : kKinds) {
    if (!cursor.take(quotes.mark)) continue;
    // A line end right behind three quotation marks does not count.
    if (quotes.lines && !cursor.take("\n")) (void)cursor.take("\r\n");
    return read_between(cursor, quotes);
  }
  return cursor.wrong("a string is expected");
}

Result<Scalar> read_scalar(Cursor& cursor) {
  const std::string_view written = scalar_at(cursor);
  if (written.empty()) return cursor.wrong("a value is missing");
  const auto scalar = scalar_of(written);
  if (!scalar) return cursor.wrong("this is no value; text has to stand in quotation marks");
  cursor.at += written.size();
  return *scalar;
}

}  // namespace pale::toml
