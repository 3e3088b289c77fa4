#include "sandbox/watch.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <linux/un.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sandbox/resolve.h"
#include "sys/namespaces.h"

namespace pale::sandbox {
constexpr int kNone = -1;

enum class Role { MakeDirectory, Make, Open, OpenHow, Remove, MoveAway, MoveTo, Link, Attribute, OfDescriptor };

// Which arguments of a call name what. A directory argument of kNone: relative to the working directory.
struct NameArgument {
  int call;
  Role role;
  int directory;
  int path;
  int flags = kNone;  // Open: the open flags; Attribute: AT_SYMLINK_NOFOLLOW may stand here
};

namespace {

constexpr std::size_t kMostPath = 4096;
constexpr std::uint16_t kUnixFamily = 1;  // AF_UNIX

constexpr NameArgument kNames[] = {
#ifdef __x86_64__
    {SYS_open, Role::Open, kNone, 0, 1},
    {SYS_creat, Role::Open, kNone, 0, kNone},
    {SYS_mkdir, Role::MakeDirectory, kNone, 0},
    {SYS_mknod, Role::Make, kNone, 0},
    {SYS_symlink, Role::Make, kNone, 1},
    {SYS_link, Role::Link, kNone, 0},
    {SYS_link, Role::Make, kNone, 1},
    {SYS_rename, Role::MoveAway, kNone, 0},
    {SYS_rename, Role::MoveTo, kNone, 1},
    {SYS_unlink, Role::Remove, kNone, 0},
    {SYS_rmdir, Role::Remove, kNone, 0},
    {SYS_chmod, Role::Attribute, kNone, 0},
    {SYS_chown, Role::Attribute, kNone, 0},
    {SYS_lchown, Role::Attribute, kNone, 0},
    {SYS_utime, Role::Attribute, kNone, 0},
    {SYS_utimes, Role::Attribute, kNone, 0},
    {SYS_futimesat, Role::Attribute, 0, 1},
#endif
#ifdef SYS_renameat
    {SYS_renameat, Role::MoveAway, 0, 1},
    {SYS_renameat, Role::MoveTo, 2, 3},
#endif
    {SYS_bind, Role::Make, kNone, 1},
    {SYS_openat, Role::Open, 0, 1, 2},
    {SYS_openat2, Role::OpenHow, 0, 1, 2},
    {SYS_mkdirat, Role::MakeDirectory, 0, 1},
    {SYS_mknodat, Role::Make, 0, 1},
    {SYS_symlinkat, Role::Make, 1, 2},
    {SYS_linkat, Role::Link, 0, 1},
    {SYS_linkat, Role::Make, 2, 3},
    {SYS_renameat2, Role::MoveAway, 0, 1},
    {SYS_renameat2, Role::MoveTo, 2, 3},
    {SYS_unlinkat, Role::Remove, 0, 1},
    {SYS_fchmodat, Role::Attribute, 0, 1},
    {452 /* fchmodat2 */, Role::Attribute, 0, 1},
    {SYS_fchownat, Role::Attribute, 0, 1},
    {SYS_utimensat, Role::Attribute, 0, 1},
    {SYS_truncate, Role::Attribute, kNone, 0},
    {SYS_setxattr, Role::Attribute, kNone, 0},
    {SYS_lsetxattr, Role::Attribute, kNone, 0},
    {SYS_removexattr, Role::Attribute, kNone, 0},
    {SYS_lremovexattr, Role::Attribute, kNone, 0},
    {SYS_fchmod, Role::OfDescriptor, 0, kNone},
    {SYS_fchown, Role::OfDescriptor, 0, kNone},
    {SYS_fsetxattr, Role::OfDescriptor, 0, kNone},
    {SYS_fremovexattr, Role::OfDescriptor, 0, kNone},
    {463 /* setxattrat */, Role::Attribute, 0, 1},
    {466 /* removexattrat */, Role::Attribute, 0, 1},
};

int errno_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::ReadOnly: return EROFS;
    case Outcome::Denied: return EACCES;
    default: return 0;  // What does not exist inside, the kernel does not find either.
  }
}

int refusal(const Boundary& boundary, const Path& path, Operation operation) {
  return errno_of(outcome_of(boundary, path, operation));
}

// A name that leads to something held must stay what it is. That nothing may be removed is Landlock's to keep, and hinders nobody
// from making something, or giving it a second name.
int refuse_another(const Boundary& boundary, const Path& path) {
  const Grant* grant = boundary.grant_for(path);
  const bool kept = grant != nullptr && grant->removal == Removal::Denied;
  if (kept && outcome_of(boundary, path, Operation::Rename) == Outcome::Denied) return 0;
  return refusal(boundary, path, Operation::Rename);
}

// A name may become a directory above something protected, but never a file, a link or something moved there: that would
// bring its own contents along.
int refuse_making(const Boundary& boundary, const Path& path) {
  const int number = refusal(boundary, path, Operation::Create);
  return number != 0 ? number : refuse_another(boundary, path);
}

bool has_writing_flags(std::uint64_t flags) { return (flags & (O_ACCMODE | O_CREAT | O_TRUNC | 020000000)) != 0; }

int refuse_opening(const Boundary& boundary, const ResolvedName& name, std::uint64_t flags) {
  if (!has_writing_flags(flags)) return refusal(boundary, name.path, Operation::Read);
  // An unnamed file (O_TMPFILE) is made in an existing directory and gets its name by a later link.
  if (name.kind != sys::FileKind::Missing) return refusal(boundary, name.path, Operation::Write);
  return (flags & O_CREAT) == 0 ? 0 : refuse_making(boundary, name.path);
}

// Of which the kernel itself says that it exists: whoever makes all directories of a path depends on that.
bool is_known_name(const Boundary& boundary, const ResolvedName& name) {
  const Grant* grant = boundary.grant_for(name.path);
  return name.kind != sys::FileKind::Missing && grant != nullptr && grant->access == Access::List;
}

int refuse(const Boundary& boundary, Role role, const ResolvedName& name, std::uint64_t flags) {
  if ((role == Role::MakeDirectory || role == Role::Make) && is_known_name(boundary, name)) return 0;
  switch (role) {
    case Role::MakeDirectory: return refusal(boundary, name.path, Operation::Create);
    case Role::Make:
    case Role::MoveTo: return refuse_making(boundary, name.path);
    case Role::Open:
    case Role::OpenHow: return refuse_opening(boundary, name, flags);
    case Role::Remove: return refusal(boundary, name.path, Operation::Remove);
    case Role::MoveAway: return refusal(boundary, name.path, Operation::Rename);
    case Role::Link: return refuse_another(boundary, name.path);
    case Role::Attribute:
    case Role::OfDescriptor: return refusal(boundary, name.path, Operation::Chmod);
  }
  return 0;
}

// Elsewhere mounts and modes decide alone, and this only explains what they do.
bool concerns(const Boundary& boundary, const Path& path) {
  return std::ranges::any_of(boundary.grants(),
                             [&](const Grant& grant) { return grant.access != Access::Read && grant.covers(path); });
}

struct OpenFlags {
  std::uint64_t flags = O_CREAT | O_WRONLY | O_TRUNC;
  std::uint64_t resolve = 0;
};

// Those a call carries, or nothing if they cannot be read.
std::optional<OpenFlags> flags_of(const sys::Notification& call, const NameArgument& argument) {
  if (argument.call == SYS_openat2) {
    struct open_how how = {};
    if (!sys::read_bytes(call.thread, call.arguments[2], &how, sizeof how)) return std::nullopt;
    return OpenFlags{how.flags, how.resolve};
  }
  if (argument.flags == kNone) return OpenFlags{};
  return OpenFlags{call.arguments[static_cast<std::size_t>(argument.flags)]};
}

// The name a socket is bound to, empty if it is none in the filesystem.
std::optional<std::string> socket_name(const sys::Notification& call) {
  constexpr std::size_t kFamily = sizeof(std::uint16_t);
  std::array<char, sizeof(sockaddr_un)> address = {};
  const std::size_t size = std::min<std::size_t>(static_cast<std::uint32_t>(call.arguments[2]), address.size());
  if (size <= kFamily) return "";
  if (!sys::read_bytes(call.thread, call.arguments[1], address.data(), size)) return std::nullopt;
  std::uint16_t family = 0;
  std::memcpy(&family, address.data(), kFamily);
  if (family != kUnixFamily) return "";
  const std::string_view name(address.data() + kFamily, size - kFamily);
  return std::string(name.substr(0, name.find('\0')));
}

std::optional<std::string> text_of(const sys::Notification& call, const NameArgument& argument) {
  if (argument.call == SYS_bind) return socket_name(call);
  if (argument.role == Role::OfDescriptor) return "";
  const std::uint64_t address = call.arguments[static_cast<std::size_t>(argument.path)];
  if (address == 0 && argument.role == Role::Attribute) return "";  // The descriptor itself is meant.
  return sys::read_text(call.thread, address, kMostPath);
}

bool follows(Role role, std::uint64_t flags) {
  if (role == Role::Attribute) return true;
  if (role != Role::Open && role != Role::OpenHow) return false;
  return (flags & O_NOFOLLOW) == 0 && (flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);
}

Act act_of(const NameArgument& argument, const ResolvedName& name, std::uint64_t flags) {
  const bool there = name.kind != sys::FileKind::Missing;
  if (argument.call == SYS_truncate) return Act::Write;
  switch (argument.role) {
    case Role::MakeDirectory:
    case Role::Make: return Act::Create;
    case Role::MoveTo: return there ? Act::Write : Act::Create;
    case Role::Open:
    case Role::OpenHow:
      if (!has_writing_flags(flags)) return Act::Read;
      return there || (flags & O_CREAT) == 0 ? Act::Write : Act::Create;
    case Role::Remove: return Act::Remove;
    case Role::MoveAway: return Act::Rename;
    case Role::Link: return Act::Link;
    case Role::Attribute:
    case Role::OfDescriptor: return Act::Chmod;
  }
  return Act::Write;
}

// The kernel will say that there is something already, and that is all.
bool makes_what_is_there(Role role, const ResolvedName& name) {
  return (role == Role::MakeDirectory || role == Role::Make) && name.kind != sys::FileKind::Missing;
}

bool is_attribute(Role role) { return role == Role::Attribute || role == Role::OfDescriptor; }

}  // namespace

// Landlock says nothing about modes, owners, times and extended attributes; these calls are asked about only where nothing
// else guards them.
bool Watch::may_change(const Path& path) const {
  const Grant* grant = boundary_.grant_for(path);
  return grant != nullptr && grant->access == Access::Write;
}

int Watch::decide_attribute_at(const std::string& where) const {
  const auto path = Path::parse(where);
  if (!path || !path->is_absolute()) return 0;  // a pipe, a socket, an unnamed file
  return may_change(*path) ? refusal(boundary_, *path, Operation::Chmod) : EACCES;
}

// What is there, and has no name in that path: it ends in a dot, or in a link of /proc.
int Watch::decide_attribute(sys::Pid thread, int directory, const std::string& text) const {
  const auto object = open_for(thread, directory, text);
  if (!object) return EACCES;
  if (!object->is_open()) return 0;  // The kernel will say so itself.
  const auto where = sys::path_of(*object);
  return where ? decide_attribute_at(*where) : EACCES;
}

int Watch::decide_attribute(sys::Pid thread, int descriptor) const {
  const std::string link = "/proc/" + std::to_string(thread) +
                           (descriptor == sys::kWorkingDirectory ? "/cwd" : "/fd/" + std::to_string(descriptor));
  const auto target = sys::read_link(sys::kAbsolute, link.c_str());
  return target ? decide_attribute_at(*target) : EBADF;
}

int Watch::decide(const sys::Notification& notification) {
  for (const NameArgument& argument : kNames) {
    if (argument.call != notification.number) continue;
    if (argument.role == Role::Make || argument.role == Role::MoveTo) glimpses_.forget();
    if (const int number = decide_name(notification, argument); number != 0) return number;
  }
  return 0;
}

int Watch::decide_name(const sys::Notification& notification, const NameArgument& argument) const {
  const auto open = flags_of(notification, argument);
  const auto text = text_of(notification, argument);
  // The kernel may see what this process cannot: memory from memfd_secret, or of a program that nobody may read.
  if (!open || !text) return EFAULT;
  // Every "/" would mean the directory that the call names. Programs fall back to an older call.
  if ((open->resolve & RESOLVE_IN_ROOT) != 0) return ENOSYS;
  const int directory = argument.directory == kNone
                            ? sys::kWorkingDirectory
                            : static_cast<int>(notification.arguments[static_cast<std::size_t>(argument.directory)]);
  const bool attribute = is_attribute(argument.role);
  if (text->empty() && attribute) return decide_attribute(notification.thread, directory);
  const auto links = follows(argument.role, open->flags) ? sys::Links::Follow : sys::Links::Keep;
  const auto resolved = resolve_name(notification.thread, directory, *text, links);
  if (!resolved) return EACCES;
  const std::optional<ResolvedName>& name = *resolved;
  if (!name) return attribute ? decide_attribute(notification.thread, directory, *text) : 0;
  if (staged_ != nullptr && name->kind == sys::FileKind::File) staged_->before_change(name->path);
  const bool guarded = concerns(boundary_, name->path);
  int number = guarded ? refuse(boundary_, argument.role, *name, open->flags) : 0;
  if (attribute && !may_change(name->path)) number = EACCES;
  const bool told = number != 0 || ((guarded || reports_) && !makes_what_is_there(argument.role, *name));
  if (witness_ != nullptr && told)
    witness_->saw(name->path, act_of(argument, *name, open->flags), found_of(name->kind), number != 0);
  return number;
}

// Everything else is decided as it would be if nobody wanted to hear of it.
bool Watch::is_only_reported(const sys::Notification& notification) const {
  if (!reports_) return false;
  switch (notification.number) {
#ifdef __x86_64__
    case SYS_open: return watching_ != plan::Watching::Opening && !has_writing_flags(notification.arguments[1]);
    case SYS_chmod:
#endif
    case SYS_fchmod:
    case SYS_fchmodat:
    case 452:  // fchmodat2
    case SYS_truncate: return watching_ != plan::Watching::Everything;
    case SYS_openat: return watching_ != plan::Watching::Opening && !has_writing_flags(notification.arguments[2]);
    case SYS_execve:
    case SYS_execveat:
    case SYS_chdir:
    case SYS_fchdir:
    case SYS_connect: return true;
    default: return false;
  }
}

void Watch::report(const sys::Notification& notification) {
  if (notification.number == SYS_connect) {
    if (const auto address = foreign_address(notification)) witness_->connects(*address);
  } else if (notification.number == SYS_chdir || notification.number == SYS_fchdir) {
    glimpses_.leaves(notification.thread);
  } else if (const auto glimpsed = glimpses_.look(notification, *witness_)) {
    witness_->saw(glimpsed->path, glimpsed->act, glimpsed->found, false);
  }
  sys::answer_continue(listener_, notification);
}

Status Watch::answer_next() {
  PALE_TRY(notification, sys::receive(listener_));
  if (!notification) return {};
  if (is_only_reported(*notification)) {
    report(*notification);
    return {};
  }
  if (notification->number == SYS_socket && !std::exchange(loopback_raised_, true)) PALE_CHECK(sys::raise_loopback());
  // With nothing to guard, whatever is asked about is asked for the report.
  const int refused = decide(*notification);
  const int number = watching_ == plan::Watching::Nothing ? 0 : refused;
  if (!sys::still_waiting(listener_, *notification)) return {};
  if (number == 0) {
    sys::answer_continue(listener_, *notification);
  } else {
    sys::answer_error(listener_, *notification, number);
  }
  return {};
}

}  // namespace pale::sandbox
