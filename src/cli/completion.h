// cli/completion.h: completion scripts, made from the table of commands.
#pragma once

#include <string>
#include <string_view>

namespace pale::cli {

// For bash, zsh or fish; empty for any other.
std::string completion_script(std::string_view shell);

}  // namespace pale::cli
