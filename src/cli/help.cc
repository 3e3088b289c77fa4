#include "cli/help.h"

#include <algorithm>
#include <vector>

#include "base/text.h"
#include "cli/console.h"
#include "cli/program.h"

namespace pale::cli {
namespace {

struct Heading {
  Group group;
  std::string_view text;
};
constexpr Heading kHeadings[] = {{Group::Work, "Work inside a boundary"},
                                 {Group::Look, "Look before you run"},
                                 {Group::Stages, "Review what was done in a stage"},
                                 {Group::Scope, "Folders and stories"},
                                 {Group::Projects, "Projects"},
                                 {Group::Tenants, "Tenants"},
                                 {Group::Serving, "Serving"},
                                 {Group::Agents, "Agents"},
                                 {Group::Workers, "Workers"},
                                 {Group::Approvals, "Answer what agents ask"},
                                 {Group::Yourself, "Your configuration"}};
constexpr std::size_t kColumn = 20;

std::string option_lines(std::span<const Option> options) {
  std::string text;
  for (const Option& option : options) {
    if (option.help.empty()) continue;
    const std::string left =
        "  " + std::string(option.name) + (option.value.empty() ? "" : " " + std::string(option.value));
    text += padded(left + " ", 30) + std::string(option.help) + "\n";
  }
  return text;
}

std::string command_lines(Group group) {
  std::string text;
  for (const Command& command : commands()) {
    if (command.group == group)
      text += padded("  " + std::string(command.name), kColumn) + std::string(command.summary) + "\n";
  }
  return text;
}

std::string overview() {
  std::string text = "Pale: the boundary that coding agents work inside.\n\nUsage: pale COMMAND [OPTION…]\n";
  for (const Heading& heading : kHeadings)
    text += "\n" + std::string(heading.text) + "\n" + command_lines(heading.group);
  text += "\nTopics (pale help TOPIC)\n";
  for (const Topic& topic : topics())
    text += padded("  " + std::string(topic.name), kColumn) + std::string(topic.summary) + "\n";
  text +=
      "\nExamples:\n"
      "  pale init && pale run -- make test\n"
      "  pale explain .git/config\n";
  return text;
}

std::string group_page(std::string_view word) {
  std::string text = "Usage: pale " + std::string(word) + " COMMAND [OPTION…]\n\nCommands:\n";
  for (const Command& command : commands()) {
    if (!command.name.starts_with(word) || command.name.size() == word.size()) continue;
    const std::string left =
        "  " + std::string(command.name.substr(word.size() + 1)) + " " + std::string(command.operands);
    text += padded(left, 24) + std::string(command.summary) + "\n";
  }
  return text + "\nMore: pale help " + std::string(word) + " COMMAND\n";
}

std::string command_page(const Command& command) {
  const std::size_t examples = command.text.find("\nExamples:");
  const std::span<const Option> options = command.options();
  std::string text = "Usage: pale " + std::string(command.name) + (options.empty() ? "" : " [OPTION…]") +
                     (command.operands.empty() ? "" : " ") + std::string(command.operands) + "\n\n";
  const std::string_view paragraphs = command.text.substr(0, examples);
  text += paragraphs.empty() ? std::string(command.summary) + "\n" : std::string(paragraphs);
  if (!options.empty()) text += "\nOptions:\n" + option_lines(options);
  return text + std::string(command.text.substr(examples));
}

}  // namespace

bool is_group(std::string_view word) {
  const std::string prefix = std::string(word) + " ";
  return std::ranges::any_of(commands(), [&](const Command& command) { return command.name.starts_with(prefix); });
}

bool is_command(std::string_view name) {
  return std::ranges::find(commands(), name, &Command::name) != commands().end();
}

std::string help_text(std::string_view name) {
  if (name.empty()) return overview();
  const auto topic = std::ranges::find(topics(), name, &Topic::name);
  if (topic != topics().end()) return std::string(topic->text);
  if (is_group(name) && !is_command(name)) return group_page(name);
  const Command* command = find_command(name);
  return command == nullptr ? std::string() : command_page(*command);
}

int show_help(std::string_view name) {
  const std::string text = help_text(name);
  if (!text.empty()) {
    print(text);
    return 0;
  }
  std::vector<std::string_view> names;
  for (const Topic& topic : topics()) names.push_back(topic.name);
  for (const Command& command : commands()) names.push_back(command.name);
  const auto close = nearest(name, names);
  return fail_with({ErrorKind::Usage, 0, "there is no help on", std::string(name),
                    close ? "pale help " + std::string(*close) : "pale help"},
                   Format::Text);
}

int help_command(const CommandLine& line) {
  std::string name;
  for (const char* word : line.words) name += (name.empty() ? "" : " ") + std::string(word);
  return show_help(name);
}

}  // namespace pale::cli
