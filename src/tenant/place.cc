#include "tenant/place.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <cerrno>

#include "sys/file.h"
#include "tenant/id.h"

namespace pale::tenant {
namespace {

// What stands in the way is named, with what it is.
Error in_the_way(int number, const sys::Fd& directory, const std::string& path) {
  Error error{ErrorKind::System, number, "open", path, {}};
  if (number != ELOOP && number != ENOTDIR && number != EXDEV) return error;
  const auto place = sys::path_of(directory);
  const std::string full = (place ? *place + "/" : "") + path;
  const std::string what = number == ELOOP ? "is, or leads through, a symbolic link" : "is not a directory";
  return {ErrorKind::Refused, 0, "this " + what + ", which Pale does not follow here:", full, "remove it"};
}

}  // namespace

Result<sys::Fd> open_beneath(const sys::Fd& directory, const std::string& path, int flags) {
  const long raw = sys::open_resolved(directory.borrow(), path.c_str(), flags | O_NONBLOCK,
                                      RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS);
  if (raw < 0) return fail(in_the_way(static_cast<int>(-raw), directory, path));
  return sys::Fd(raw);
}

Result<std::optional<std::string>> read_beneath(const sys::Fd& directory, const std::string& path) {
  auto file = open_beneath(directory, path, O_RDONLY);
  if (!file && file.error().number == ENOENT) return std::nullopt;
  if (!file) return std::unexpected(std::move(file).error());
  PALE_TRY(info, sys::file_info(*file));
  if (info.kind != sys::FileKind::File) return fail(ErrorKind::Refused, "this is no regular file:", path, "remove it");
  auto text = sys::read_all(*file, kMostText);
  if (!text) text.error().subject = path;
  return text;
}

Status write_new(const sys::Fd& directory, const std::string& name, std::string_view text) {
  (void)sys::remove_file(directory.borrow(), name.c_str());
  PALE_TRY(file, sys::open_at(directory.borrow(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  PALE_CHECK(sys::write_all(file.borrow(), text));
  return sys::flush(file);
}

Path projects_of(const Path& pale_home) { return pale_home / "projects"; }

Result<sys::Fd> open_project_directory(const Path& pale_home, const std::string& id) {
  PALE_CHECK(check_project_id(id));
  const auto none = [&] {
    return fail(ErrorKind::NotFound, "there is no managed project", "'" + id + "'", "pale project list");
  };
  auto projects = sys::open_at(sys::kAbsolute, projects_of(pale_home).c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!projects && projects.error().number == ENOENT) return none();
  if (!projects) return std::unexpected(std::move(projects).error());
  auto directory = open_beneath(*projects, id, O_RDONLY | O_DIRECTORY);
  if (!directory && directory.error().number == ENOENT) return none();
  return directory;
}

}  // namespace pale::tenant
