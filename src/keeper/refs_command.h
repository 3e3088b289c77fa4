// keeper/refs_command.h: commands that are not for people: a repository noted before a run, and checked after it.
#pragma once

#include "cli/commands.h"

namespace pale::keeper {

int refs_note_command(const cli::CommandLine& line);
int refs_check_command(const cli::CommandLine& line);

}  // namespace pale::keeper
