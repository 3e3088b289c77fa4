// cli/loop_table.h: the commands of loops; part of the table in cli/commands.cc.
#pragma once

#include "cli/commands.h"

namespace pale::cli {

int loop_command(const CommandLine& line);
int check_git_command(const CommandLine& line);
std::span<const Option> loop_options();
std::span<const Option> check_git_options();

inline constexpr Command kLoopCommands[] = {
    {"loop", "[FILE]", Operand::File, Group::Scope, "have an agent work through the stories of a prd.json",
     loop_options,
     "Takes them by priority and by what they depend on. Each run of the agent is inside a boundary; a story passes if "
     "the\n"
     "agent ends with 0, and so do the story's or the manifest's verify command and [hooks] validate, which run "
     "inside, "
     "too.\n"
     "FILE is marked as stories pass, and nothing else of it changes. With --parallel each story works in a stage of "
     "its\n"
     "own; those that are done are applied in order, and one that conflicts is run again on what came of that.\n"
     "Ctrl-C stops; the next pale loop goes on from there. Exit code 0: all stories pass; 1: some do not; 130: "
     "stopped.\n"
     "\nExamples:\n"
     "  pale loop\n"
     "  pale loop plan/prd.json --agent claude --network open --timeout 30m\n"
     "  pale loop --parallel 4 --max-iterations 20 -v\n"
     "  pale loop --workspace lib,src --workspace-mode strict\n",
     loop_command},
    {"scope check-git", "", Operand::None, Group::Scope, "whether what runs committed stays in the scope",
     check_git_options,
     "A run about some folders that may commit (git = \"commit\") is checked when it ends: a ref that leads to "
     "something\n"
     "outside goes back in strict mode, and what was refused is kept below refs/pale/refused. This does the same for "
     "runs\n"
     "that were killed before that; at what runs do that still live it only looks.\n"
     "Exit code 0: all is in the scope; 1: something is not (permissive); 3: it was refused.\n"
     "\nExamples:\n"
     "  pale scope check-git\n"
     "  pale scope check-git --project-root . --json\n",
     check_git_command},
};

}  // namespace pale::cli
