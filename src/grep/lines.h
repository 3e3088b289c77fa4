// grep/lines.h: which lines of a text match.
#pragma once

#include <string_view>
#include <vector>

#include "grep/finder.h"
#include "grep/regex.h"

namespace pale::grep {

struct LineMatch {
  std::size_t begin = kNowhere;
  std::size_t end = kNowhere;  // without the newline
};

// One thread's. If lines that match have a literal in them, only lines with one are given to the regular expression; if it is a
// plain one, it goes over the whole text at once; otherwise over line after line.
class LineMatcher {
 public:
  explicit LineMatcher(const Regex& regex);
  // The next line that matches, at `from` or behind it, where a line begins. Calls for the same text go forward.
  LineMatch next(std::string_view text, std::size_t from) noexcept;
  // A text that is another one, although it may lie in the same place.
  void begin_text() noexcept;
  // How often a line took so many steps that it counts as one that does not match. A text with several of these is left alone.
  std::size_t hard() const noexcept { return hard_; }

 private:
  struct Literal {
    Finder finder;
    std::size_t next;  // where it stands next; before `from`: not known
    bool known;
  };
  LineMatch next_with_literal(std::string_view text, std::size_t from) noexcept;
  LineMatch next_plain(std::string_view text, std::size_t from) noexcept;
  LineMatch next_one_by_one(std::string_view text, std::size_t from) noexcept;
  std::size_t next_literal(std::string_view text, std::size_t from) noexcept;
  bool matches(std::string_view line) noexcept;
  bool given_up() const noexcept;

  const Regex& regex_;
  Matcher matcher_;
  std::vector<Literal> literals_;
  std::size_t hard_ = 0;
  std::size_t hard_before_ = 0;  // this text
};

// The line that a byte is in. The byte may be its newline.
LineMatch line_around(std::string_view text, std::size_t at) noexcept;

}  // namespace pale::grep
