// service/learn.h: from what a run did in a project, the least that it needs. Pure.
#pragma once

#include <string>
#include <vector>

#include "sandbox/sighting.h"

namespace pale::service {

struct Learnt {
  bool whole = false;                // names of the root itself were made or removed: no folder would do
  std::vector<std::string> folders;  // relative to the root, none in another; a file at the root may stand among them
  std::vector<std::string>
      read_only;                  // of them, those where nothing was changed; if it is the whole, what was only read
  std::vector<std::string> made;  // of them, those that the run made itself
  enum class Git { Unused, Read, Changed } git = Git::Unused;
  std::vector<std::string> reached;  // addresses
  std::vector<std::string> hosts;    // names, if a proxy saw them
  bool nothing() const noexcept { return !whole && folders.empty(); }
};

// Whether the directory that holds a name is needed for it, not only what has the name.
bool needs_directory(sandbox::Act act) noexcept;

Learnt learn_from(const Path& root, const std::vector<sandbox::Sighting>& sightings);

// A whole manifest that would have sufficed; `head` is its beginning.
std::string to_manifest(const Learnt& learnt, const std::string& head);

}  // namespace pale::service
