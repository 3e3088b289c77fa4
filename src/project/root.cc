#include "project/root.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <cerrno>

#include "base/text.h"
#include "project/here.h"
#include "sys/file.h"

namespace pale::project {
namespace {

Result<sys::Fd> open_directory(const std::string& full, const std::string& given) {
  auto fd = sys::open_at(sys::kAbsolute, full.c_str(), O_RDONLY | O_DIRECTORY);
  if (fd) return fd;
  Error error = std::move(fd).error();
  error.kind = ErrorKind::NotFound;
  error.subject = given;
  if (error.number == ENOENT) {
    error.operation = "no such project root:";
    error.hint = "mkdir -p " + shell_word(given);
  } else if (error.number == ENOTDIR) {
    error.operation = "a project root must be a directory:";
    error.hint = "give the directory that holds it";
  } else {
    error.operation = "this project root cannot be read:";
    error.hint = "ls -ld " + shell_word(given);
  }
  return std::unexpected(std::move(error));
}

// Then it is resolved already.
bool leads_through_no_link(const Path& path) {
  const sys::Fd fd(sys::open_resolved(sys::kAbsolute, path.c_str(), O_RDONLY | O_DIRECTORY, RESOLVE_NO_SYMLINKS));
  return fd.is_open();
}

Result<Path> resolve(const std::string& full, const std::string& given) {
  PALE_TRY(fd, open_directory(full, given));
  PALE_TRY(text, sys::path_of(fd));
  return Path::parse(text);
}

}  // namespace

Result<Path> real_path(const Path& path) {
  if (path.is_root() || leads_through_no_link(path)) return path;
  const auto fd = sys::open_at(sys::kAbsolute, path.c_str(), O_PATH | O_DIRECTORY);
  if (!fd) {
    PALE_TRY(parent, real_path(path.parent()));
    return parent / path.name();
  }
  PALE_TRY(text, sys::path_of(*fd));
  return Path::parse(text);
}

Result<Path> leads_to(const std::string& full) {
  constexpr int kMostLinks = 40;  // as many as the kernel follows
  Path path = Path::root();
  std::string rest = full;
  for (int links = 0; !rest.empty();) {
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const std::string name = rest.substr(0, slash);
    rest.erase(0, slash + 1);
    if (name.empty() || name == ".") continue;
    if (name == "..") {
      path = path.parent();
      continue;
    }
    PALE_TRY(next, Path::parse(path.text() + "/" + name));
    PALE_TRY(info, sys::file_info(sys::kAbsolute, next.c_str()));
    if (info.kind != sys::FileKind::Symlink) {
      path = std::move(next);
      continue;
    }
    if (++links > kMostLinks) return fail_errno(ELOOP, "follow", full);
    PALE_TRY(target, sys::read_link(sys::kAbsolute, next.c_str()));
    if (target.starts_with('/')) path = Path::root();
    rest = target + "/" + rest;
  }
  return path;
}

Result<Root> resolve_root(const std::string& given, const Surroundings& surroundings) {
  if (given.empty()) return fail(ErrorKind::Usage, "the project root is empty", "", "--project-root DIR");
  PALE_TRY(full, from_here(given));
  const auto as_given = Path::parse(full);  // nothing if it goes up with ".."
  PALE_TRY(path, as_given && leads_through_no_link(*as_given) ? *as_given : resolve(full, given));
  PALE_CHECK(check_root(path, surroundings));
  return Root{path, as_given && *as_given != path};
}

}  // namespace pale::project
