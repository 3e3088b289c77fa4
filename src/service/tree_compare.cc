#include "service/tree_compare.h"

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/hash.h"
#include "sys/file.h"

namespace pale::service {
namespace {

using sys::FileKind;

constexpr std::size_t kMost = 100;
constexpr unsigned kDeepest = 200;  // each level holds two descriptors
constexpr std::size_t kPiece = 32768;

class Comparison {
 public:
  explicit Comparison(std::uint64_t mount) : mount_(mount) {}

  Status directories(const sys::Fd& original, const sys::Fd& copy, const std::string& below, unsigned depth) {
    PALE_TRY(here, sys::file_info(copy));
    if (here.mount != mount_)
      return fail(ErrorKind::Refused, "something is mounted in the copy:", below, "unmount it first");
    std::vector<std::string> names;
    for (const sys::Fd* each : {&original, &copy}) {
      PALE_TRY(found, sys::list_directory(*each));
      for (sys::Entry& entry : found) names.push_back(std::move(entry.name));
    }
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    for (const std::string& name : names) {
      PALE_CHECK(entries(original, copy, name, below.empty() ? name : below + "/" + name, depth));
    }
    return {};
  }

  std::vector<std::string> different;

 private:
  Status entries(const sys::Fd& original, const sys::Fd& copy, const std::string& name, const std::string& path,
                 unsigned depth) {
    PALE_TRY(before, sys::file_info(original.borrow(), name.c_str()));
    PALE_TRY(now, sys::file_info(copy.borrow(), name.c_str()));
    if (before.kind == FileKind::Other && now.kind == FileKind::Missing) return {};
    bool same = before.kind == now.kind;
    if (same && now.kind == FileKind::Directory) return deeper(original, copy, name, path, depth);
    if (same && now.kind == FileKind::Symlink) same = same_link(original, copy, name);
    if (same && now.kind == FileKind::File)
      same = before.size == now.size && ((before.mode ^ now.mode) & 0100U) == 0 && same_content(original, copy, name);
    if (!same) note(path);
    return {};
  }

  Status deeper(const sys::Fd& original, const sys::Fd& copy, const std::string& name, const std::string& path,
                unsigned depth) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
    const auto before = sys::open_at(original.borrow(), name.c_str(), kFlags);
    const auto now = sys::open_at(copy.borrow(), name.c_str(), kFlags);
    if (before && now && depth < kDeepest) return directories(*before, *now, path, depth + 1);
    note(path);
    return {};
  }

  void note(const std::string& path) {
    if (different.size() < kMost) different.push_back(path);
  }

  static bool same_link(const sys::Fd& original, const sys::Fd& copy, const std::string& name) {
    const auto before = sys::read_link(original.borrow(), name.c_str());
    const auto now = sys::read_link(copy.borrow(), name.c_str());
    return before && now && *before == *now;
  }

  static bool same_content(const sys::Fd& original, const sys::Fd& copy, const std::string& name) {
    constexpr int kFlags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;
    const auto before = sys::open_at(original.borrow(), name.c_str(), kFlags);
    const auto now = sys::open_at(copy.borrow(), name.c_str(), kFlags);
    if (!before || !now) return false;
    std::array<char, kPiece> left;
    std::array<char, kPiece> right;
    for (std::uint64_t at = 0;;) {
      const std::size_t got = sys::read_at(*before, at, left);
      if (got != sys::read_at(*now, at, right) || !std::equal(left.begin(), left.begin() + got, right.begin()))
        return false;
      if (got == 0) return true;
      at += got;
    }
  }

  std::uint64_t mount_;
};

void add_state(Hash& hash, const sys::Fd& directory, unsigned depth) {
  auto entries = sys::list_directory(directory);
  if (!entries || depth > kDeepest) return;
  std::ranges::sort(*entries, {}, &sys::Entry::name);
  for (const sys::Entry& entry : *entries) {
    const auto info = sys::file_info(directory.borrow(), entry.name.c_str());
    if (!info) continue;
    hash.add(entry.name).add(static_cast<std::uint64_t>(info->kind)).add(info->inode).add(info->size).add(info->mode);
    hash.add(static_cast<std::uint64_t>(info->modified_ns)).add(static_cast<std::uint64_t>(info->changed_ns));
    if (info->kind != FileKind::Directory) continue;
    const auto below = sys::open_at(directory.borrow(), entry.name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (below) add_state(hash, *below, depth + 1);
  }
}

}  // namespace

std::uint64_t state_of_tree(const sys::Fd& directory) {
  Hash hash;
  // By a descriptor of its own: a listing goes on where the last one through the same ended.
  if (const auto own = sys::open_at(directory.borrow(), ".", O_RDONLY | O_DIRECTORY)) add_state(hash, *own, 1);
  return hash.value();
}

Result<std::vector<std::string>> compare_trees(const Path& original, const sys::Fd& copy) {
  PALE_TRY(info, sys::file_info(copy));
  auto source = sys::open_at(sys::kAbsolute, original.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  // Then the copy is all that is left.
  if (!source && source.error().number == ENOENT) return std::vector<std::string>{"."};
  if (!source) return fail(std::move(source).error());
  Comparison comparison(info.mount);
  PALE_CHECK(comparison.directories(*source, copy, "", 1));
  return std::move(comparison.different);
}

}  // namespace pale::service
