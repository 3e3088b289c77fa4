#include "project/root.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

#include "sys/file.h"

namespace pale::project {
namespace {

// Of these neither the directory nor anything inside can be a workspace. A project under /opt, /srv, /var or /mnt is one.
constexpr std::string_view kWholly[] = {"/bin",    "/boot", "/dev", "/etc",  "/lib", "/lib32", "/lib64",
                                        "/libx32", "/proc", "/run", "/sbin", "/sys", "/usr"};
// Of these only the directory itself: they hold other people's things.
constexpr std::string_view kItself[] = {"/",    "/home", "/media", "/mnt",     "/opt",    "/root",
                                        "/srv", "/tmp",  "/var",   "/var/lib", "/var/tmp"};

std::unexpected<Error> refuse(const std::string& what, const Path& path, std::string hint) {
  return fail(ErrorKind::Refused, what, path.text(), std::move(hint));
}

Result<sys::Fd> open_directory(const std::string& given) {
  auto fd = sys::open_at(sys::kHere, given.c_str(), O_RDONLY | O_DIRECTORY);
  if (fd) return fd;
  Error error = std::move(fd).error();
  error.kind = ErrorKind::NotFound;
  error.subject = given;
  if (error.number == ENOENT) {
    error.operation = "no such project root:";
    error.hint = "mkdir -p '" + given + "'";
  } else if (error.number == ENOTDIR) {
    error.operation = "a project root must be a directory:";
    error.hint = "give the directory that holds it";
  } else {
    error.operation = "this project root cannot be read:";
    error.hint = "ls -ld '" + given + "'";
  }
  return std::unexpected(std::move(error));
}

// Then it is resolved already.
bool leads_through_no_link(const Path& path) {
  const sys::Fd fd(sys::open_resolved(sys::kHere, path.c_str(), O_RDONLY | O_DIRECTORY, RESOLVE_NO_SYMLINKS));
  return fd.is_open();
}

Result<Path> resolve(const std::string& given) {
  PALE_TRY(fd, open_directory(given));
  PALE_TRY(text, sys::path_of(fd));
  return Path::parse(text);
}

Status check_place(const Path& path, const Path& user_home, const Path& pale_home) {
  const std::string hint = "choose a directory of its own, such as " + (user_home / "project").text();
  for (const std::string_view place : kItself) {
    if (path.text() == place) return refuse("this directory is too much for a project root:", path, hint);
  }
  for (const std::string_view place : kWholly) {
    if (Path::literal(place).covers(path)) return refuse("a system directory cannot be a project root:", path, hint);
  }
  if (path.covers(user_home)) return refuse("the home directory itself cannot be a project root:", path, hint);
  if (path.covers(pale_home) || pale_home.covers(path)) {
    return refuse("Pale's own directory cannot be in a project, nor a project in it:", path, hint);
  }
  return {};
}

}  // namespace

Result<Root> resolve_root(const std::string& given, const Path& user_home, const Path& pale_home) {
  if (given.empty()) return fail(ErrorKind::Usage, "the project root is empty", "", "--project-root DIR");
  const auto as_given = Path::parse(given);
  const bool absolute = as_given && as_given->is_absolute();
  PALE_TRY(path, absolute && leads_through_no_link(*as_given) ? *as_given : resolve(given));
  PALE_CHECK(check_place(path, user_home, pale_home));
  return Root{path, absolute && *as_given != path};
}

}  // namespace pale::project
