#include "keeper/refs_command.h"

#include <string>

#include "cli/console.h"
#include "refs/check.h"

namespace pale::keeper {
namespace {

constexpr std::size_t kPiece = 65536;

std::string whole_input() {
  std::string input;
  std::string piece(kPiece, '\0');
  while (const std::size_t got = cli::read_input(piece)) input.append(piece, 0, got);
  return input;
}

}  // namespace

int refs_check_command(const cli::CommandLine& line) {
  const bool looks = !line.words.empty() && std::string_view(line.words[0]) == "look";
  cli::print(refs::check(whole_input(), looks ? refs::Effect::LookOnly : refs::Effect::Whole));
  return 0;
}

}  // namespace pale::keeper
