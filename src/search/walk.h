// search/walk.h: what is in one directory of a tree, but for what git ignores. No symlink is ever followed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "search/ignore.h"
#include "sys/fd.h"
#include "sys/file.h"

namespace pale::search {

enum class Ignored { Skip, Show };
enum class Hidden { Show, Skip };  // names that begin with a dot; .git is never shown

struct WalkOptions {
  Ignored ignored = Ignored::Skip;
  Hidden hidden = Hidden::Show;
  bool operator==(const WalkOptions&) const = default;
};

// The rules of one file, and of those that count where it is silent.
struct IgnoreLevel {
  std::string base;  // the directory it lies in, below the root; empty: the root
  IgnoreRules rules;
  const IgnoreLevel* above = nullptr;
};

// A directory of the tree that is still to be looked into.
struct Place {
  std::string path;                    // below the root; empty: the root
  const IgnoreLevel* rules = nullptr;  // of the directories above it
  unsigned depth = 0;
};
// Each level on the way holds a descriptor; further down nobody looks.
inline constexpr unsigned kDeepestPlace = 250;

struct Listing {
  sys::Fd directory;
  std::vector<std::string> files;  // names; what is neither file nor directory is left out
  std::vector<std::string> directories;
  // For what lies beneath. `own` belongs to this directory, and must live as long as anybody works beneath it.
  const IgnoreLevel* rules = nullptr;
  std::vector<std::unique_ptr<const IgnoreLevel>> own;
};

// `name` in `parent` is the place; "." for the root in itself.
Result<Listing> list(const sys::Fd& parent, const std::string& name, const Place& place, const WalkOptions& options);

// A directory or file that somebody named, and the rules of all directories on the way to it. It is shown although it may be
// ignored itself: whoever names it wants it.
struct Start {
  sys::Fd parent;
  std::string name;  // in there
  Place place;
  EntryKind kind = EntryKind::Directory;
  std::vector<std::unique_ptr<const IgnoreLevel>> own;
};
Result<Start> start_at(const sys::Fd& root, std::string_view path, const WalkOptions& options);

std::string joined(std::string_view directory, std::string_view name);
// As a tree is printed: what lies in a directory stands together.
bool path_before(std::string_view left, std::string_view right) noexcept;

}  // namespace pale::search
