// base/hunk.h: the edits of one file in pieces that a person can look at, and take or leave, one by one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/line_diff.h"

namespace pale {

// Lines count from 0, and include the unchanged ones around the edits.
struct Hunk {
  std::size_t old_begin, old_count;
  std::size_t new_begin, new_count;
  std::vector<Edit> edits;

  bool operator==(const Hunk&) const = default;
};

// Edits whose surroundings touch are one hunk.
std::vector<Hunk> hunks_of(std::span<const Edit> edits, std::size_t old_lines, std::size_t new_lines,
                           std::size_t context = 3);

// The old text with the chosen hunks only, which stand in the order of the file.
std::string with_hunks(std::span<const std::string_view> before, std::span<const std::string_view> after,
                       std::span<const Hunk> chosen);

// As it stands in a unified diff: "@@ -1,4 +1,5 @@" and the lines.
std::string hunk_text(std::span<const std::string_view> before, std::span<const std::string_view> after,
                      const Hunk& hunk);

}  // namespace pale
