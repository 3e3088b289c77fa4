#include "cli/arguments.h"

#include <algorithm>
#include <ranges>

#include "base/text.h"

namespace pale::cli {
namespace {

std::unexpected<Error> unknown(std::string_view name, std::span<const Option> options) {
  std::vector<std::string_view> names;
  for (const Option& option : options) names.push_back(option.name);
  const auto close = nearest(name, names);
  return fail(ErrorKind::Usage, "unknown option", std::string(name),
              close ? "did you mean " + std::string(*close) + "?" : "pale help");
}

bool is_word(std::string_view text) {
  return !text.empty() && !text.starts_with('-') && text.find_first_of(" \t\n") == std::string_view::npos;
}

}  // namespace

bool Arguments::has(std::string_view name) const {
  return std::ranges::any_of(options, [&](const auto& option) { return option.first == name; });
}

std::string Arguments::value(std::string_view name) const {
  for (const auto& [given, content] : options | std::views::reverse) {
    if (given == name) return content;
  }
  return {};
}

Result<Arguments> parse_arguments(std::span<char* const> words, std::span<const Option> options, AfterDashes after) {
  Arguments arguments;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string_view word = words[at];
    if (word == "--") {
      if (after == AfterDashes::Forbidden)
        return fail(ErrorKind::Usage, "this command takes nothing after", "--", "pale help");
      arguments.command.assign(words.begin() + static_cast<std::ptrdiff_t>(at) + 1, words.end());
      return arguments;
    }
    if (!word.starts_with('-') || word == "-") {
      arguments.operands.emplace_back(word);
      continue;
    }
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const auto option = std::ranges::find(options, name, &Option::name);
    if (option == options.end()) return unknown(name, options);
    if (option->value.empty()) {
      if (equals != std::string_view::npos)
        return fail(ErrorKind::Usage, "this option takes no value:", std::string(word), std::string(name));
      arguments.options.emplace_back(option->name, "");
    } else if (equals != std::string_view::npos) {
      arguments.options.emplace_back(option->name, std::string(word.substr(equals + 1)));
    } else if (option->value.starts_with('[')) {
      arguments.options.emplace_back(option->name, at + 1 < words.size() && is_word(words[at + 1]) ? words[++at] : "");
    } else if (at + 1 < words.size()) {
      arguments.options.emplace_back(option->name, words[++at]);
    } else {
      return fail(ErrorKind::Usage, "a value is missing after", std::string(name),
                  std::string(name) + " " + std::string(option->value));
    }
  }
  return arguments;
}

}  // namespace pale::cli
