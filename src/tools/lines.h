// tools/lines.h: cuts a stream into lines. One that is too long is given up, however long it is, and reported once.
#pragma once

#include <string>
#include <string_view>

namespace pale::tools {

class Lines {
 public:
  explicit Lines(std::size_t most) : most_(most) {}

  // Calls `take(line)` for each line that is complete by now, or `too_long()`.
  template <typename Take, typename TooLong>
  void feed(std::string_view bytes, const Take& take, const TooLong& too_long) {
    while (!bytes.empty()) {
      const std::size_t newline = bytes.find('\n');
      const bool whole = newline != std::string_view::npos;
      const std::string_view part = bytes.substr(0, newline);
      bytes.remove_prefix(whole ? newline + 1 : bytes.size());
      if (!skipping_ && held_.size() + part.size() > most_) {
        skipping_ = true;
        held_ = std::string();
        too_long();
      }
      if (whole) {
        end_line(part, take);
      } else if (!skipping_) {
        held_ += part;
      }
    }
  }

 private:
  // Mostly a line comes in one piece, and is not copied.
  template <typename Take>
  void end_line(std::string_view part, const Take& take) {
    if (!skipping_ && held_.empty()) take(part);
    if (!skipping_ && !held_.empty()) {
      held_ += part;
      take(std::string_view(held_));
    }
    skipping_ = false;
    if (held_.capacity() > kKept) held_ = std::string();
    held_.clear();
  }

  static constexpr std::size_t kKept = 65536;

  std::size_t most_;
  std::string held_;
  bool skipping_ = false;
};

}  // namespace pale::tools
