#include <exception>
#include <string>

#include "cli/console.h"
#include "grep/search.h"
#include "keeper/commands.h"

namespace pale::keeper {
namespace {

Result<search::Answer> search_for(std::string_view text) {
  PALE_TRY(request, search::parse_request(text));
  try {
    return grep::run(request);
  } catch (const std::exception& error) {  // No thread could be started, or there is no memory.
    return fail(ErrorKind::System, "search:", error.what(), "allow more processes or memory");
  }
}

}  // namespace

// The request is its one word, the answer all it prints: an error is one, too.
int grep_command(const cli::CommandLine& line) {
  cli::print(search::to_text(search_for(line.words.empty() ? "" : line.words.front())));
  return 0;
}

}  // namespace pale::keeper
