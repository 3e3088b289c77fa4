#include "service/scope_mount.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "project/here.h"
#include "project/root.h"
#include "service/mount_record.h"
#include "service/tree_compare.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/tree.h"

namespace pale::service {
namespace {

constexpr const char* kIncoming = ".pale-mount-new";  // a copy that is not yet whole
constexpr std::int64_t kPatience = 60'000;            // milliseconds
constexpr std::int64_t kTickMs = 12;                  // longer than the clock of files stands still

// The directory of a worker, for one at a time.
struct Worker {
  Path path;
  sys::Fd fd;

  static Result<Worker> open(const std::string& given) {
    PALE_TRY(full, project::from_here(given));
    PALE_TRY(path, project::leads_to(full));
    auto fd = sys::open_at(sys::kAbsolute, path.c_str(), O_RDONLY | O_DIRECTORY);
    if (!fd) {
      Error error = std::move(fd).error();
      error.kind = ErrorKind::NotFound;
      return fail(std::move(error).with_hint("mkdir -p " + shell_word(path.parent().text())));
    }
    PALE_TRY(lock, sys::lock_within(*fd, sys::LockKind::Exclusive, kPatience));
    if (lock == sys::Lock::Held)
      return fail(ErrorKind::Refused, "another process is changing", path.text(), "try again later");
    return Worker{std::move(path), std::move(*fd)};
  }

  // Through no link, and on no other mount: whatever a worker has put there in the meantime.
  Result<sys::Fd> open_in(const std::string& name, int flags) const {
    const long opened = sys::open_resolved(fd.borrow(), name.c_str(), flags | O_NOFOLLOW,
                                           RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
    if (opened < 0) return fail_errno(static_cast<int>(-opened), "open", (path / name).text());
    return sys::Fd(static_cast<int>(opened));
  }
};

Status make_parents(const Worker& worker, const std::string& name) {
  for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1)) {
    const std::string above = name.substr(0, slash);
    PALE_CHECK(sys::make_directory(worker.fd.borrow(), above.c_str(), 0755));
    PALE_CHECK(worker.open_in(above, O_PATH | O_DIRECTORY));
  }
  return {};
}

Result<MountedFolder> mount_one(const Worker& worker, const scope::Folder& folder) {
  PALE_TRY(there, sys::file_info(worker.fd.borrow(), folder.name.c_str()));
  if (there.kind != sys::FileKind::Missing)
    return fail(ErrorKind::Refused, "something is there already:", (worker.path / folder.name).text(),
                "pale scope unmount " + shell_word(folder.name) + " " + shell_word(worker.path.text()));
  PALE_CHECK(make_parents(worker, folder.name));
  PALE_CHECK(sys::copy_tree(sys::kAbsolute, folder.path.c_str(), worker.fd.borrow(), kIncoming));
  PALE_CHECK(sys::rename_to_free(worker.fd.borrow(), kIncoming, worker.fd.borrow(), folder.name.c_str()));
  PALE_TRY(copy, worker.open_in(folder.name, O_RDONLY | O_DIRECTORY));
  PALE_TRY(made, sys::file_info(copy));
  const std::uint64_t state = state_of_tree(copy);
  // Until the clock of files goes on: a change in the same moment would not be seen.
  PALE_CHECK(sys::wait_ready({}, kTickMs));
  return MountedFolder{folder.name, folder.path, made.device, made.inode, static_cast<std::uint64_t>(made.born_ns),
                       state};
}

// Those directories above a copy that hold nothing.
void remove_parents(const Worker& worker, std::string_view name) {
  for (std::size_t slash = name.rfind('/'); slash != std::string_view::npos; slash = name.rfind('/')) {
    name = name.substr(0, slash);
    if (!sys::remove_directory(worker.fd.borrow(), std::string(name).c_str())) return;
  }
}

Status take_away(const Worker& worker, const std::string& name) {
  PALE_CHECK(sys::remove_tree(worker.fd.borrow(), name.c_str()));
  remove_parents(worker, name);
  return {};
}

// What was mounted before one could not be.
void take_back(const Worker& worker, std::vector<MountedFolder>& mounted, std::size_t before) {
  (void)sys::remove_tree(worker.fd.borrow(), kIncoming);
  for (; mounted.size() > before; mounted.pop_back()) (void)take_away(worker, mounted.back().name);
  (void)write_mount_record(worker.path, mounted);
}

// As it was made, and not something that has taken its place.
Result<sys::Fd> open_copy(const Worker& worker, const MountedFolder& mounted) {
  PALE_TRY(copy, worker.open_in(mounted.name, O_RDONLY | O_DIRECTORY));
  PALE_TRY(info, sys::file_info(copy));
  const bool same = info.device == mounted.device && info.inode == mounted.inode &&
                    static_cast<std::uint64_t>(info.born_ns) == mounted.born_ns;
  if (same) return copy;
  return fail(ErrorKind::Refused, "this is not what was mounted there:", (worker.path / mounted.name).text(),
              "look at it, and remove it by hand");
}

Result<const MountedFolder*> find_mounted(const std::vector<MountedFolder>& mounted, const std::string& written,
                                          const Worker& worker) {
  const auto name = Path::parse(written);
  const auto is_meant = [&](const MountedFolder& each) {
    return name && (each.name == name->text() || each.source == *name);
  };
  const auto found = std::ranges::find_if(mounted, is_meant);
  if (found != mounted.end()) return &*found;
  return fail(ErrorKind::NotFound, "nothing of that name was mounted in " + worker.path.text() + ":", written,
              "name the folders as pale scope mount was given them");
}

}  // namespace

Status check_apart(const scope::Folders& folders, const Path& worker) {
  for (const scope::Folder& folder : folders.all) {
    if (folder.path.covers(worker) || worker.covers(folder.path))
      return fail(ErrorKind::Refused, "a folder cannot be mounted in itself, nor in a directory that holds it:",
                  folder.name + " in " + worker.text(), "name a directory outside of it");
  }
  return {};
}

// Without those that lie in another one.
std::vector<const scope::Folder*> outermost(const scope::Folders& folders) {
  std::vector<const scope::Folder*> all;
  for (const scope::Folder& folder : folders.all) {
    const auto holds = [&](const scope::Folder& other) {
      return other.path.covers(folder.path) && (other.path != folder.path || &other < &folder);
    };
    if (std::ranges::none_of(folders.all, holds)) all.push_back(&folder);
  }
  return all;
}

Status make_workers_directory(const Path& place) {
  if (auto made = sys::make_directory(sys::kAbsolute, place.c_str(), 0700); !made) {
    Error error = std::move(made).error();
    if (error.number == ENOENT) error.kind = ErrorKind::NotFound;
    return fail(std::move(error).with_hint("mkdir -p " + shell_word(place.parent().text())));
  }
  return {};
}

Result<std::vector<std::string>> mount_folders(const scope::Folders& folders, const std::string& directory) {
  PALE_TRY(full, project::from_here(directory));
  PALE_TRY(place, project::leads_to(full));
  PALE_CHECK(check_apart(folders, place));
  PALE_TRY(there, sys::file_info(sys::kAbsolute, place.c_str()));
  PALE_CHECK(make_workers_directory(place));
  PALE_TRY(worker, Worker::open(place.text()));
  PALE_TRY(mounted, read_mount_record(worker.fd));
  PALE_CHECK(sys::remove_tree(worker.fd.borrow(), kIncoming));
  const std::size_t before = mounted.size();
  for (const scope::Folder* folder : outermost(folders)) {
    auto made = mount_one(worker, *folder);
    Status noted;
    if (made) {
      mounted.push_back(std::move(*made));
      noted = write_mount_record(worker.path, mounted);
    }
    if (made && noted) continue;
    remove_parents(worker, folder->name);
    take_back(worker, mounted, before);
    if (there.kind == sys::FileKind::Missing) (void)sys::remove_directory(sys::kAbsolute, place.c_str());
    return std::unexpected(made ? std::move(noted).error() : std::move(made).error());
  }
  std::vector<std::string> names;
  for (std::size_t at = before; at < mounted.size(); ++at) names.push_back(mounted[at].name);
  return names;
}

Result<Unmounted> unmount_folders(const std::vector<std::string>& names, const std::string& directory,
                                  WithChanges with_changes) {
  PALE_TRY(worker, Worker::open(directory));
  PALE_TRY(mounted, read_mount_record(worker.fd));
  std::vector<MountedFolder> meant;
  Unmounted outcome;
  for (const std::string& written : names) {
    PALE_TRY(found, find_mounted(mounted, written, worker));
    if (std::ranges::find(meant, found->name, &MountedFolder::name) != meant.end()) continue;
    meant.push_back(*found);
    PALE_TRY(copy, open_copy(worker, *found));
    // What changed in the source meanwhile is no work of the worker's.
    if (state_of_tree(copy) == found->state) continue;
    PALE_TRY(differences, compare_trees(found->source, copy));
    for (const std::string& path : differences) outcome.changed.push_back(found->name + "/" + path);
  }
  if (!outcome.changed.empty() && with_changes == WithChanges::Refuse) return outcome;
  for (const MountedFolder& each : meant) {
    PALE_CHECK(take_away(worker, each.name));
    std::erase_if(mounted, [&](const MountedFolder& other) { return other.name == each.name; });
    PALE_CHECK(write_mount_record(worker.path, mounted));
    outcome.removed.push_back(each.name);
  }
  return outcome;
}

}  // namespace pale::service
