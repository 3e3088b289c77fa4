// refs/outside.h: whether two trees of a repository are the same outside of what a run may change. Pure: what a tree holds is asked
// for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/path.h"
#include "scope/file_scope.h"

namespace pale::refs {

// What a run may change: files in the folders that the patterns allow.
struct Allowed {
  std::vector<Path> folders;              // relative to the repository; one may be a file. None: all of it
  std::optional<scope::FileScope> files;  // nothing: all of them
};

// As git has modes: a file that is no link.
constexpr bool is_regular(unsigned mode) noexcept { return (mode & 0170000U) == 0100000U; }

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

// Paths that are not allowed and not the same in both trees, the first few of them. Without patterns it looks no deeper than the
// folders lie, but to say what differs: whatever somebody puts into a tree costs no more than that.
Result<std::vector<std::string>> differences_outside(Trees& trees, const std::string& one, const std::string& other,
                                                     const Allowed& allowed);

}  // namespace pale::refs
