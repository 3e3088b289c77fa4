// refs/outside.h: whether two trees of a repository are the same outside some folders. Pure: what a tree holds is asked for.
#pragma once

#include <string>
#include <vector>

#include "base/path.h"

namespace pale::refs {

struct TreeEntry {
  std::string name;
  unsigned mode = 0;  // as git has it: 040000 a tree, 0160000 a commit of another repository
  std::string id;
  bool operator==(const TreeEntry&) const = default;
  bool is_tree() const noexcept { return (mode & 0170000U) == 0040000U; }
};

class Trees {
 public:
  virtual ~Trees() = default;
  // The tree with the id; the empty one, if that is empty.
  virtual Result<std::vector<TreeEntry>> entries(const std::string& tree) = 0;
};

// Most of what is shown of a difference.
inline constexpr std::size_t kMostPaths = 20;

// Paths outside the folders (relative to the repository) that are not the same in both trees, the first few of them. Looks no
// deeper than the folders lie, but to say what differs: whatever somebody puts into a tree costs no more than that.
Result<std::vector<std::string>> differences_outside(Trees& trees, const std::string& one, const std::string& other,
                                                     const std::vector<Path>& folders);

}  // namespace pale::refs
