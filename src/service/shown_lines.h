// service/shown_lines.h: what comes from inside, for a person at a terminal: line by line, and nothing in it that does something there.
#pragma once

#include <string>
#include <string_view>

namespace pale::service {

// With an end. A tab is no danger, and a progress bar's return at the end of a line none either.
std::string shown_line(std::string_view line);

class ShownLines {
 public:
  // The lines that are whole by now.
  std::string add(std::string_view piece);
  // What is left, as a line.
  std::string finish();

 private:
  std::string begun_;
};

}  // namespace pale::service
