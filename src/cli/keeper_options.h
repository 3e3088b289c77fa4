// cli/keeper_options.h: the options of the commands that the keeper carries out. Here, because the program's help and
// completions show them, too.
#pragma once

#include <span>

#include "cli/arguments.h"

namespace pale::cli {

std::span<const Option> session_list_options();
std::span<const Option> session_show_options();
std::span<const Option> session_log_options();
std::span<const Option> token_create_options();
std::span<const Option> token_list_options();
std::span<const Option> token_revoke_options();
std::span<const Option> serve_options();
std::span<const Option> studio_options();

}  // namespace pale::cli
