// keeper/refs_command.h: a command that is not for people: a repository that was noted before a run, checked after it.
#pragma once

#include "cli/commands.h"

namespace pale::keeper {

int refs_check_command(const cli::CommandLine& line);

}  // namespace pale::keeper
