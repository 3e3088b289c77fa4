// base/time.h: points in time as people and programs write them. Arithmetic only: no clock, no time zone, no C library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace pale {

// Seconds since 1970 as "2026-01-23T15:00:00Z". Of the years 0 to 9999 always 20 characters; other years have more digits or a
// sign, and parse_iso() does not read them.
std::string to_iso(std::int64_t seconds);

// A date, or a date and a time of day: "2026-01-23", "2026-01-23T15:00:00Z", "2026-01-23 16:00:00.25+01:00". UTC if it does not
// say otherwise. What is smaller than a second is dropped; a leap second is the second before it.
std::optional<std::int64_t> parse_iso(std::string_view text);

// How long ago, in the largest unit of which there is one: "2 hours ago". "just now" for less than a minute either way, since
// clocks differ a little; "in the future" for what is further off.
std::string time_ago(std::int64_t then, std::int64_t now);

}  // namespace pale
