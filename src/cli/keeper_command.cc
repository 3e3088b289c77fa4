#include "cli/console.h"
#include "cli/program.h"
#include "service/keeper.h"

namespace pale::cli {

// It reads the command line itself, against the same options (cli/keeper_options.h).
int keeper_command(const CommandLine& line) {
  print_error(service::become_keeper(line.argv, line.envp), Format::Text);
  return 125;
}

}  // namespace pale::cli
