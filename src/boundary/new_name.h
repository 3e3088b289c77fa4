// boundary/new_name.h: the name of a file that takes another one's place when it is whole: both who makes it and who tells of it know
// whose place that is.
#pragma once

#include <string_view>

namespace pale {

inline constexpr std::string_view kNewPrefix = ".pale-new-";
inline constexpr std::size_t kNewUnique = 36;  // a UUID, and '-'

// ".pale-new-UUID-name" → "name"; else as it is.
constexpr std::string_view name_that_is_meant(std::string_view name) noexcept {
  const std::size_t before = kNewPrefix.size() + kNewUnique + 1;
  return name.starts_with(kNewPrefix) && name.size() > before ? name.substr(before) : name;
}

}  // namespace pale
