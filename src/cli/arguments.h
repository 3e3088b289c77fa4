// cli/arguments.h: the command line, read against a table of options.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"

namespace pale::cli {

struct Option {
  std::string_view name;   // "--rw"
  std::string_view value;  // "PATH"; empty for a switch; "[NAME]" if it may be left out
  std::string_view help;   // empty: for tests, shown nowhere
};

enum class AfterDashes { Forbidden, Command };

struct Arguments {
  std::vector<std::pair<std::string_view, std::string>> options;  // in the order given
  std::vector<std::string> operands;
  std::vector<std::string> command;  // everything after "--", verbatim

  bool has(std::string_view name) const;
  // The last one given, or empty.
  std::string value(std::string_view name) const;
};

// "--name value" and "--name=value". A value that may be left out is one word without spaces. An unknown option is an error with its nearest match.
Result<Arguments> parse_arguments(std::span<char* const> words, std::span<const Option> options, AfterDashes after);

}  // namespace pale::cli
