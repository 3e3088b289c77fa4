#include "base/hunk.h"

#include <algorithm>

namespace pale {
namespace {

using Lines = std::span<const std::string_view>;

// A first line and a count, which is left out if it is 1. An empty range is named by the line above it.
std::string range(std::size_t begin, std::size_t count) {
  const std::string first = std::to_string(count == 0 ? begin : begin + 1);
  return count == 1 ? first : first + "," + std::to_string(count);
}

void append_lines(std::string& text, char sign, Lines lines) {
  for (const std::string_view line : lines) {
    text.append(1, sign).append(line);
    if (!line.ends_with('\n')) text.append("\n\\ No newline at end of file\n");
  }
}

void append_lines(std::string& text, Lines lines) {
  for (const std::string_view line : lines) text.append(line);
}

}  // namespace

std::vector<Hunk> hunks_of(std::span<const Edit> edits, std::size_t old_lines, std::size_t new_lines,
                           std::size_t context) {
  std::vector<Hunk> hunks;
  for (const Edit& edit : edits) {
    const std::size_t above = std::min(context, edit.old_begin);
    const bool joins = !hunks.empty() && edit.old_begin - above <= hunks.back().old_begin + hunks.back().old_count;
    if (!joins) hunks.push_back({edit.old_begin - above, 0, edit.new_begin - above, 0, {}});
    Hunk& hunk = hunks.back();
    hunk.old_count = edit.old_end + std::min(context, old_lines - edit.old_end) - hunk.old_begin;
    hunk.new_count = edit.new_end + std::min(context, new_lines - edit.new_end) - hunk.new_begin;
    hunk.edits.push_back(edit);
  }
  return hunks;
}

std::string with_hunks(Lines before, Lines after, std::span<const Hunk> chosen) {
  std::string text;
  std::size_t at = 0;
  for (const Hunk& hunk : chosen) {
    for (const Edit& edit : hunk.edits) {
      append_lines(text, before.subspan(at, edit.old_begin - at));
      append_lines(text, after.subspan(edit.new_begin, edit.new_end - edit.new_begin));
      at = edit.old_end;
    }
  }
  append_lines(text, before.subspan(at));
  return text;
}

std::string hunk_text(Lines before, Lines after, const Hunk& hunk) {
  std::string text =
      "@@ -" + range(hunk.old_begin, hunk.old_count) + " +" + range(hunk.new_begin, hunk.new_count) + " @@\n";
  std::size_t at = hunk.old_begin;
  for (const Edit& edit : hunk.edits) {
    append_lines(text, ' ', before.subspan(at, edit.old_begin - at));
    append_lines(text, '-', before.subspan(edit.old_begin, edit.old_end - edit.old_begin));
    append_lines(text, '+', after.subspan(edit.new_begin, edit.new_end - edit.new_begin));
    at = edit.old_end;
  }
  append_lines(text, ' ', before.subspan(at, hunk.old_begin + hunk.old_count - at));
  return text;
}

}  // namespace pale
