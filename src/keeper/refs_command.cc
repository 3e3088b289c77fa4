#include "keeper/refs_command.h"

#include <exception>
#include <string>

#include "cli/console.h"
#include "refs/check.h"

namespace pale::keeper {
namespace {

constexpr std::size_t kPiece = 65536;

// Its words: the mode, the git directory, the folders.
Result<std::string> note_of(const cli::CommandLine& line) {
  if (line.words.size() < 3) return fail(ErrorKind::Usage, "refs-note MODE GIT-DIRECTORY FOLDER…", "");
  PALE_TRY(git, Path::parse(line.words[1]));
  using Mode = refs::NoteRequest::Mode;
  refs::NoteRequest request{
      std::move(git), {}, std::string_view(line.words[0]) == "permissive" ? Mode::Permissive : Mode::Strict};
  for (const char* word : line.words.subspan(2)) {
    PALE_TRY(folder, Path::parse(word));
    request.folders.push_back(std::move(folder));
  }
  return refs::note(request);
}

std::string whole_input() {
  std::string input;
  std::string piece(kPiece, '\0');
  while (const std::size_t got = cli::read_input(piece)) input.append(piece, 0, got);
  return input;
}

}  // namespace

int refs_note_command(const cli::CommandLine& line) {
  const auto noted = note_of(line);
  if (!noted) return cli::fail_with(noted.error(), cli::Format::Text);
  cli::print(*noted);
  return 0;
}

int refs_check_command(const cli::CommandLine& line) {
  const bool looks = !line.words.empty() && std::string_view(line.words[0]) == "look";
  cli::print(refs::check(whole_input(), looks ? refs::Effect::LookOnly : refs::Effect::Whole));
  return 0;
}

}  // namespace pale::keeper
