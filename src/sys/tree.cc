#include "sys/tree.h"

#include <cerrno>

#include "sys/copy.h"
#include "sys/file.h"

namespace pale::sys {
namespace {

Status copy_directory(int from, const char* old_path, int to, const char* new_path) {
  PALE_TRY(source, open_at(from, old_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  PALE_CHECK(make_directory(to, new_path, 0755));
  PALE_TRY(target, open_at(to, new_path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  PALE_TRY(entries, list_directory(source));
  for (const Entry& entry : entries) {
    PALE_CHECK(copy_tree(source.borrow(), entry.name.c_str(), target.borrow(), entry.name.c_str()));
  }
  return {};
}

}  // namespace

Status remove_tree(int directory, const char* path) {
  PALE_TRY(info, file_info(directory, path));
  if (info.kind == FileKind::Missing) return {};
  if (info.kind != FileKind::Directory) return remove_file(directory, path);
  // Somebody's program may have closed it to himself.
  if ((info.mode & 0700U) != 0700U) (void)set_mode(directory, path, 0700);
  {
    PALE_TRY(fd, open_at(directory, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    PALE_TRY(entries, list_directory(fd));
    for (const Entry& entry : entries) PALE_CHECK(remove_tree(fd.borrow(), entry.name.c_str()));
  }
  return remove_directory(directory, path);
}

Status copy_tree(int from, const char* old_path, int to, const char* new_path) {
  PALE_TRY(info, file_info(from, old_path));
  switch (info.kind) {
    case FileKind::Directory: return copy_directory(from, old_path, to, new_path);
    case FileKind::Symlink: {
      PALE_TRY(target, read_link(from, old_path));
      return make_symlink(target.c_str(), to, new_path);
    }
    case FileKind::File: {
      PALE_TRY(source, open_at(from, old_path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
      PALE_TRY(target, open_at(to, new_path, O_WRONLY | O_CREAT | O_EXCL, info.mode & 0755U));
      auto copied = copy_contents(source, target);
      if (!copied) copied.error().subject = old_path;
      return copied;
    }
    default: return {};  // Sockets, pipes and devices have no content to keep.
  }
}

Status move_tree(int from, const char* old_path, int to, const char* new_path) {
  auto moved = rename_to(from, old_path, to, new_path);
  if (moved || moved.error().number != EXDEV) return moved;
  PALE_CHECK(copy_tree(from, old_path, to, new_path));
  return remove_tree(from, old_path);
}

}  // namespace pale::sys
