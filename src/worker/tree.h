// worker/tree.h: who calls whom, and what each of them would get: from those that are called first down through
// allowed_workers. Nothing runs. Pure.
#pragma once

#include "worker/share.h"

namespace pale::worker {

struct Worker {
  WorkerFile file;
  std::string path;  // of its file: relative to the project, or as it was given
};

// Why nothing stands below a node although its worker calls others.
enum class Ending {
  None,
  Depth,  // delegation ends there
  Cycle,  // it stands above, with the same folders: what is below that comes again, until delegation ends
  Again,  // the same of a worker that stands elsewhere in the tree, no deeper
};

struct Node {
  static constexpr std::size_t kNobody = static_cast<std::size_t>(-1);

  std::string name;
  const Worker* worker;  // null if there is none of that name
  std::size_t caller;    // the place of its caller's node; kNobody: the user
  std::size_t depth;     // 0: called by the user
  Share share;
  Ending ending = Ending::None;
};

// A caller stands before those it calls; what one worker calls stands in the order of its file.
using Tree = std::vector<Node>;

// Of a project's workers, which outlive it, and of which no two have one name: from `first`, if it is not empty; then, if
// `rest`, from each that was not reached yet.
enum class Rest { Leave, Follow };
Tree grow_tree(const Zones& zones, const std::vector<Worker>& workers, const std::string& first, Rest rest);

// The places of the nodes that one calls; of those the user calls, for kNobody.
std::vector<std::size_t> called_by(const Tree& tree, std::size_t caller);
bool is_refused(const Node& node) noexcept;

}  // namespace pale::worker
