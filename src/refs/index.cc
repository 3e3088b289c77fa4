#include "refs/index.h"

#include <git2.h>

#include <algorithm>
#include <map>

#include "sys/file.h"

namespace pale::refs {
namespace {

constexpr std::size_t kLargestIndex = 512UL << 20U;

bool lies_in(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

bool is_outside(const git_index_entry& entry, const Allowed& allowed) {
  const std::string_view path = entry.path;
  const auto covers = [&](const Path& folder) {
    return lies_in(path, folder.text()) || (path == folder.text() && is_regular(entry.mode));
  };
  if (!allowed.folders.empty() && std::ranges::none_of(allowed.folders, covers)) return true;
  return allowed.files && !allowed.files->allows(path);
}

// By path and stage of a merge.
using Entries = std::map<std::pair<std::string, int>, const git_index_entry*>;
Entries entries_outside(git_index* index, const Allowed& allowed) {
  Entries entries;
  for (std::size_t at = 0; at < git_index_entrycount(index); ++at) {
    const git_index_entry* entry = git_index_get_byindex(index, at);
    if (is_outside(*entry, allowed)) entries[{entry->path, git_index_entry_stage(entry)}] = entry;
  }
  return entries;
}

bool same(const git_index_entry& one, const git_index_entry& other) {
  constexpr unsigned kMeant = GIT_INDEX_ENTRY_INTENT_TO_ADD | GIT_INDEX_ENTRY_SKIP_WORKTREE;
  return one.mode == other.mode && git_oid_equal(&one.id, &other.id) == 1 &&
         (one.flags & GIT_INDEX_ENTRY_VALID) == (other.flags & GIT_INDEX_ENTRY_VALID) &&
         (one.flags_extended & kMeant) == (other.flags_extended & kMeant);
}

Result<std::string> read_index(const Path& directory) {
  const Path file = directory / "index";
  PALE_TRY(info, sys::file_info(sys::kAbsolute, file.c_str()));
  if (info.kind == sys::FileKind::Missing) return std::string();
  if (info.kind != sys::FileKind::File) return fail(ErrorKind::Refused, "the index is no file:", file.text());
  return sys::read_file(sys::kAbsolute, file.c_str(), kLargestIndex);
}

}  // namespace

void IndexBefore::Free::operator()(git_index* index) const noexcept { git_index_free(index); }

Result<IndexBefore::Index> IndexBefore::open(const std::string& path) {
  git_index* index = nullptr;
  if (git_index_open(&index, path.c_str()) != 0) return library_error("the index cannot be read:", path);
  return Index(index);
}

Result<IndexBefore> IndexBefore::of_bytes(std::string bytes) {
  PALE_TRY(file, sys::make_memory_file("index", bytes));
  // Of no bytes at all it would be a broken one.
  const std::string path = bytes.empty() ? "/proc/self/fd/none" : "/proc/self/fd/" + std::to_string(file.borrow());
  PALE_TRY(index, open(path));
  return IndexBefore(std::move(bytes), std::move(file), std::move(index));
}

Result<IndexBefore> IndexBefore::of_commit(Repository& repository, const std::string& commit) {
  PALE_TRY(base, of_bytes({}));
  if (commit.empty()) return base;
  PALE_TRY(object, repository.peel(commit));
  PALE_TRY(found, repository.commit(object.id));
  git_oid id;
  git_tree* tree = nullptr;
  if (git_oid_fromstr(&id, found.tree.c_str()) != 0 || git_tree_lookup(&tree, repository.raw(), &id) != 0)
    return library_error("read the tree", found.tree);
  const int read = git_index_read_tree(base.index_.get(), tree);
  git_tree_free(tree);
  if (read != 0) return library_error("read the tree", found.tree);
  return base;
}

Result<std::vector<std::string>> IndexBefore::staged_outside(const Path& directory, const Allowed& allowed) const {
  PALE_TRY(now_bytes, read_index(directory));
  PALE_TRY(now, of_bytes(std::move(now_bytes)));
  const Entries old = entries_outside(index_.get(), allowed);
  const Entries current = entries_outside(now.index_.get(), allowed);
  std::vector<std::string> paths;
  const auto add = [&](const std::string& path) {
    if (paths.size() < kMostPaths && (paths.empty() || paths.back() != path)) paths.push_back(path);
  };
  for (const auto& [key, entry] : current) {
    const auto found = old.find(key);
    if (found == old.end() || !same(*found->second, *entry)) add(key.first);
  }
  for (const auto& [key, entry] : old) {
    if (!current.contains(key)) add(key.first);
  }
  return paths;
}

Status IndexBefore::put_back(const Path& directory, const Allowed& allowed) const {
  const Path file = directory / "index";
  const auto whole = [&] {
    return bytes_.empty() ? sys::remove_file(sys::kAbsolute, file.c_str())
                          : sys::replace_file(file.text(), bytes_, 0644, sys::Durability::OfDisk);
  };
  auto now = open(file.text());
  if (!now) return whole();
  std::vector<std::pair<std::string, int>> go;
  for (const auto& [key, entry] : entries_outside(now->get(), allowed)) go.push_back(key);
  Entries come = entries_outside(index_.get(), allowed);
  for (const auto& [path, stage] : go) {
    if (git_index_remove(now->get(), path.c_str(), stage) != 0) return library_error("unstage", path);
    // A link may stand where an allowed file was.
    const git_index_entry* was = git_index_get_bypath(index_.get(), path.c_str(), stage);
    if (was != nullptr) come[{path, stage}] = was;
  }
  for (const auto& [key, entry] : come) {
    if (git_index_add(now->get(), entry) != 0) return library_error("stage as it was", key.first);
  }
  if (git_index_write(now->get()) != 0) return library_error("write the index of", directory.text());
  PALE_TRY(left, staged_outside(directory, allowed));
  return left.empty() || bytes_.empty() ? Status() : whole();
}

}  // namespace pale::refs
