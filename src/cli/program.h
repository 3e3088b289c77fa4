// cli/program.h: the program: finds the command, runs it, returns its exit code.
#pragma once

#include <span>
#include <string_view>

#include "cli/arguments.h"

namespace pale::cli {

inline constexpr std::string_view kVersion = "0.1.0";

int run_program(int argc, char** argv, char** envp);

struct CommandLine {
  std::span<char* const> words;  // after the command's name
  char** argv;                   // of the whole program
  char** envp;
};

int run_command(const CommandLine& line);
int shell_command(const CommandLine& line);
int explain_command(const CommandLine& line);
int doctor_command(const CommandLine& line);

std::span<const Option> run_options();
std::span<const Option> shell_options();
std::span<const Option> explain_options();
std::span<const Option> doctor_options();

}  // namespace pale::cli
