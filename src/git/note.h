// git/note.h: a repository as it stands before a run, and what that run may change of it: what is compared when it has ended, and
// put back. As text it is a line of JSON about the run, a line about the repository, and the bytes of the indexes.
#pragma once

#include "git/read.h"

namespace pale::git {

enum class Mode { Permissive, Strict };

// What a run is about.
struct Terms {
  Path git_directory;
  Mode mode = Mode::Strict;
  std::vector<Path> folders;                           // relative to the repository; none: all of it
  std::optional<std::vector<std::string>> file_scope;  // patterns, as scope/file_scope.h has them
};

struct Snapshot {
  std::vector<Ref> refs;      // sorted
  std::vector<Held> indexes;  // sorted
  std::vector<Todo> todos;    // sorted
};
Result<Snapshot> take(const Path& git_directory);
// Equal for equal snapshots.
std::string to_text(const Snapshot& snapshot);
Result<Snapshot> parse_snapshot(std::string_view text);

struct Note {
  Terms terms;
  Snapshot before;
};
std::string to_text(const Terms& terms);  // its snapshot's text follows
Result<Terms> parse_terms(std::string_view note);
Result<Note> parse_note(std::string_view text);
// The part of a note's text that is its snapshot's.
std::string_view snapshot_of(std::string_view note) noexcept;

}  // namespace pale::git
