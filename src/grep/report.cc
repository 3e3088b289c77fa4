#include "grep/report.h"

#include <algorithm>

namespace pale::grep {
namespace {

std::uint64_t newlines(std::string_view text) { return static_cast<std::uint64_t>(std::ranges::count(text, '\n')); }

// Not in the middle of a letter, if it is UTF-8.
std::string_view shortened(std::string_view line) {
  if (line.size() <= kLongestLine) return line;
  std::size_t end = kLongestLine;
  while (end > kLongestLine - 4 && (static_cast<unsigned char>(line[end]) & 0xc0U) == 0x80U) --end;
  return line.substr(0, end);
}

}  // namespace

std::size_t lines_before(std::string_view text, std::size_t at, std::uint64_t count, std::size_t least) noexcept {
  for (; count > 0 && at > least; --count) at = line_around(text, at - 1).begin;
  return std::max(at, least);
}

std::uint64_t FileReport::number_at(std::string_view window, std::size_t at) {
  if (at < counted_) return number_ - newlines(window.substr(at, counted_ - at));
  number_ += newlines(window.substr(counted_, at - counted_));
  counted_ = at;
  return number_;
}

void FileReport::keep(std::string_view window, const LineMatch& line, bool matches) {
  told_ = std::min(line.end + 1, window.size());
  if (left_.bytes == 0) return;
  const std::string_view text = shortened(window.substr(line.begin, line.end - line.begin));
  lines_.push_back({number_at(window, line.begin), matches, std::string(text)});
  left_.bytes -= std::min<std::uint64_t>(left_.bytes, text.size() + 1);
}

// What stands behind the last match, up to `end`.
void FileReport::add_behind(std::string_view window, std::size_t end) {
  for (; behind_ > 0 && told_ < end; --behind_) keep(window, line_around(window, told_), false);
}

void FileReport::add(std::string_view window, const LineMatch& line) {
  add_behind(window, line.begin);
  behind_ = 0;
  if (left_.lines == 0 || left_.bytes == 0) return;
  for (std::size_t at = lines_before(window, line.begin, context_, told_); at < line.begin; at = told_)
    keep(window, line_around(window, at), false);
  keep(window, line, true);
  --left_.lines;
  behind_ = context_;
}

void FileReport::end_window(std::string_view window, std::size_t end) { add_behind(window, end); }

void FileReport::move_to(std::string_view window, std::size_t begin) {
  number_ = number_at(window, begin);
  counted_ = 0;
  told_ = told_ > begin ? told_ - begin : 0;
}

}  // namespace pale::grep
