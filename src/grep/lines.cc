#include "grep/lines.h"

#include <algorithm>
#include <cstring>

namespace pale::grep {
namespace {

constexpr std::size_t kMostHard = 20;  // lines of a text

std::size_t line_end(std::string_view text, std::size_t from) noexcept {
  const void* newline = std::memchr(text.data() + from, '\n', text.size() - from);
  return newline == nullptr ? text.size() : static_cast<std::size_t>(static_cast<const char*>(newline) - text.data());
}

}  // namespace

LineMatch line_around(std::string_view text, std::size_t at) noexcept {
  const void* newline = memrchr(text.data(), '\n', at);
  const auto begin =
      newline == nullptr ? 0 : static_cast<std::size_t>(static_cast<const char*>(newline) - text.data()) + 1;
  return {begin, line_end(text, at)};
}

LineMatcher::LineMatcher(const Regex& regex) : regex_(regex), matcher_(regex) {
  for (const std::string& literal : regex.shape().literals)
    literals_.push_back({Finder(literal, regex.letters()), 0, false});
}

void LineMatcher::begin_text() noexcept {
  hard_before_ = hard_;
  for (Literal& literal : literals_) literal.known = false;
}

bool LineMatcher::given_up() const noexcept { return hard_ - hard_before_ >= kMostHard; }

LineMatch LineMatcher::next(std::string_view text, std::size_t from) noexcept {
  if (given_up()) return {};
  if (!literals_.empty()) return next_with_literal(text, from);
  return regex_.shape().plain ? next_plain(text, from) : next_one_by_one(text, from);
}

std::size_t LineMatcher::next_literal(std::string_view text, std::size_t from) noexcept {
  std::size_t nearest = kNowhere;
  for (Literal& literal : literals_) {
    if (!literal.known || literal.next < from) {
      literal.next = literal.finder.find(text, from);
      literal.known = true;
    }
    nearest = std::min(nearest, literal.next);
  }
  return nearest;
}

LineMatch LineMatcher::next_with_literal(std::string_view text, std::size_t from) noexcept {
  while (from < text.size() && !given_up()) {
    const std::size_t at = next_literal(text, from);
    if (at == kNowhere) return {};
    const LineMatch line = line_around(text, at);
    if (regex_.shape().only_literals || matches(text.substr(line.begin, line.end - line.begin))) return line;
    from = line.end + 1;
  }
  return {};
}

LineMatch LineMatcher::next_plain(std::string_view text, std::size_t from) noexcept {
  while (from < text.size() && !given_up()) {
    const Match match = matcher_.find(text, from);
    if (match.outcome == Outcome::TooHard) return next_one_by_one(text, from);
    if (match.outcome == Outcome::None) return {};
    // Behind the last newline there is no line.
    if (match.begin == text.size() && text.back() == '\n') return {};
    const LineMatch line = line_around(text, match.begin);
    if (match.end <= line.end || matches(text.substr(line.begin, line.end - line.begin))) return line;
    from = line.end + 1;
  }
  return {};
}

LineMatch LineMatcher::next_one_by_one(std::string_view text, std::size_t from) noexcept {
  while (from < text.size() && !given_up()) {
    const std::size_t end = line_end(text, from);
    if (matches(text.substr(from, end - from))) return {from, end};
    from = end + 1;
  }
  return {};
}

bool LineMatcher::matches(std::string_view line) noexcept {
  const Match match = matcher_.find(line, 0);
  if (match.outcome == Outcome::TooHard) ++hard_;
  return match.outcome == Outcome::Match;
}

}  // namespace pale::grep
