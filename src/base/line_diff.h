// base/line_diff.h: what to replace in one sequence of texts to get another. Lines of a file, or words of a line.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace pale {

// Each line with its '\n', which the last one may lack. An empty text has no lines.
std::vector<std::string_view> split_lines(std::string_view text);

// A range of old lines and the range of new lines that stands in its place. One of the two may be empty.
struct Edit {
  std::size_t old_begin, old_end;
  std::size_t new_begin, new_end;

  bool operator==(const Edit&) const = default;
};

// In order, and with at least one common line between two edits. As few lines as possible are removed and added, unless both
// sequences are long and differ in thousands of places: then there may be more, so that the time stays bounded.
// An edit that could stand at several places, as one of two equal lines that is removed, stands at the last of them.
std::vector<Edit> diff_lines(std::span<const std::string_view> before, std::span<const std::string_view> after);

}  // namespace pale
