#include "tools/put.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>

#include "boundary/new_name.h"
#include "sys/file.h"
#include "sys/random.h"
#include "sys/unnamed.h"
#include "tools/checks.h"
#include "tools/refusal.h"

namespace pale::tools {
namespace {

constexpr unsigned kUsualMode = 0666;  // less what the umask takes away
constexpr std::size_t kLongestName = 255;

// Of a link: what it leads to. Links of /proc lead also to what has no name, or has none any more.
Result<std::string> target_of(const Call& call, const std::string& path) {
  const auto info = sys::file_info(call.root(), path.c_str());
  if (!info || info->kind != sys::FileKind::Symlink) return path;
  const auto fd = sys::open_at(call.root(), path.c_str(), O_PATH);
  if (!fd) return refuse(call, Operation::Write, path, fd.error());
  PALE_TRY(meant, sys::file_info(*fd));
  PALE_CHECK(check_kind(path, meant.kind));
  PALE_TRY(target, sys::path_of(*fd));
  const auto there = target.starts_with('/') ? sys::file_info(call.root(), target.c_str()) : sys::FileInfo{};
  if (there && there->same_file(meant)) return target;
  return fail(ErrorKind::Usage, path + ":", "it leads to a file that has no name here");
}

// While it is written nobody reads it who could not before.
unsigned first_mode(const sys::FileInfo& old) {
  return old.kind == sys::FileKind::File ? old.mode & 0600U : kUsualMode;
}

Status fill(const sys::Fd& fd, std::string_view content, const sys::FileInfo& old) {
  PALE_CHECK(sys::write_all(fd.borrow(), content));
  return old.kind == sys::FileKind::File ? sys::set_mode(fd, old.mode) : Status{};
}

Status write_new(int root, const std::string& name, std::string_view content, const sys::FileInfo& old) {
  PALE_TRY(fd, sys::open_at(root, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, first_mode(old)));
  return fill(fd, content, old);
}

// What is refused is told by the name that is meant, and a file without a name has none.
bool may_be_unnamed(const Call& call, const std::string& directory) {
  return explain(call.place.boundary, where_it_leads(call.place, directory), Operation::Write).allowed();
}

// It has a name only from when it is whole until it is renamed: a kill leaves that behind in this moment at most. Where it cannot
// be so, it has one from the beginning.
Status write_beside(const Call& call, const std::string& name, std::string_view content, const sys::FileInfo& old) {
  const int root = call.root();
  const std::size_t slash = name.find_last_of('/');
  const std::string directory = slash == std::string::npos ? "." : name.substr(0, slash + 1);
  if (!may_be_unnamed(call, directory)) return write_new(root, name, content, old);
  const auto fd = sys::open_unnamed(root, directory.c_str(), first_mode(old));
  if (!fd && sys::is_unsupported(fd.error())) return write_new(root, name, content, old);
  if (!fd) return fail(fd.error());
  PALE_CHECK(fill(*fd, content, old));
  const Status named = sys::give_name(*fd, root, name.c_str());
  return named || named.error().number == EEXIST ? named : write_new(root, name, content, old);
}

Status replace(const Call& call, const std::string& path, std::string_view content, const sys::FileInfo& old) {
  const int root = call.root();
  PALE_TRY(name, name_beside(path));
  Status done = write_beside(call, name, content, old);
  if (done) done = sys::rename_to(root, name.c_str(), root, path.c_str());
  if (!done && done.error().number != EEXIST) (void)sys::remove_file(root, name.c_str());
  return done;
}

bool may_be_about_the_directory(int number) {
  constexpr int kNumbers[] = {EROFS, EACCES, EPERM, EBUSY, EXDEV};
  return std::ranges::find(kNumbers, number) != std::end(kNumbers);
}

Status write_in_place(int root, const std::string& path, std::string_view content) {
  PALE_TRY(fd, sys::open_at(root, path.c_str(), O_WRONLY | O_TRUNC | O_NOCTTY));
  return sys::write_all(fd.borrow(), content);
}

// Where nothing may be renamed, whatever would be written beside it would stay there.
bool is_held(const Call& call, const std::string& target) {
  const Grant* grant = call.place.boundary.grant_for(where_it_leads(call.place, target));
  return grant != nullptr && grant->removal == Removal::Denied;
}

Status put_in_place(int root, const std::string& path, std::string_view content, const sys::FileInfo& old) {
  return old.kind == sys::FileKind::Missing ? write_new(root, path, content, old) : write_in_place(root, path, content);
}

}  // namespace

Status check_kind(const std::string& path, sys::FileKind kind) {
  if (!kChecked) return {};
  if (kind == sys::FileKind::Directory) return fail(ErrorKind::Usage, path + ":", "it is a directory");
  if (kind != sys::FileKind::Other) return {};
  return fail(ErrorKind::Usage, path + ":", "it is a device, a pipe or a socket, and no file");
}

Result<std::string> name_beside(const std::string& path) {
  PALE_TRY(unique, sys::make_uuid());
  const std::size_t end = path.find_last_not_of('/');
  const std::size_t slash = path.find_last_of('/', end);
  const std::string directory = slash == std::string::npos ? "" : path.substr(0, slash + 1);
  // Whoever watches tells it by the name that is meant.
  std::string name = path.substr(directory.size(), end + 1 - directory.size());
  name.resize(std::min(name.size(), kLongestName - kNewPrefix.size() - unique.size() - 1));
  return directory + std::string(kNewPrefix) + unique + "-" + name;
}

Result<Put> put_file(const Call& call, const std::string& path, std::string_view content) {
  PALE_TRY(target, target_of(call, path));
  const auto old = sys::file_info(call.root(), target.c_str());
  if (!old) return refuse(call, Operation::Write, path, old.error());
  PALE_CHECK(check_kind(path, old->kind));
  Put put{.created = old->kind == sys::FileKind::Missing};
  put.atomic = !is_held(call, target);
  Status done = put.atomic ? replace(call, target, content, *old) : put_in_place(call.root(), target, content, *old);
  if (!done && put.atomic && !put.created && may_be_about_the_directory(done.error().number)) {
    put.atomic = false;
    done = write_in_place(call.root(), target, content);
  }
  if (done) return put;
  Error error = refusal(call.place, put.created ? Operation::Create : Operation::Write, path, done.error());
  if (error.number == ENOENT && error.hint.empty()) error.hint = "make_directory makes the directory that it is in.";
  return fail(std::move(error));
}

}  // namespace pale::tools
