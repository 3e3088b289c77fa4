#include "base/time.h"

namespace pale {
namespace {

constexpr std::int64_t kMinute = 60, kHour = 3600, kDay = 86400, kWeek = 7 * kDay, kYear = 365 * kDay,
                       kMonth = kYear / 12;

// Years are counted from March, so that the leap day is the last of its year; 400 of them are an era, always as long.
constexpr std::int64_t kEraDays = 146097;
constexpr std::int64_t kEpoch = 719468;  // from 0000-03-01 to 1970-01-01

struct Date {
  std::int64_t year;
  std::int64_t month;  // 1 to 12
  std::int64_t day;    // 1 to 31
};

constexpr std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

constexpr std::int64_t days_of(const Date& date) {
  const std::int64_t year = date.year - (date.month <= 2 ? 1 : 0);
  const std::int64_t era = floor_div(year, 400), year_of_era = year - era * 400;
  const std::int64_t month = (date.month + 9) % 12;  // March is 0
  // 153 days in any five months from March or August on.
  const std::int64_t day_of_year = (153 * month + 2) / 5 + date.day - 1;
  return era * kEraDays + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - kEpoch;
}

constexpr Date date_of(std::int64_t days) {
  days += kEpoch;
  const std::int64_t era = floor_div(days, kEraDays), day_of_era = days - era * kEraDays;
  const std::int64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / (kEraDays - 1)) / 365;
  const std::int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::int64_t march_month = (5 * day_of_year + 2) / 153;
  const std::int64_t month = march_month < 10 ? march_month + 3 : march_month - 9;
  return {era * 400 + year_of_era + (month <= 2 ? 1 : 0), month, day_of_year - (153 * march_month + 2) / 5 + 1};
}

constexpr std::int64_t days_in(std::int64_t year, std::int64_t month) {
  const Date next = month == 12 ? Date{year + 1, 1, 1} : Date{year, month + 1, 1};
  return days_of(next) - days_of({year, month, 1});
}

std::string digits(std::int64_t number, std::size_t least) {
  const bool negative = number < 0;
  const std::string text = std::to_string(negative ? -number : number);
  return (negative ? "-" : "") + std::string(text.size() < least ? least - text.size() : 0, '0') + text;
}

// Takes parts off the front of a text.
class Parts {
 public:
  explicit Parts(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  bool sees(std::string_view any_of) const {
    return !text_.empty() && any_of.find(text_.front()) != std::string_view::npos;
  }
  bool take(std::string_view any_of) {
    if (!sees(any_of)) return false;
    text_.remove_prefix(1);
    return true;
  }
  std::optional<std::int64_t> number(std::size_t count, std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    for (; count > 0; --count) {
      if (!sees(kDigits)) return std::nullopt;
      value = value * 10 + (text_.front() - '0');
      text_.remove_prefix(1);
    }
    return value >= least && value <= most ? std::optional(value) : std::nullopt;
  }
  // ".25", or nothing.
  bool skip_fraction() {
    if (!take(".")) return true;
    if (!sees(kDigits)) return false;
    while (take(kDigits)) {
    }
    return true;
  }

 private:
  static constexpr std::string_view kDigits = "0123456789";
  std::string_view text_;
};

std::optional<std::int64_t> read_days(Parts& parts) {
  const auto year = parts.number(4, 0, 9999);
  if (!year || !parts.take("-")) return std::nullopt;
  const auto month = parts.number(2, 1, 12);
  if (!month || !parts.take("-")) return std::nullopt;
  const auto day = parts.number(2, 1, days_in(*year, *month));
  return day ? std::optional(days_of({*year, *month, *day})) : std::nullopt;
}

// "15:00" in seconds.
std::optional<std::int64_t> read_hours_and_minutes(Parts& parts) {
  const auto hour = parts.number(2, 0, 23);
  if (!hour || !parts.take(":")) return std::nullopt;
  const auto minute = parts.number(2, 0, 59);
  return minute ? std::optional(*hour * kHour + *minute * kMinute) : std::nullopt;
}

std::optional<std::int64_t> read_time_of_day(Parts& parts) {
  const auto minutes = read_hours_and_minutes(parts);
  if (!minutes || !parts.take(":")) return std::nullopt;
  const auto second = parts.number(2, 0, 60);
  if (!second || !parts.skip_fraction()) return std::nullopt;
  return *minutes + (*second == 60 ? 59 : *second);
}

std::optional<std::int64_t> read_offset(Parts& parts) {
  if (parts.at_end() || parts.take("Zz")) return 0;
  const bool west = parts.sees("-");
  if (!parts.take("+-")) return std::nullopt;
  const auto offset = read_hours_and_minutes(parts);
  return offset ? std::optional(west ? -*offset : *offset) : std::nullopt;
}

}  // namespace

std::string to_iso(std::int64_t seconds) {
  const std::int64_t days = floor_div(seconds, kDay), second = (seconds % kDay + kDay) % kDay;
  const Date date = date_of(days);
  return digits(date.year, 4) + "-" + digits(date.month, 2) + "-" + digits(date.day, 2) + "T" +
         digits(second / kHour, 2) + ":" + digits(second / kMinute % 60, 2) + ":" + digits(second % 60, 2) + "Z";
}

std::optional<std::int64_t> parse_iso(std::string_view text) {
  Parts parts(text);
  const auto days = read_days(parts);
  if (!days) return std::nullopt;
  if (parts.at_end()) return *days * kDay;
  if (!parts.take("Tt ")) return std::nullopt;
  const auto time = read_time_of_day(parts);
  const auto offset = time ? read_offset(parts) : std::nullopt;
  if (!offset || !parts.at_end()) return std::nullopt;
  return *days * kDay + *time - *offset;
}

std::string time_ago(std::int64_t then, std::int64_t now) {
  struct Unit {
    std::string_view name;
    std::int64_t seconds;
  };
  constexpr Unit kUnits[] = {{"year", kYear}, {"month", kMonth}, {"week", kWeek},
                             {"day", kDay},   {"hour", kHour},   {"minute", kMinute}};
  // Unsigned: what lies between two such numbers may be larger than either kind allows.
  const bool later = then > now;
  const std::uint64_t between = later ? static_cast<std::uint64_t>(then) - static_cast<std::uint64_t>(now)
                                      : static_cast<std::uint64_t>(now) - static_cast<std::uint64_t>(then);
  if (between < static_cast<std::uint64_t>(kMinute)) return "just now";
  if (later) return "in the future";
  const Unit* unit = kUnits;
  while (between < static_cast<std::uint64_t>(unit->seconds)) ++unit;
  const std::uint64_t count = between / static_cast<std::uint64_t>(unit->seconds);
  return std::to_string(count) + " " + std::string(unit->name) + (count == 1 ? " ago" : "s ago");
}

}  // namespace pale
