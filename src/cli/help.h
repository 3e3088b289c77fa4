// cli/help.h: what `pale help` says.
#pragma once

#include <string>
#include <string_view>

namespace pale::cli {

// Of a command or a topic; of everything for an empty name; empty if there is no such thing.
std::string help_text(std::string_view name);
int show_help(std::string_view name);

}  // namespace pale::cli
