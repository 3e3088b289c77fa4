#include "stage/merge.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/line_diff.h"

namespace pale::stage {
namespace {

using Lines = std::span<const std::string_view>;

// What one side made of the original, walked through from the beginning.
class Side {
 public:
  Side(Lines original, std::string_view text)
      : lines_(split_lines(text)), edits_(diff_lines(original, lines_)), end_(original.size()) {}

  bool done() const { return next_ == edits_.size(); }
  // Behind the end, if there is no edit left.
  std::size_t next_begin() const { return done() ? end_ + 1 : edits_[next_].old_begin; }

  // Takes the edits that begin before the original line `end` or right there, and moves that behind them.
  void take(std::size_t& end) {
    for (; next_begin() <= end; ++next_) end = std::max(end, edits_[next_].old_end);
  }

  // What stands here in the place of the original lines from those of the last call up to `end`; what take() took lies there.
  Lines upto(std::size_t end) {
    const std::size_t begin = at_;
    // Lines behind the last edit are as many as in the original.
    at_ = next_ == 0 ? end : edits_[next_ - 1].new_end + (end - edits_[next_ - 1].old_end);
    return Lines(lines_).subspan(begin, at_ - begin);
  }

 private:
  std::vector<std::string_view> lines_;
  std::vector<Edit> edits_;
  std::size_t end_;
  std::size_t next_ = 0;  // the first edit that was not taken
  std::size_t at_ = 0;    // the first line that was not asked for
};

// Takes the next edits of both sides that hang together, from `begin` on. Gives where they end.
std::size_t take_together(Side& ours, Side& theirs, std::size_t begin) {
  std::size_t end = begin;
  while (ours.next_begin() <= end || theirs.next_begin() <= end) {
    ours.take(end);
    theirs.take(end);
  }
  return end;
}

void append(std::string& text, Lines lines) {
  for (const std::string_view line : lines) text.append(line);
}

// A marker starts a line, even if the text above it does not end one.
void append_marker(std::string& text, std::string_view marker, std::string_view label) {
  if (!text.empty() && text.back() != '\n') text.append("\n");
  text.append(marker).append(label.empty() ? "" : " ").append(label).append("\n");
}

void append_conflict(std::string& text, Lines ours, Lines original, Lines theirs, const MergeLabels& labels) {
  append_marker(text, "<<<<<<<", labels.ours);
  append(text, ours);
  append_marker(text, "|||||||", labels.original);
  append(text, original);
  append_marker(text, "=======", {});
  append(text, theirs);
  append_marker(text, ">>>>>>>", labels.theirs);
}

}  // namespace

Merged merge_texts(std::string_view original, std::string_view ours, std::string_view theirs,
                   const MergeLabels& labels) {
  const auto lines = split_lines(original);
  Side our_side(lines, ours), their_side(lines, theirs);
  Merged merged;
  std::size_t at = 0;  // the first original line that is not done
  while (!our_side.done() || !their_side.done()) {
    const std::size_t begin = std::min(our_side.next_begin(), their_side.next_begin());
    append(merged.text, Lines(lines).subspan(at, begin - at));
    (void)our_side.upto(begin);
    (void)their_side.upto(begin);

    const std::size_t end = take_together(our_side, their_side, begin);
    const Lines base = Lines(lines).subspan(begin, end - begin);
    const Lines our_lines = our_side.upto(end), their_lines = their_side.upto(end);
    if (std::ranges::equal(base, their_lines) || std::ranges::equal(our_lines, their_lines)) {
      append(merged.text, our_lines);
    } else if (std::ranges::equal(base, our_lines)) {
      append(merged.text, their_lines);
    } else {
      append_conflict(merged.text, our_lines, base, their_lines, labels);
      ++merged.conflicts;
    }
    at = end;
  }
  append(merged.text, Lines(lines).subspan(at));
  return merged;
}

}  // namespace pale::stage
