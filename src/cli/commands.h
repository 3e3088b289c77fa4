// cli/commands.h: every command there is, once: what it is called, takes, does and says of itself. The program, its help and
// its completions are made from this.
#pragma once

#include <span>
#include <string_view>

#include "cli/arguments.h"

namespace pale::cli {

struct CommandLine {
  std::span<char* const> words;  // after the command's name
  char** argv;                   // of the whole program
  char** envp;
};

enum class Group { Work, Look, Stages, Scope, Projects, Tenants, Serving, Agents, Workers, Approvals, Yourself };

// What a completion offers for an operand.
enum class Operand { None, Id, Directory, File, Shell, Topic, Key };

struct Command {
  std::string_view name;      // "run", "project list"
  std::string_view operands;  // "[PATH]"
  Operand completes;
  Group group;
  std::string_view summary;
  std::span<const Option> (*options)();
  std::string_view text;  // paragraphs, then "\nExamples:\n"
  int (*run)(const CommandLine&);
};

std::span<const Command> commands();
// By its name or another one that people try ("init", "project info"); null if there is none.
const Command* find_command(std::string_view name);

// Those of `line` as the options say, and as many operands as `name` takes.
Result<Arguments> parse_for(std::string_view name, const CommandLine& line, std::size_t least, std::size_t most,
                            AfterDashes after = AfterDashes::Forbidden);

}  // namespace pale::cli
