#include "sys/tree.h"

#include <cerrno>

#include "sys/copy.h"
#include "sys/file.h"
#include "sys/process.h"

namespace pale::sys {
namespace {

// Each level holds two descriptors.
constexpr unsigned kDeepestCopy = 200;

class Copying {
 public:
  Copying(const char* top, Copy how) : top_(top), how_(how) {}

  Status copy(int from, const char* old_path, int to, const char* new_path, unsigned depth) const {
    PALE_TRY(info, file_info(from, old_path));
    switch (info.kind) {
      case FileKind::Directory: return copy_directory(from, old_path, to, new_path, info, depth);
      case FileKind::Symlink: {
        PALE_TRY(target, read_link(from, old_path));
        return make_symlink(target.c_str(), to, new_path);
      }
      case FileKind::File: return copy_file(from, old_path, to, new_path, info);
      default: break;
    }
    if (how_ == Copy::Usable) return {};
    return fail(ErrorKind::Refused, "a pipe, a socket or a device cannot be carried to another filesystem:", old_path,
                "remove it first, or leave it where it is");
  }

 private:
  Status copy_directory(int from, const char* old_path, int to, const char* new_path, const FileInfo& info,
                        unsigned depth) const {
    if (depth > kDeepestCopy)
      return fail(ErrorKind::Refused,
                  "more than " + std::to_string(kDeepestCopy) + " directories in one another are not copied:", top_,
                  "remove some of them first");
    PALE_TRY(source, open_at(from, old_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    PALE_CHECK(make_directory(to, new_path, how_ == Copy::Whole ? 0700 : 0755));
    PALE_TRY(target, open_at(to, new_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    PALE_TRY(entries, list_directory(source));
    for (const Entry& entry : entries) {
      PALE_CHECK(copy(source.borrow(), entry.name.c_str(), target.borrow(), entry.name.c_str(), depth + 1));
    }
    return how_ == Copy::Whole ? copy_look(target, info) : Status{};
  }

  Status copy_file(int from, const char* old_path, int to, const char* new_path, const FileInfo& info) const {
    const unsigned mode = how_ == Copy::Whole ? 0600U : info.mode & 0755U;
    PALE_TRY(source, open_at(from, old_path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    PALE_TRY(target, open_at(to, new_path, O_WRONLY | O_CREAT | O_EXCL, mode));
    auto copied = copy_contents(source, target);
    if (copied && how_ == Copy::Whole) copied = copy_look(target, info);
    if (!copied) copied.error().subject = old_path;
    return copied;
  }

  static Status copy_look(const Fd& target, const FileInfo& info) {
    PALE_CHECK(set_mode(target, info.mode));
    return set_modified(target, info.modified_ns);
  }

  const char* top_;
  Copy how_;
};

// Deeper than this a directory is moved up before it is looked into: each level holds a descriptor, and whoever made the tree
// may have made more levels than there are descriptors.
constexpr unsigned kDeepest = 64;

// Of what is there now, and of nothing that it leads to.
void open_to_owner(int directory, const char* path) {
  const auto fd = open_at(directory, path, O_PATH | O_DIRECTORY | O_NOFOLLOW);
  if (fd) (void)sys::open_to_owner(*fd);
}

// The whole of it, as deep as it is copied.
void open_all_to_owner(int directory, const char* path, unsigned depth = 0) {
  const auto place = open_at(directory, path, O_PATH | O_NOFOLLOW);
  const auto info = place ? file_info(*place) : FileInfo{};
  if (!info || info->owner != user_id()) return;
  if (info->kind == FileKind::File && (info->mode & 0400U) == 0) (void)set_mode_of(*place, info->mode | 0400U);
  if (info->kind != FileKind::Directory || depth > kDeepestCopy) return;
  (void)sys::open_to_owner(*place);
  const auto open = open_at(place->borrow(), ".", O_RDONLY | O_DIRECTORY);
  const auto entries = open ? list_directory(*open) : std::vector<Entry>();
  if (!entries) return;
  for (const Entry& entry : *entries) open_all_to_owner(open->borrow(), entry.name.c_str(), depth + 1);
}

// Another may be removing the same at this moment: what it was faster with is removed.
Status removed_by_anyone(Status removed) {
  if (!removed && removed.error().number == ENOENT) return {};
  return removed;
}

class Removal {
 public:
  Removal(const Fd& top, std::uint64_t& removed) : top_(top), removed_(removed) {}

  Status run() {
    do {
      moved_up_ = false;
      PALE_TRY(again, open_at(top_.borrow(), ".", O_RDONLY | O_DIRECTORY));
      PALE_CHECK(empty(again, 1));
    } while (moved_up_);
    return {};
  }

 private:
  Status empty(const Fd& directory, unsigned depth) {
    PALE_TRY(entries, list_directory(directory));
    for (const Entry& entry : entries)
      PALE_CHECK(removed_by_anyone(remove(directory.borrow(), entry.name.c_str(), depth)));
    return {};
  }

  Status remove(int directory, const char* name, unsigned depth) {
    PALE_TRY(info, file_info(directory, name));
    if (info.kind == FileKind::Missing) return {};
    if (info.kind != FileKind::Directory) return counted(remove_file(directory, name));
    if ((info.mode & 0700U) != 0700U) open_to_owner(directory, name);
    if (depth > kDeepest) return move_up(directory, name);
    {
      PALE_TRY(fd, open_at(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
      PALE_CHECK(empty(fd, depth + 1));
    }
    return counted(remove_directory(directory, name));
  }

  Status counted(Status gone) {
    if (gone) ++removed_;
    return gone;
  }

  Status move_up(int directory, const char* name) {
    for (;;) {
      const std::string up = "deep-" + std::to_string(++number_);
      auto moved = rename_to_free(directory, name, top_.borrow(), up.c_str());
      if (!moved && moved.error().number == EEXIST) continue;
      moved_up_ = moved_up_ || moved;
      return moved;
    }
  }

  const Fd& top_;
  std::uint64_t& removed_;
  std::uint64_t number_ = 0;
  bool moved_up_ = false;
};

Status remove_whole(int directory, const char* path, std::uint64_t& removed) {
  PALE_TRY(info, file_info(directory, path));
  if (info.kind == FileKind::Missing) return {};
  if (info.kind != FileKind::Directory) return remove_file(directory, path);
  if ((info.mode & 0700U) != 0700U) open_to_owner(directory, path);
  {
    PALE_TRY(top, open_at(directory, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    PALE_CHECK(Removal(top, removed).run());
  }
  return remove_directory(directory, path);
}

}  // namespace

Status remove_tree(int directory, const char* path) {
  std::uint64_t nobody_asks = 0;
  return remove_tree(directory, path, nobody_asks);
}

Status remove_tree(int directory, const char* path, std::uint64_t& removed) {
  removed = 0;
  return removed_by_anyone(remove_whole(directory, path, removed));
}

Status copy_tree(int from, const char* old_path, int to, const char* new_path, Copy how) {
  return Copying(old_path, how).copy(from, old_path, to, new_path, 1);
}

Status move_tree(int from, const char* old_path, int to, const char* new_path) {
  auto moved = rename_to(from, old_path, to, new_path);
  if (!moved && moved.error().number == EACCES) {  // A directory's own entry "..", which changes, is kept by its mode.
    open_to_owner(from, old_path);
    moved = rename_to(from, old_path, to, new_path);
  }
  if (moved || moved.error().number != EXDEV) return moved;
  open_all_to_owner(from, old_path);
  if (auto copied = copy_tree(from, old_path, to, new_path); !copied) {
    (void)remove_tree(to, new_path);
    return copied;
  }
  return remove_tree(from, old_path);
}

Status set_mode_of(const Fd& place, unsigned mode) {
  return set_mode(kAbsolute, ("/proc/self/fd/" + std::to_string(place.borrow())).c_str(), mode);
}

std::optional<unsigned> open_to_owner(const Fd& directory) {
  const auto info = file_info(directory);
  if (!info || info->owner != user_id() || (info->mode & 0700U) == 0700U) return std::nullopt;
  if (!set_mode_of(directory, info->mode | 0700U)) return std::nullopt;
  return info->mode;
}

}  // namespace pale::sys
