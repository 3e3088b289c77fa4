// search/find.h: the files of a tree whose paths match a pattern, but for what git ignores.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "search/glob.h"
#include "search/walk.h"

namespace pale::search {

struct FindOptions {
  std::string below;          // only in this directory of the tree; patterns are about paths from there
  std::vector<Glob> without;  // neither these, nor what lies in them
  WalkOptions walk;
  std::size_t most = 1000;              // paths that are returned
  std::uint64_t most_seen = 5'000'000;  // files and directories that are looked at
};

struct Found {
  std::vector<std::string> paths;  // below the root, in the order of a tree
  bool more = false;               // there are further ones
  std::uint64_t unread = 0;        // directories that could not be looked into
};

Result<Found> find_files(const sys::Fd& root, const Glob& glob, const FindOptions& options);

}  // namespace pale::search
