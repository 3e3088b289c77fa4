// cli/choice.h: an option whose value is one of a few words.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "cli/arguments.h"
#include "service/request.h"

namespace pale::cli {

template <typename T>
Result<std::optional<T>> chosen(const Arguments& arguments, std::string_view name,
                                std::span<const project::Choice<T>> choices) {
  if (!arguments.has(name)) return std::nullopt;
  const std::string word = arguments.value(name);
  std::string all;
  for (const auto& [written, value] : choices) {
    if (word == written) return value;
    all += (all.empty() ? "" : ", ") + std::string(written);
  }
  return fail(ErrorKind::Usage, "not a value for " + std::string(name) + ":", word, "one of " + all);
}

}  // namespace pale::cli
