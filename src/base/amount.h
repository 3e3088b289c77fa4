// base/amount.h: what somebody may ask for at most: how it is written, and how much of it there can be.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace pale {

struct Measure {
  std::optional<std::uint64_t> (*read)(std::string_view text);
  std::uint64_t most;  // Beyond, nobody means it, and what is calculated with it would overflow.
  std::string_view most_text;
  std::string_view example;
};

namespace measure {
inline constexpr Measure kBytes = {parse_size, 1ULL << 50U, "1024T", "2G"};
inline constexpr Measure kTasks = {parse_number, 1ULL << 22U, "4194304", "200"};  // The kernel has no more processes.
inline constexpr Measure kSeconds = {parse_duration, 10ULL * 365 * 86400, "3650d", "2h"};
}  // namespace measure

// From 1 on. The error names what it is for: "--memory", "memory".
Status check_amount(const Measure& measure, std::string_view name, std::uint64_t amount);
Result<std::uint64_t> parse_amount(const Measure& measure, std::string_view name, std::string_view text);

}  // namespace pale
