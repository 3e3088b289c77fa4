// stage/journal.h: what an apply or an undo does to the project, written down before it is done. A value; and its file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/path.h"

namespace pale::stage {

// One change of one name. Whatever comes or goes lies in a slot meanwhile: a name in the journal's workshop, the operation's
// number. So each is a single rename, which a kill finds done or not done.
enum class Action {
  Put,   // the slot's object goes to a name that is free
  Take,  // what stands there goes to the slot
  Swap,  // the two change places
  Mode,  // a directory's mode
};

struct Operation {
  Action action = Action::Swap;
  std::string path;             // below the target
  std::uint64_t old_inode = 0;  // Take, Swap: what stands there
  std::uint64_t new_inode = 0;  // Put, Swap: what lies in the slot
  std::int64_t old_modified_ns = 0;
  std::uint32_t old_mode = 0;  // Mode
  std::uint32_t new_mode = 0;
  std::int64_t newest_ns = 0;  // once it is done: when anything in the new object changed last
  bool operator==(const Operation&) const = default;
};

enum class Phase {
  Ready,      // all is written and on disk, nothing is done; from here on it is done to the end, or taken back
  TakenBack,  // it could not be done to the end; what was done is being taken back
  Performed,  // all is done but the tidying
  Recorded,   // history
};

struct Journal {
  std::uint64_t number = 0;
  Phase phase = Phase::Ready;
  std::string stage;         // that it was an apply of
  std::uint64_t undoes = 0;  // the one that it takes back; 0: it is an apply
  std::uint64_t undone_by = 0;
  std::int64_t seconds = 0;      // when
  std::string into;              // the stage that it changed; empty: the project
  Path target = Path::root();    // where that is: the project's root, or the stage's layer; not part of the file
  Path workshop = Path::root();  // the directory of slots while it is under way; on the target's own filesystem
  std::vector<Operation> operations;
  std::vector<std::string> paths;  // of the stage that are its no longer

  bool operator==(const Journal&) const = default;
};

std::string to_json(const Journal& journal);
Result<Journal> journal_from_json(const std::string& text);

// In the project's history, a directory each: "<number>/journal.json", and "<number>/slots" with what was there before.
Path directory_of(const Path& history, std::uint64_t number);
Path slots_of(const Path& history, std::uint64_t number);
// To disk, whole or not at all.
Status write_journal(const Path& history, const Journal& journal);
Result<std::optional<Journal>> read_journal(const Path& history, std::uint64_t number);
// The numbers there are, in order; also of those that never got ready.
Result<std::vector<std::uint64_t>> list_journals(const Path& history);

}  // namespace pale::stage
