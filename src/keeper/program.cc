#include "keeper/program.h"

#include <string>
#include <string_view>

#include "cli/console.h"
#include "keeper/commands.h"
#include "keeper/refs_command.h"
#include "proxy/program.h"
#include "service/keeper.h"

namespace pale::keeper {
namespace {

struct Entry {
  std::string_view name;
  int (*run)(const cli::CommandLine&);
};
constexpr Entry kCommands[] = {
    {"project delete", project_delete_command},
    {"session list", session_list_command},
    {"session show", session_show_command},
    {"session log", session_log_command},
    {"token create", token_create_command},
    {"token list", token_list_command},
    {"token revoke", token_revoke_command},
    {"serve", serve_command},
    {"studio", studio_command},
    {"studio-work", studio_work_command},
    {"mcp", mcp_command},
    {"grep-files", grep_command},
    {"refs-check", refs_check_command},
    {"network-proxy", [](const cli::CommandLine& line) { return proxy::run_proxy(line.envp); }},
};

}  // namespace

// The words are those that `pale` was given, and it has found the command in them already.
int run_program(int argc, char** argv, char** envp) {
  const std::span<char* const> words(argv, argc > 0 ? static_cast<std::size_t>(argc) : 0);
  for (const Entry& command : kCommands) {
    const std::size_t count = command.name.find(' ') == std::string_view::npos ? 1 : 2;
    if (words.size() <= count) continue;
    const std::string name = std::string(words[1]) + (count == 2 ? " " + std::string(words[2]) : "");
    if (name == command.name) return command.run({words.subspan(1 + count), argv, envp});
  }
  return cli::fail_with(
      {ErrorKind::Usage, 0, "this is no command of the keeper:", words.size() > 1 ? words[1] : "", "pale help", {}},
      cli::Format::Text);
}

}  // namespace pale::keeper

namespace pale::service {

// The table of commands, which both programs have, leads to the other one's way of becoming this one. Nobody takes it here.
std::span<const char> keeper_image() { return {}; }

}  // namespace pale::service
