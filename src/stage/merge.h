// stage/merge.h: what two sides made of one text, put together line by line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace pale::stage {

// What stands behind the markers of a conflict.
struct MergeLabels {
  std::string_view ours, original, theirs;
};

struct Merged {
  std::string text;
  std::size_t conflicts = 0;

  bool operator==(const Merged&) const = default;
};

// A change of one side, or the same of both, is taken. Different changes that overlap or touch are a conflict: all three
// versions stand between markers, ours first.
Merged merge_texts(std::string_view original, std::string_view ours, std::string_view theirs,
                   const MergeLabels& labels);

}  // namespace pale::stage
