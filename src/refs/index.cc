#include "refs/index.h"

#include <git2.h>

#include <algorithm>
#include <map>
#include <memory>

#include "refs/outside.h"
#include "refs/repository.h"
#include "sys/file.h"

namespace pale::refs {
namespace {

constexpr std::size_t kLargestIndex = 512UL << 20U;

struct Free {
  void operator()(git_index* index) const noexcept { git_index_free(index); }
};
using Index = std::unique_ptr<git_index, Free>;

Result<Index> open_index(const std::string& path) {
  git_index* index = nullptr;
  if (git_index_open(&index, path.c_str()) != 0) return library_error("the index cannot be read:", path);
  return Index(index);
}

// An index that lies in no file.
struct Remembered {
  sys::Fd file;
  Index index;
};
Result<Remembered> remembered(const std::string& bytes) {
  PALE_TRY(file, sys::make_memory_file("index", bytes));
  // Of no bytes at all it would be a broken one.
  const std::string path = bytes.empty() ? "/proc/self/fd/none" : "/proc/self/fd/" + std::to_string(file.borrow());
  PALE_TRY(index, open_index(path));
  return Remembered{std::move(file), std::move(index)};
}

bool is_outside(std::string_view path, const std::vector<Path>& folders) {
  return std::ranges::none_of(folders, [&](const Path& folder) {
    return path.starts_with(folder.text()) && path.size() > folder.text().size() && path[folder.text().size()] == '/';
  });
}

// By path and stage of a merge.
using Entries = std::map<std::pair<std::string, int>, const git_index_entry*>;
Entries entries_outside(git_index* index, const std::vector<Path>& folders) {
  Entries entries;
  for (std::size_t at = 0; at < git_index_entrycount(index); ++at) {
    const git_index_entry* entry = git_index_get_byindex(index, at);
    if (is_outside(entry->path, folders)) entries[{entry->path, git_index_entry_stage(entry)}] = entry;
  }
  return entries;
}

bool same(const git_index_entry& one, const git_index_entry& other) {
  constexpr unsigned kMeant = GIT_INDEX_ENTRY_INTENT_TO_ADD | GIT_INDEX_ENTRY_SKIP_WORKTREE;
  return one.mode == other.mode && git_oid_equal(&one.id, &other.id) == 1 &&
         (one.flags & GIT_INDEX_ENTRY_VALID) == (other.flags & GIT_INDEX_ENTRY_VALID) &&
         (one.flags_extended & kMeant) == (other.flags_extended & kMeant);
}

}  // namespace

Result<std::string> read_index(const Path& git_directory) {
  const Path file = git_directory / "index";
  PALE_TRY(info, sys::file_info(sys::kAbsolute, file.c_str()));
  if (info.kind == sys::FileKind::Missing) return std::string();
  if (info.kind != sys::FileKind::File) return fail(ErrorKind::Refused, "the index is no file:", file.text());
  PALE_TRY(opened, open_index(file.text()));
  return sys::read_file(sys::kAbsolute, file.c_str(), kLargestIndex);
}

Result<std::vector<std::string>> staged_outside(const Path& git_directory, const std::string& before,
                                                const std::vector<Path>& folders) {
  PALE_TRY(was, remembered(before));
  PALE_TRY(now_bytes, read_index(git_directory));
  PALE_TRY(now, remembered(now_bytes));
  const Entries old = entries_outside(was.index.get(), folders);
  const Entries current = entries_outside(now.index.get(), folders);
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

Status put_index_back(const Path& git_directory, const std::string& before, const std::vector<Path>& folders) {
  const Path file = git_directory / "index";
  const auto whole = [&] { return sys::replace_file(file.text(), before, 0644, sys::Durability::OfDisk); };
  PALE_TRY(was, remembered(before));
  auto now = open_index(file.text());
  if (!now) return before.empty() ? sys::remove_file(sys::kAbsolute, file.c_str()) : whole();
  std::vector<std::pair<std::string, int>> go;
  for (const auto& [key, entry] : entries_outside(now->get(), folders)) go.push_back(key);
  for (const auto& [path, stage] : go) {
    if (git_index_remove(now->get(), path.c_str(), stage) != 0) return library_error("unstage", path);
  }
  for (const auto& [key, entry] : entries_outside(was.index.get(), folders)) {
    if (git_index_add(now->get(), entry) != 0) return library_error("stage as it was", key.first);
  }
  if (git_index_write(now->get()) != 0) return library_error("write the index of", git_directory.text());
  PALE_TRY(left, staged_outside(git_directory, before, folders));
  return left.empty() || before.empty() ? Status() : whole();
}

}  // namespace pale::refs
