// stage/change.h: what a stage changes, as a value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pale::stage {

enum class EntryKind { Missing, File, Directory, Symlink, Special };  // Special: named pipes, sockets

struct EntryState {
  EntryKind kind = EntryKind::Missing;
  std::uint32_t mode = 0;  // permission bits, with setuid and the like
  std::uint64_t size = 0;
  bool operator==(const EntryState&) const = default;
};

enum class ChangeKind {
  Created,
  Changed,  // its contents, perhaps its mode too
  Deleted,
  Renamed,      // the same contents under another name
  Retyped,      // a file where a directory was, and the like
  ModeChanged,  // only its mode or its extended attributes
};

// What happened to the same path in the project since the stage began.
enum class Conflict { None, Changed, Created, Deleted };

struct Change {
  std::string path;  // relative to the project's root
  ChangeKind kind = ChangeKind::Changed;
  EntryState before;
  EntryState after;
  std::string from;  // Renamed: the path before
  Conflict conflict = Conflict::None;
  std::string executes;      // why something on the host would run it; empty: nothing would
  std::string protected_by;  // the rule because of which it can never be applied; empty: none
  bool operator==(const Change&) const = default;
};

using ChangeSet = std::vector<Change>;  // in the order of stands_before

std::string_view to_text(ChangeKind kind) noexcept;
std::string_view to_text(Conflict conflict) noexcept;
std::string_view to_text(EntryKind kind) noexcept;

// The order of a ChangeSet: a directory stands before what is in it, and all that before everything else.
bool stands_before(std::string_view left, std::string_view right) noexcept;
// Whole components: "lib" covers "lib/x", not "library".
bool covers(std::string_view above, std::string_view path) noexcept;

}  // namespace pale::stage
