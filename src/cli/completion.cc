#include "cli/completion.h"

#include <algorithm>
#include <vector>

#include "cli/console.h"
#include "cli/help.h"
#include "cli/program.h"
#include "service/agents.h"

namespace pale::cli {
namespace {

// What can stand behind an option or a command, as one word: a list of choices, or what only the shell can find.
enum class Source { Nothing, Words, Ids, Directories, Files };
struct Values {
  Source source = Source::Nothing;
  std::string words;
};

std::string join(const std::vector<std::string_view>& words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : " ") + std::string(word);
  return text;
}

std::string choices_of(std::string_view alternatives) {
  std::string words(alternatives);
  for (char& byte : words) {
    if (byte == '|') byte = ' ';
  }
  return words;
}

std::string agent_names() {
  std::vector<std::string_view> names;
  for (const project::BuiltInAdapter& agent : project::built_in_adapters())
    names.push_back(agent.file.substr(0, agent.file.rfind('.')));
  return join(names);
}

Values values_of(const Option& option) {
  if (option.value.find('|') != std::string_view::npos) return {Source::Words, choices_of(option.value)};
  if (option.value == "LEVEL") return {Source::Words, "discovery read_only workspace shell full"};
  if (option.name == "--agent") return {Source::Words, agent_names()};
  if (option.name == "-p") return {Source::Ids, ""};
  if (option.value == "DIR") return {Source::Directories, ""};
  if (option.value == "PATH" || option.value == "FILE") return {Source::Files, ""};
  return {};
}

std::string first_words() {
  std::vector<std::string_view> words = {"init"};
  for (const Command& command : commands()) {
    const std::string_view word = command.name.substr(0, command.name.find(' '));
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  }
  return join(words);
}

Values values_of(const Command& command) {
  std::vector<std::string_view> names;
  switch (command.completes) {
    case Operand::None: return {};
    case Operand::Id: return {Source::Ids, ""};
    case Operand::Directory: return {Source::Directories, ""};
    case Operand::File: return {Source::Files, ""};
    case Operand::Shell: return {Source::Words, choices_of(command.operands)};
    case Operand::Key: return {Source::Words, "agent history trust network hosts rw ro env"};
    case Operand::Topic: break;
  }
  for (const Topic& topic : topics()) names.push_back(topic.name);
  return {Source::Words, join(names) + " " + first_words()};
}

std::string second_words(std::string_view group) {
  std::vector<std::string_view> words;
  for (const Command& command : commands()) {
    if (command.name.starts_with(std::string(group) + " ")) words.push_back(command.name.substr(group.size() + 1));
  }
  return join(words);
}

std::vector<std::string_view> groups() {
  std::vector<std::string_view> found;
  for (const Command& command : commands()) {
    const std::string_view word = command.name.substr(0, command.name.find(' '));
    if (is_group(word) && std::ranges::find(found, word) == found.end()) found.push_back(word);
  }
  return found;
}

std::string option_names(const Command& command) {
  std::vector<std::string_view> names;
  for (const Option& option : command.options()) {
    if (!option.help.empty()) names.push_back(option.name);
  }
  return join(names);
}

// --- bash, and zsh through its compatibility ------------------------------------------------------------------------

std::string bash_words(const Values& values) {
  switch (values.source) {
    case Source::Nothing: return "COMPREPLY=()";
    case Source::Words: return "COMPREPLY=($(compgen -W '" + values.words + "' -- \"$cur\"))";
    case Source::Ids: return "COMPREPLY=($(compgen -W \"$(pale project list --ids 2>/dev/null)\" -- \"$cur\"))";
    case Source::Directories: return "COMPREPLY=($(compgen -d -- \"$cur\"))";
    case Source::Files: return "COMPREPLY=($(compgen -f -- \"$cur\"))";
  }
  return {};
}

std::string bash_options() {
  std::string text;
  std::vector<std::string_view> done;
  for (const Command& command : commands()) {
    for (const Option& option : command.options()) {
      if (option.value.empty() || std::ranges::find(done, option.name) != done.end()) continue;
      done.push_back(option.name);
      text += "    " + std::string(option.name) + ") " + bash_words(values_of(option)) + "; return ;;\n";
    }
  }
  return text;
}

std::string bash_commands() {
  std::string text;
  for (const Command& command : commands()) {
    const std::string pattern =
        command.name == "project init" ? "'project init'|init" : "'" + std::string(command.name) + "'";
    text += "    " + pattern + ") options='" + option_names(command) + "'\n      [[ $cur == -* ]] || " +
            bash_words(values_of(command)) + " ;;\n";
  }
  return text;
}

std::string bash_script() {
  std::string text =
      "# pale completion bash\n"
      "_pale() {\n"
      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} options='' "
      "word\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    if [[ $word == -- ]]; then compopt -o default 2>/dev/null; COMPREPLY=(); return; fi\n"
      "  done\n"
      "  if ((COMP_CWORD == 1)); then COMPREPLY=($(compgen -W '" +
      first_words() + " --help --version' -- \"$cur\")); return; fi\n";
  for (const std::string_view group : groups()) {
    text += "  if [[ $command == " + std::string(group) +
            " ]]; then\n"
            "    if ((COMP_CWORD == 2)); then COMPREPLY=($(compgen -W '" +
            second_words(group) +
            "' -- \"$cur\")); return; fi\n"
            "    command+=\" ${COMP_WORDS[2]}\"\n"
            "  fi\n";
  }
  text += "  case $prev in\n" + bash_options() + "  esac\n  case $command in\n" + bash_commands() +
          "  esac\n"
          "  if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"$options --help\" -- \"$cur\")); fi\n"
          "}\n";
  return text;
}

// --- fish -------------------------------------------------------------------------------------------------------------

std::string quoted(std::string_view text) {
  std::string result = "'";
  for (const char byte : text) result += byte == '\'' ? std::string("\\'") : std::string(1, byte);
  return result + "'";
}

std::string fish_values(const Values& values) {
  switch (values.source) {
    case Source::Nothing: return " -x";
    case Source::Words: return " -x -a " + quoted(values.words);
    case Source::Ids: return " -x -a '(pale project list --ids 2>/dev/null)'";
    case Source::Directories: return " -x -a '(__fish_complete_directories)'";
    case Source::Files: return " -r -F";
  }
  return {};
}

std::string fish_condition(std::string_view name) {
  const std::size_t space = name.find(' ');
  const std::string first(name.substr(0, space));
  if (name == "project init") return "'__fish_seen_subcommand_from init'";
  if (space == std::string_view::npos) return quoted("__fish_seen_subcommand_from " + first);
  return quoted("__fish_seen_subcommand_from " + first + "; and __fish_seen_subcommand_from " +
                std::string(name.substr(space + 1)));
}

std::string fish_script() {
  std::string text = "# pale completion fish\ncomplete -c pale -f\n";
  text += "complete -c pale -n __fish_use_subcommand -a " + quoted(first_words()) + "\n";
  for (const std::string_view group : groups()) {
    const std::string words = second_words(group);
    text +=
        "complete -c pale -n " +
        quoted("__fish_seen_subcommand_from " + std::string(group) + "; and not __fish_seen_subcommand_from " + words) +
        " -a " + quoted(words) + "\n";
  }
  for (const Command& command : commands()) {
    const std::string head = "complete -c pale -n " + fish_condition(command.name);
    if (const Values values = values_of(command); values.source != Source::Nothing)
      text += head + fish_values(values) + "\n";
    for (const Option& option : command.options()) {
      if (option.help.empty()) continue;
      const bool is_long = option.name.starts_with("--");
      text += head + (is_long ? " -l " : " -s ") + std::string(option.name.substr(is_long ? 2 : 1)) + " -d " +
              quoted(option.help);
      text += (option.value.empty() ? std::string() : fish_values(values_of(option))) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string completion_script(std::string_view shell) {
  if (shell == "bash") return bash_script() + "complete -F _pale pale\n";
  // zsh runs bash's own function.
  if (shell == "zsh")
    return "#compdef pale\nautoload -U +X bashcompinit && bashcompinit\n" + bash_script() + "complete -F _pale pale\n";
  if (shell == "fish") return fish_script();
  return {};
}

int completion_command(const CommandLine& line) {
  const auto arguments = parse_for("completion", line, 1, 1);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const std::string script = completion_script(arguments->operands.front());
  if (script.empty())
    return fail_with(
        {ErrorKind::Usage, 0, "there are no completions for", arguments->operands.front(), "bash, zsh or fish"},
        Format::Text);
  print(script);
  return 0;
}

}  // namespace pale::cli
