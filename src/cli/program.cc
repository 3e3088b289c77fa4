#include "cli/program.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "cli/console.h"
#include "cli/help.h"
#include "service/parcel.h"
#include "service/ref_check.h"
#include "service/task_host.h"
#include "service/tools.h"

namespace pale::cli {
namespace {

bool asks_for_help(std::span<char* const> words) {
  for (const std::string_view word : words) {
    if (word == "--") return false;
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

// "validate, check-file or mount": what can stand behind the name of a group.
std::string listed_in(std::string_view group) {
  std::vector<std::string> words;
  for (const Command& command : commands()) {
    if (command.name.starts_with(std::string(group) + " ")) words.emplace_back(command.name.substr(group.size() + 1));
  }
  std::string text;
  for (std::size_t at = 0; at < words.size(); ++at)
    text += (at == 0 ? "" : at + 1 == words.size() ? " or " : ", ") + words[at];
  return text;
}

int unknown_command(const std::string& name) {
  std::vector<std::string_view> names = {"init"};
  for (const Command& command : commands()) names.push_back(command.name);
  auto close = nearest(name, names);
  // Perhaps only the first of two words is misspelt.
  const std::string first = name.substr(0, name.find(' '));
  std::vector<std::string_view> firsts;
  for (const Command& command : commands()) firsts.push_back(command.name.substr(0, command.name.find(' ')));
  if (!close && is_group(first))
    return fail_with({ErrorKind::Usage, 0, "unknown command", name, "pale " + first + " " + listed_in(first)},
                     Format::Text);
  if (!close) close = nearest(first, firsts);
  return fail_with({ErrorKind::Usage, 0, "unknown command", name,
                    close ? "did you mean pale " + std::string(*close) + "?" : "pale help"},
                   Format::Text);
}

// "project" alone names several commands.
int group_without_command(std::string_view name) {
  print_error({ErrorKind::Usage, 0, "pale " + std::string(name), "needs a command", "pale help " + std::string(name)},
              Format::Text);
  print(help_text(name));
  return 2;
}

int run_words(std::span<char* const> words, char** argv, char** envp) {
  const std::string_view first = words.front();
  const std::string two = words.size() > 1 ? std::string(first) + " " + words[1] : std::string();
  const Command* command = words.size() > 1 ? find_command(two) : nullptr;
  const std::size_t taken = command != nullptr ? 2 : 1;
  if (command == nullptr) {
    // A word behind the name of a group is meant as one of its commands, unless it is an option or the group is one itself.
    const bool misspelt = is_group(first) && !is_command(first) && words.size() > 1 && words[1][0] != '-';
    command = misspelt ? nullptr : find_command(first);
    if (command == nullptr && misspelt) return unknown_command(two);
  }
  if (asks_for_help(words.subspan(1)))
    return show_help(command == nullptr || (taken == 1 && is_group(first)) ? first : command->name);
  if (command == nullptr) return is_group(first) ? group_without_command(first) : unknown_command(std::string(first));
  return command->run({words.subspan(taken), argv, envp});
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
  if (name == "--help" || name == "-h") return show_help("");
  // Not a command for people: the process behind a session.
  if (name == "session-host" && words.size() == 2) return session_host_command({words.subspan(1), argv, envp});
  // Nor this: the one that serves a project's tools, inside.
  if (name == service::kParcelCommand) return fail_with(service::unpack_and_become(envp), Format::Text);
  if (name == service::kToolsCommand && words.size() > 2) return tools_command({words.subspan(1), argv, envp});
  // Nor this: a search of the tools, which needs a library.
  if (name == "grep-files" && words.size() == 2) return keeper_command({words.subspan(1), argv, envp});
  // Nor these: the process behind a task, and work of Studio's.
  if (name == service::kTaskCommand && words.size() == 2) return task_host_command({words.subspan(1), argv, envp});
  if (name == "studio-work" && words.size() == 1) return keeper_command({words.subspan(1), argv, envp});
  // Nor these: a repository noted before a run, and checked after it, inside.
  if (name == service::kNoteCommand && words.size() == 2) return note_command({words.subspan(1), argv, envp});
  if (name == "refs-check") return keeper_command({words.subspan(1), argv, envp});
  return run_words(words, argv, envp);
}

}  // namespace pale::cli
