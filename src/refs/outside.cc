#include "refs/outside.h"

#include <algorithm>
#include <string_view>

namespace pale::refs {
namespace {

constexpr std::size_t kDeepestShown = 32;
constexpr std::size_t kDeepest = 256;
constexpr std::size_t kMostCompared =
    20'000'000;  // entries: a tree may hold the same one many times, and that many others

using Names = std::vector<std::string_view>;

class Comparison {
 public:
  Comparison(Trees& trees, const std::optional<scope::FileScope>& files) : trees_(trees), files_(files) {}

  // Where two trees lie.
  struct Place {
    std::vector<Names> folders;  // what is left of their paths, here
    bool inside = false;         // one of them
    std::string prefix;
    std::size_t depth = 0;
  };
  Status compare(const std::string& one, const std::string& other, const Place& place) {
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
      if (++compared_ > kMostCompared) return fail(ErrorKind::Refused, "a tree holds too much to be checked:", other);
      PALE_CHECK(compare_entry(before, after, place));
    }
    return {};
  }

  std::vector<std::string> found;

 private:
  static bool is_tree_or_missing(const TreeEntry* entry) { return entry == nullptr || entry->is_tree(); }
  static bool is_file_or_missing(const TreeEntry* entry) { return entry == nullptr || is_regular(entry->mode); }
  static std::string id_of(const TreeEntry* entry) { return entry == nullptr ? std::string() : entry->id; }
  static std::string tree_of(const TreeEntry* entry) {
    return entry == nullptr || !entry->is_tree() ? std::string() : entry->id;
  }

  Status compare_entry(const TreeEntry* before, const TreeEntry* after, const Place& place) {
    if (before != nullptr && after != nullptr && *before == *after) return {};
    const std::string& name = before != nullptr ? before->name : after->name;
    Place below{{}, place.inside, place.prefix + name + "/", place.depth + 1};
    bool named = false;  // as one of the folders
    for (const Names& folder : place.folders) {
      if (folder.empty() || folder.front() != name) continue;
      named = named || folder.size() == 1;
      below.folders.emplace_back(folder.begin() + 1, folder.end());
    }
    below.inside = place.inside || named;
    const std::string path = place.prefix + name;
    const bool trees = is_tree_or_missing(before) && is_tree_or_missing(after);
    // What a folder holds is the run's business. That it is a folder, or a file, and no link to elsewhere, is not.
    const bool linked = named && !place.inside && !trees && !(is_file_or_missing(before) && is_file_or_missing(after));
    if (below.inside && !linked) return files_ ? compare_inside(before, after, below, path) : Status();
    if (trees && (!below.folders.empty() || place.depth < kDeepestShown)) {
      const std::size_t known = found.size();
      PALE_CHECK(compare(id_of(before), id_of(after), below));
      // A tree that holds nothing is no file, but a difference.
      if (below.folders.empty() && found.size() == known) found.push_back(path + "/");
      return {};
    }
    found.push_back(path);
    return {};
  }

  // In the folders, where the patterns have the say.
  Status compare_inside(const TreeEntry* before, const TreeEntry* after, const Place& below, const std::string& path) {
    if (below.depth > kDeepest) return fail(ErrorKind::Refused, "a tree lies too deep to be checked:", path);
    const bool trees = is_tree_or_missing(before) && is_tree_or_missing(after);
    if (!trees && !files_->allows(path)) found.push_back(path);
    return compare(tree_of(before), tree_of(after), below);
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
  const std::optional<scope::FileScope>& files_;
  std::size_t compared_ = 0;
};

}  // namespace

Result<std::vector<std::string>> differences_outside(Trees& trees, const std::string& one, const std::string& other,
                                                     const Allowed& allowed) {
  Comparison::Place top{{}, allowed.folders.empty(), "", 0};
  for (const Path& folder : allowed.folders) top.folders.push_back(folder.components());
  Comparison comparison(trees, allowed.files);
  PALE_CHECK(comparison.compare(one, other, top));
  return std::move(comparison.found);
}

}  // namespace pale::refs
