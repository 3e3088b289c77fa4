// grep/shape.h: what can be seen of a regular expression without matching it. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pale::grep {

struct Shape {
  // A match in a text of many lines that stays in one line is a match of that line alone: nothing in the pattern looks beyond
  // what it takes, or refuses to give back what it took.
  bool plain = false;
  // In every line that matches stands at least one of these; none: nobody knows.
  std::vector<std::string> literals;
  // And every line in which one stands matches.
  bool only_literals = false;
};

// Of a pattern that PCRE2 accepts, without options in it. Whatever is not understood makes the answer say less.
Shape shape_of(std::string_view pattern);

}  // namespace pale::grep
