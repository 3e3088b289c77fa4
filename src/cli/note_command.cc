#include "cli/console.h"
#include "cli/program.h"
#include "service/ref_check.h"

namespace pale::cli {

int note_command(const CommandLine& line) {
  const auto noted = service::note_repository(line.words[0]);
  if (!noted) return fail_with(noted.error(), Format::Text);
  print(*noted);
  return 0;
}

}  // namespace pale::cli
