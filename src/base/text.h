// base/text.h: small questions about texts that a person typed or will read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace pale {

// Safe to show on a terminal, on one line: control characters, escape sequences, what is not UTF-8, and letters that hide or
// turn around others become \xNN.
std::string printable(std::string_view text);

// As one word of a shell's command line, whatever it holds: for commands that a message proposes.
std::string shell_word(std::string_view text);

// The candidate closest to a mistyped word, if it is close at all.
std::optional<std::string_view> nearest(std::string_view word, std::span<const std::string_view> candidates);

std::optional<std::uint64_t> parse_number(std::string_view text);
// "64M", "2G", "512K", or bytes.
std::optional<std::uint64_t> parse_size(std::string_view text);
// "90", "90s", "5m", "2h": seconds; of a century at most.
std::optional<std::uint64_t> parse_duration(std::string_view text);

// Where a byte stands, for people: "line 3, column 7".
std::string place_in(std::string_view text, std::size_t at);

}  // namespace pale
