#include "refs/outside.h"

#include <algorithm>
#include <string_view>

namespace pale::refs {
namespace {

constexpr std::size_t kDeepestShown = 32;

using Names = std::vector<std::string_view>;

class Comparison {
 public:
  explicit Comparison(Trees& trees) : trees_(trees) {}

  // `folders`: what is left of their paths, here.
  Status compare(const std::string& one, const std::string& other, const std::vector<Names>& folders,
                 const std::string& prefix, std::size_t depth) {
    if (one == other) return {};
    PALE_TRY(left, sorted(one));
    PALE_TRY(right, sorted(other));
    auto at_left = left.begin();
    auto at_right = right.begin();
    while ((at_left != left.end() || at_right != right.end()) && found.size() < kMostPaths) {
      const bool takes_left = at_right == right.end() || (at_left != left.end() && at_left->name <= at_right->name);
      const bool takes_right = at_left == left.end() || (at_right != right.end() && at_right->name <= at_left->name);
      const TreeEntry* before = takes_left ? &*at_left++ : nullptr;
      const TreeEntry* after = takes_right ? &*at_right++ : nullptr;
      PALE_CHECK(compare_entry(before, after, folders, prefix, depth));
    }
    return {};
  }

  std::vector<std::string> found;

 private:
  static bool is_tree_or_missing(const TreeEntry* entry) { return entry == nullptr || entry->is_tree(); }
  static std::string id_of(const TreeEntry* entry) { return entry == nullptr ? std::string() : entry->id; }

  Status compare_entry(const TreeEntry* before, const TreeEntry* after, const std::vector<Names>& folders,
                       const std::string& prefix, std::size_t depth) {
    if (before != nullptr && after != nullptr && *before == *after) return {};
    const std::string& name = before != nullptr ? before->name : after->name;
    std::vector<Names> below;
    bool in_scope = false;
    for (const Names& folder : folders) {
      if (folder.empty() || folder.front() != name) continue;
      if (folder.size() == 1) in_scope = true;
      below.emplace_back(folder.begin() + 1, folder.end());
    }
    const bool trees = is_tree_or_missing(before) && is_tree_or_missing(after);
    // What it holds is the run's business. That it is a folder, and no link to elsewhere, is not.
    if (in_scope && trees) return {};
    const std::string path = prefix + name;
    if (trees && !in_scope && (!below.empty() || depth < kDeepestShown)) {
      const std::size_t known = found.size();
      PALE_CHECK(compare(id_of(before), id_of(after), below, path + "/", depth + 1));
      // A tree that holds nothing is no file, but a difference.
      if (below.empty() && found.size() == known) found.push_back(path + "/");
      return {};
    }
    found.push_back(path);
    return {};
  }

  // Git's own order is another for trees; and a name that stands twice is how a tree shows one thing and means another.
  Result<std::vector<TreeEntry>> sorted(const std::string& tree) {
    PALE_TRY(entries, trees_.entries(tree));
    std::ranges::sort(entries, {}, &TreeEntry::name);
    const auto twice = std::ranges::adjacent_find(entries, {}, &TreeEntry::name);
    if (twice != entries.end())
      return fail(ErrorKind::Refused, "a name stands twice in the tree " + tree + ":", twice->name);
    for (const TreeEntry& entry : entries) {
      const bool good = !entry.name.empty() && entry.name != "." && entry.name != ".." && entry.name != ".git" &&
                        !entry.name.contains('/');
      if (!good) return fail(ErrorKind::Refused, "git takes no such name in the tree " + tree + ":", entry.name);
    }
    return entries;
  }

  Trees& trees_;
};

}  // namespace

Result<std::vector<std::string>> differences_outside(Trees& trees, const std::string& one, const std::string& other,
                                                     const std::vector<Path>& folders) {
  std::vector<Names> names;
  names.reserve(folders.size());
  for (const Path& folder : folders) names.push_back(folder.components());
  Comparison comparison(trees);
  PALE_CHECK(comparison.compare(one, other, names, "", 0));
  return std::move(comparison.found);
}

}  // namespace pale::refs
