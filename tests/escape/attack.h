// tests/escape/attack.h: the program that attacks. It runs inside a sandbox, one subcommand an attack, and says of each thing
// it tried "NAME succeeded" or "NAME EROFS". It knows nothing of Pale.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pale::attack {

using Words = std::vector<std::string>;

struct Attack {
  std::string_view name;
  int (*run)(const Words& words);
};

// Prints how it went; -1 means errno.
void say(const std::string& what, long result);
// Ends the program: it was called in a way that attacks nothing.
[[noreturn]] void fail(const std::string& why);

std::vector<Attack> naming_attacks();     // names that must stay missing
std::vector<Attack> file_attacks();       // files that must stay as they are, or unknown
std::vector<Attack> message_attacks();    // other processes' sockets, memory, queues, keys
std::vector<Attack> kernel_attacks();     // the kernel's own interfaces
std::vector<Attack> load_attacks();       // too much of everything
std::vector<Attack> host_preparations();  // run on the host: start a program in a state of its own

}  // namespace pale::attack
