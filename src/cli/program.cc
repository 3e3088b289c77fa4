#include "cli/program.h"

#include <algorithm>

#include "base/text.h"
#include "cli/console.h"
#include "cli/help.h"

namespace pale::cli {
namespace {

struct Entry {
  std::string_view name;
  int (*run)(const CommandLine&);
};
constexpr Entry kCommands[] = {
    {"run", run_command}, {"shell", shell_command}, {"explain", explain_command}, {"doctor", doctor_command}};

bool asks_for_help(std::span<char* const> words) {
  for (const std::string_view word : words) {
    if (word == "--") return false;
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

int unknown_command(std::string_view name) {
  std::vector<std::string_view> names = {"help"};
  for (const Entry& entry : kCommands) names.push_back(entry.name);
  const auto close = nearest(name, names);
  print_error({ErrorKind::Usage, 0, "unknown command", std::string(name),
               close ? "did you mean pale " + std::string(*close) + "?" : "pale help"},
              Format::Text);
  return 2;
}

}  // namespace

int run_program(int argc, char** argv, char** envp) {
  const std::span<char* const> words(argv + 1, argc > 1 ? static_cast<std::size_t>(argc - 1) : 0);
  if (words.empty()) {
    print_error({ErrorKind::Usage, 0, "a command is missing", "", "pale help"}, Format::Text);
    print(help_text(""));
    return 2;
  }
  const std::string_view name = words.front();
  if (name == "--version") {
    print("pale " + std::string(kVersion) + "\n");
    return 0;
  }
  if (name == "help" || name == "--help" || name == "-h") return show_help(words.size() > 1 ? words[1] : "");
  const auto* command = std::ranges::find(kCommands, name, &Entry::name);
  if (command == std::end(kCommands)) return unknown_command(name);
  if (asks_for_help(words.subspan(1))) return show_help(name);
  return command->run({words.subspan(1), argv, envp});
}

}  // namespace pale::cli
