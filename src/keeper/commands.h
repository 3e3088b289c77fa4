// keeper/commands.h: the commands that `pale` leaves to the keeper. What they are called and take stands in cli/commands.h.
#pragma once

#include "cli/commands.h"

namespace pale::keeper {

int project_delete_command(const cli::CommandLine& line);
int session_list_command(const cli::CommandLine& line);
int session_show_command(const cli::CommandLine& line);
int session_log_command(const cli::CommandLine& line);
int token_create_command(const cli::CommandLine& line);
int token_list_command(const cli::CommandLine& line);
int token_revoke_command(const cli::CommandLine& line);
int serve_command(const cli::CommandLine& line);
int studio_command(const cli::CommandLine& line);
// Not for people: what Studio has done in a process of its own.
int studio_work_command(const cli::CommandLine& line);
int mcp_command(const cli::CommandLine& line);
// Not for people: the tools' searches.
int grep_command(const cli::CommandLine& line);

}  // namespace pale::keeper
