// grep/report.h: the matching lines of one file, as they are found, with the lines around them.
#pragma once

#include <string_view>

#include "grep/lines.h"
#include "search/request.h"

namespace pale::grep {

// How much is kept, of a file and of everything.
struct Bounds {
  std::uint64_t lines;  // that match
  std::uint64_t bytes;
};
inline constexpr std::size_t kLongestLine = 1000;  // bytes; of a longer one the beginning is kept

// A file is seen through windows: texts that overlap, so that what stands around a line is in the same window. Offsets are those
// of the window.
class FileReport {
 public:
  FileReport(std::uint64_t context, const Bounds& bounds) : context_(context), left_(bounds) {}

  // Lines come in their order. When the bounds are reached, no more are kept.
  void add(std::string_view window, const LineMatch& line);
  // All before `end` has been searched.
  void end_window(std::string_view window, std::size_t end);
  // The next window begins where this one has `begin`.
  void move_to(std::string_view window, std::size_t begin);

  std::vector<search::Line> take() && { return std::move(lines_); }

 private:
  std::uint64_t number_at(std::string_view window, std::size_t at);
  void add_behind(std::string_view window, std::size_t end);
  void keep(std::string_view window, const LineMatch& line, bool matches);

  std::uint64_t context_;
  Bounds left_;
  std::vector<search::Line> lines_;
  std::uint64_t behind_ = 0;  // lines that are still to come behind the last match
  std::size_t told_ = 0;      // where what is kept, or will never be, ends
  std::size_t counted_ = 0;   // where the line with this number begins
  std::uint64_t number_ = 1;
};

// Where the line begins that is so many lines before the one at `at`; not before `least`.
std::size_t lines_before(std::string_view text, std::size_t at, std::uint64_t count, std::size_t least) noexcept;

}  // namespace pale::grep
