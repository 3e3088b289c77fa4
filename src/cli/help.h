// cli/help.h: what `pale help` says.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace pale::cli {

// Of a command, a group of commands or a topic; of everything for an empty name; empty if there is no such thing.
std::string help_text(std::string_view name);
int show_help(std::string_view name);

// Whether it is the first word of several commands: "project".
bool is_group(std::string_view word);
// Whether it is one by itself: "loop", beside "loop init".
bool is_command(std::string_view name);

struct Topic {
  std::string_view name;
  std::string_view summary;
  std::string_view text;
};
std::span<const Topic> topics();

}  // namespace pale::cli
