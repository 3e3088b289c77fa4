// refs/check.h: a repository noted before a run, and checked after it. Runs inside the run's boundary: what it reads an agent has
// written. Both sides speak JSON.
#pragma once

#include "refs/judge.h"

namespace pale::refs {

struct NoteRequest {
  Path git_directory;
  std::vector<Path> folders;  // relative to the repository
  enum class Mode { Permissive, Strict } mode = Mode::Strict;
};

// What check() is to be given afterwards: one line of JSON, and behind it the bytes of the index.
Result<std::string> note(const NoteRequest& request);

// Never fails: that it could not be checked is an answer, too. In strict mode what is refused was put back when this returns, unless
// it is only to look.
enum class Effect { Whole, LookOnly };
std::string check(std::string_view text, Effect effect);

}  // namespace pale::refs
