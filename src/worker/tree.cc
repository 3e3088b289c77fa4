#include "worker/tree.h"

#include <algorithm>

#include "base/text.h"

namespace pale::worker {
namespace {

class Growth {
 public:
  Growth(const Zones& zones, const std::vector<Worker>& workers) : zones_(zones), workers_(workers) {}

  // Breadth first: where a worker stands first is where it stands highest, and all that can be below it is below it there.
  void grow(const std::string& name) {
    std::size_t next = tree_.size();
    add(name, Node::kNobody, 0);
    for (; next < tree_.size(); ++next) {
      tree_[next].ending = ending_of(next);
      if (tree_[next].ending != Ending::None || is_refused(tree_[next])) continue;
      for (const std::string& called : tree_[next].worker->file.allowed_workers)
        add(called, next, tree_[next].depth + 1);
    }
  }

  bool has(const std::string& name) const { return std::ranges::find(tree_, name, &Node::name) != tree_.end(); }
  Tree take() { return std::move(tree_); }

 private:
  void add(const std::string& name, std::size_t caller, std::size_t depth) {
    const auto found = std::ranges::find_if(workers_, [&](const Worker& each) { return each.file.name == name; });
    if (found == workers_.end()) {
      tree_.push_back({name, nullptr, caller, depth, {{}, {unknown(name)}}});
      return;
    }
    const Holding holding =
        caller == Node::kNobody ? offered_by(zones_) : Holding{Holder::Worker, tree_[caller].share.gets};
    tree_.push_back({name, &*found, caller, depth, share_of(holding, found->file, zones_)});
  }

  Refusal unknown(const std::string& name) const {
    std::vector<std::string_view> names;
    for (const Worker& each : workers_) names.push_back(each.file.name);
    const auto close = nearest(name, names);
    return {Code::NotFound, name, "There is no worker '" + name + "'",
            close ? "did you mean " + std::string(*close) + "?" : "pale worker list"};
  }

  Ending ending_of(std::size_t place) const {
    const Node& node = tree_[place];
    if (is_refused(node) || node.worker->file.allowed_workers.empty()) return Ending::None;
    if (node.depth >= zones_.max_depth) return Ending::Depth;
    for (std::size_t above = node.caller; above != Node::kNobody; above = tree_[above].caller) {
      if (is_same(tree_[above], node)) return Ending::Cycle;
    }
    const auto same = [&](const Node& other) { return is_same(other, node) && other.depth <= node.depth; };
    const auto here = tree_.begin() + static_cast<std::ptrdiff_t>(place);
    return std::any_of(tree_.begin(), here, same) ? Ending::Again : Ending::None;
  }

  static bool is_same(const Node& one, const Node& other) {
    return one.worker == other.worker && one.share == other.share;
  }

  const Zones& zones_;
  const std::vector<Worker>& workers_;
  Tree tree_;
};

bool is_called(const std::vector<Worker>& workers, const std::string& name) {
  return std::ranges::any_of(workers, [&](const Worker& worker) {
    return std::ranges::find(worker.file.allowed_workers, name) != worker.file.allowed_workers.end();
  });
}

}  // namespace

Tree grow_tree(const Zones& zones, const std::vector<Worker>& workers, const std::string& first, Rest rest) {
  Growth growth(zones, workers);
  if (!first.empty()) growth.grow(first);
  if (rest == Rest::Leave) return growth.take();
  // Those that nobody calls come first: the others stand below them.
  for (const Worker& worker : workers) {
    if (!is_called(workers, worker.file.name) && !growth.has(worker.file.name)) growth.grow(worker.file.name);
  }
  for (const Worker& worker : workers) {
    if (!growth.has(worker.file.name)) growth.grow(worker.file.name);
  }
  return growth.take();
}

std::vector<std::size_t> called_by(const Tree& tree, std::size_t caller) {
  std::vector<std::size_t> places;
  for (std::size_t place = 0; place < tree.size(); ++place) {
    if (tree[place].caller == caller) places.push_back(place);
  }
  return places;
}

bool is_refused(const Node& node) noexcept { return !node.share.lost.empty(); }

}  // namespace pale::worker
