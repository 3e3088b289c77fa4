#include "sys/file.h"

#include <linux/openat2.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/text.h"
#include "sys/event.h"

namespace pale::sys {
namespace {

constexpr int kFlockShared = 1;  // LOCK_SH, LOCK_EX, LOCK_NB of <sys/file.h>
constexpr int kFlockExclusive = 2;
constexpr int kFlockNoWait = 4;
constexpr unsigned kRenameNoReplace = 1;      // RENAME_NOREPLACE
constexpr unsigned kRenameExchange = 2;       // RENAME_EXCHANGE
constexpr unsigned long kStatfsReadOnly = 1;  // ST_RDONLY
constexpr unsigned kStatxMount = 0x1000;      // STATX_MNT_ID, Linux 5.8
constexpr std::int64_t kLockPause = 5;        // milliseconds
constexpr long kProcMagic = 0x9fa0;

FileKind kind_of_mode(unsigned mode) noexcept {
  switch (mode & S_IFMT) {
    case S_IFREG: return FileKind::File;
    case S_IFDIR: return FileKind::Directory;
    case S_IFLNK: return FileKind::Symlink;
    default: return FileKind::Other;
  }
}

FileKind kind_of_dirent(unsigned char type) noexcept { return kind_of_mode(static_cast<unsigned>(type) << 12U); }

std::int64_t nanoseconds(const struct statx_timestamp& stamp) noexcept {
  return stamp.tv_sec * 1'000'000'000 + stamp.tv_nsec;
}

Result<FileInfo> info_with(int directory, const char* path, int flags) {
  struct statx raw = {};
  const long result =
      call(SYS_statx, directory, path, flags | AT_NO_AUTOMOUNT, STATX_BASIC_STATS | STATX_BTIME | kStatxMount, &raw);
  if (result == -ENOENT || result == -ENOTDIR) return FileInfo{};
  if (failed(result)) return fail_errno(static_cast<int>(-result), "stat", path);
  FileInfo info;
  info.kind = kind_of_mode(raw.stx_mode);
  info.device = static_cast<std::uint64_t>(raw.stx_dev_major) << 32U | raw.stx_dev_minor;
  info.inode = raw.stx_ino;
  info.owner = raw.stx_uid;
  info.mode = raw.stx_mode & 07777U;
  info.links = raw.stx_nlink;
  info.size = raw.stx_size;
  info.blocks = raw.stx_blocks;
  info.modified_ns = nanoseconds(raw.stx_mtime);
  info.changed_ns = nanoseconds(raw.stx_ctime);
  info.format = raw.stx_mode & S_IFMT;
  info.whiteout = info.format == S_IFCHR && raw.stx_rdev_major == 0 && raw.stx_rdev_minor == 0;
  if ((raw.stx_mask & STATX_BTIME) != 0) info.born_ns = nanoseconds(raw.stx_btime);
  info.mount = raw.stx_mnt_id;
  return info;
}

Status check(long result, const char* operation, const char* subject) {
  if (failed(result)) return fail_errno(static_cast<int>(-result), operation, subject);
  return {};
}

// Exchanged and removed, not renamed over: ext4 writes to disk at once what is renamed over another file.
Status exchange_for(const char* temporary, const char* path) {
  if (!exchange(kAbsolute, temporary, kAbsolute, path)) return rename_to(kAbsolute, temporary, kAbsolute, path);
  auto removed = remove_file(kAbsolute, temporary);
  if (!removed) (void)exchange(kAbsolute, temporary, kAbsolute, path);  // a directory
  return removed;
}

constexpr std::string_view kNew = ".new-";  // and the process that writes it

void remove_left_over(const Fd& directory, std::string_view name) {
  const auto entries = list_directory(directory);
  if (!entries) return;
  const std::string prefix = std::string(name) + std::string(kNew);
  for (const Entry& entry : *entries) {
    if (!entry.name.starts_with(prefix)) continue;
    const auto writer = parse_number(std::string_view(entry.name).substr(prefix.size()));
    const bool alive = writer && call(SYS_kill, *writer, 0) != -ESRCH;
    if (writer && !alive) (void)remove_file(directory.borrow(), entry.name.c_str());
  }
}

// The file first, then the name: after a power cut there is the old one or the new one.
Status rename_durably(const Fd& file, const std::string& temporary, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  PALE_TRY(directory, open_at(kAbsolute, path.substr(0, slash + 1).c_str(), O_RDONLY | O_DIRECTORY));
  remove_left_over(directory, std::string_view(path).substr(slash + 1));
  PALE_CHECK(flush(file));
  PALE_CHECK(rename_to(kAbsolute, temporary.c_str(), kAbsolute, path.c_str()));
  return flush(directory);
}

Result<std::optional<std::size_t>> moved_now(long result, const char* operation) {
  if (result == -EAGAIN || result == -EINTR) return std::nullopt;
  if (failed(result)) return fail_errno(static_cast<int>(-result), operation, "");
  return static_cast<std::size_t>(result);
}

}  // namespace

Result<Fd> open_at(int directory, const char* path, int flags, unsigned mode) {
  const long result = call(SYS_openat, directory, path, flags | O_CLOEXEC, mode);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "open", path);
  return Fd(result);
}

long open_resolved(int directory, const char* path, int flags, std::uint64_t resolve) noexcept {
  struct open_how how = {};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC);
  how.resolve = resolve;
  return call(SYS_openat2, directory, path, &how, sizeof how);
}

Result<FileInfo> file_info(int directory, const char* path, Links links) {
  return info_with(directory, path, links == Links::Keep ? AT_SYMLINK_NOFOLLOW : 0);
}

Result<FileInfo> file_info(const Fd& fd) { return info_with(fd.borrow(), "", AT_EMPTY_PATH); }

Result<std::string> read_all(const Fd& fd, std::size_t most) {
  // As large as the file says it is, and a byte more to see its end; files of /proc say nothing.
  const auto info = file_info(fd);
  const std::size_t size = info ? std::min<std::size_t>(info->size, most) : 0;
  std::string text(size + 1, '\0');
  for (std::size_t length = 0;;) {
    if (length == text.size()) text.resize(std::max<std::size_t>(4096, 2 * length));
    const long got = call(SYS_read, fd.borrow(), text.data() + length, text.size() - length);
    if (got == -EINTR) continue;
    if (failed(got)) return fail_errno(static_cast<int>(-got), "read", "");
    length += static_cast<std::size_t>(got);
    if (length > most) return fail_errno(EFBIG, "read", "");
    if (got == 0 || (length == size && length < text.size())) {
      text.resize(length);
      return text;
    }
  }
}

Result<std::string> read_file(int directory, const char* path, std::size_t most) {
  PALE_TRY(fd, open_at(directory, path, O_RDONLY | O_NONBLOCK));
  auto text = read_all(fd, most);
  if (!text) text.error().subject = path;
  return text;
}

Result<std::size_t> read_into(int directory, const char* path, std::span<char> buffer) {
  PALE_TRY(fd, open_at(directory, path, O_RDONLY));
  for (std::size_t length = 0;;) {
    const long got = call(SYS_read, fd.borrow(), buffer.data() + length, buffer.size() - length);
    if (got == -EINTR) continue;
    if (failed(got)) return fail_errno(static_cast<int>(-got), "read", path);
    if (got == 0) return length;
    length += static_cast<std::size_t>(got);
    if (length == buffer.size()) return fail_errno(EFBIG, "read", path);
  }
}

Result<MappedFile> MappedFile::map(const Fd& file, std::size_t size) {
  if (size == 0) return MappedFile({});
  const long address = call(SYS_mmap, nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file.borrow(), 0);
  if (failed(address)) return fail_errno(static_cast<int>(-address), "map", "");
  return MappedFile({reinterpret_cast<const char*>(address), size});
}

MappedFile::~MappedFile() {
  if (!text_.empty()) (void)call(SYS_munmap, text_.data(), text_.size());
}

Status write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    const long wrote = call(SYS_write, fd, text.data(), text.size());
    if (wrote == -EINTR) continue;
    if (failed(wrote)) return fail_errno(static_cast<int>(-wrote), "write", "");
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return {};
}

Result<Fd> make_memory_file(const char* name, std::string_view content) {
  constexpr unsigned kCloseOnExec = 1, kExecutable = 0x10;  // MFD_CLOEXEC; MFD_EXEC, which Linux knows since 6.3
  long fd = call(SYS_memfd_create, name, kCloseOnExec | kExecutable);
  if (fd == -EINVAL) fd = call(SYS_memfd_create, name, kCloseOnExec);
  if (failed(fd)) return fail_errno(static_cast<int>(-fd), "make a file in memory", "");
  Fd file(fd);
  PALE_CHECK(write_all(file.borrow(), content));
  return file;
}

Status replace_file(const std::string& path, std::string_view text, unsigned mode, Durability durability) {
  const std::string temporary = path + std::string(kNew) + std::to_string(call(SYS_getpid));
  PALE_TRY(fd, open_at(kAbsolute, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode));
  Status done = write_all(fd.borrow(), text);
  if (done) {
    done = durability == Durability::OfDisk ? rename_durably(fd, temporary, path)
                                            : exchange_for(temporary.c_str(), path.c_str());
  }
  if (!done) {
    (void)remove_file(kAbsolute, temporary.c_str());
    done.error().subject = path;
  }
  return done;
}

Result<std::vector<Entry>> list_directory(const Fd& directory) {
  struct RawEntry {  // struct linux_dirent64
    std::uint64_t inode;
    std::int64_t offset;
    std::uint16_t length;
    unsigned char type;
    char name[1];
  };
  std::vector<Entry> entries;
  alignas(RawEntry) std::array<char, 16384> buffer;
  for (;;) {
    const long got = call(SYS_getdents64, directory.borrow(), buffer.data(), buffer.size());
    if (failed(got)) return fail_errno(static_cast<int>(-got), "list", "directory");
    if (got == 0) return entries;
    for (long at = 0; at < got;) {
      const auto* raw = reinterpret_cast<const RawEntry*>(buffer.data() + at);
      at += raw->length;
      const std::string_view name = raw->name;
      if (name == "." || name == "..") continue;
      FileKind kind = kind_of_dirent(raw->type);
      if (raw->type == 0) {  // The filesystem does not say.
        PALE_TRY(info, file_info(directory.borrow(), raw->name));
        kind = info.kind;
      }
      entries.push_back({std::string(name), kind});
    }
  }
}

std::size_t read_some(int fd, std::span<char> buffer) noexcept {
  for (;;) {
    const long got = call(SYS_read, fd, buffer.data(), buffer.size());
    if (got != -EINTR) return failed(got) ? 0 : static_cast<std::size_t>(got);
  }
}

Result<std::optional<std::size_t>> try_read(const Fd& fd, std::span<char> buffer) {
  return moved_now(call(SYS_read, fd.borrow(), buffer.data(), buffer.size()), "read");
}

Result<std::optional<std::size_t>> try_write(const Fd& fd, std::string_view text) {
  return moved_now(call(SYS_write, fd.borrow(), text.data(), text.size()), "write");
}

std::size_t read_at(const Fd& fd, std::uint64_t offset, std::span<char> buffer) noexcept {
  const long got = call(SYS_pread64, fd.borrow(), buffer.data(), buffer.size(), offset);
  return failed(got) ? 0 : static_cast<std::size_t>(got);
}

Status write_at(const Fd& fd, std::uint64_t offset, std::string_view text) {
  const long wrote = call(SYS_pwrite64, fd.borrow(), text.data(), text.size(), offset);
  if (failed(wrote)) return fail_errno(static_cast<int>(-wrote), "write", "");
  return static_cast<std::size_t>(wrote) == text.size() ? Status{} : fail_errno(ENOSPC, "write", "");
}

Result<std::string> read_link(int directory, const char* path) {
  std::array<char, 4096> buffer;
  const long length = call(SYS_readlinkat, directory, path, buffer.data(), buffer.size());
  if (failed(length)) return fail_errno(static_cast<int>(-length), "read link", path);
  return std::string(buffer.data(), static_cast<std::size_t>(length));
}

Result<std::string> path_of(const Fd& fd) {
  const std::string link = "/proc/self/fd/" + std::to_string(fd.borrow());
  return read_link(kAbsolute, link.c_str());
}

Result<std::string> working_directory() {
  std::array<char, 4096> buffer;
  const long length = call(SYS_getcwd, buffer.data(), buffer.size());  // with its NUL
  if (failed(length)) return fail_errno(static_cast<int>(-length), "find the working directory", "");
  return std::string(buffer.data(), static_cast<std::size_t>(length) - 1);
}

Status make_directory(int directory, const char* path, unsigned mode) {
  const long result = call(SYS_mkdirat, directory, path, mode);
  return result == -EEXIST ? Status{} : check(result, "make directory", path);
}

Status make_directories(const std::string& path, unsigned mode) {
  // Mostly it is there, or only its last part is missing.
  const long result = call(SYS_mkdirat, kAbsolute, path.c_str(), mode);
  if (!failed(result) || result == -EEXIST) return {};
  const std::size_t slash = path.rfind('/');
  if (result != -ENOENT || slash == std::string::npos || slash == 0)
    return check(result, "make directory", path.c_str());
  PALE_CHECK(make_directories(path.substr(0, slash), mode));
  return make_directory(kAbsolute, path.c_str(), mode);
}

Status make_symlink(const char* target, int directory, const char* path) {
  return check(call(SYS_symlinkat, target, directory, path), "make link", path);
}

Status make_node(int directory, const char* path, std::uint32_t format, unsigned mode) {
  return check(call(SYS_mknodat, directory, path, (format == 0 ? S_IFCHR : format) | mode, 0), "make node", path);
}

Status set_mode(int directory, const char* path, unsigned mode) {
  return check(call(SYS_fchmodat, directory, path, mode), "change the mode of", path);
}

Status set_mode(const Fd& fd, unsigned mode) { return check(call(SYS_fchmod, fd.borrow(), mode), "change a mode", ""); }

Status flush(const Fd& fd) { return check(call(SYS_fsync, fd.borrow()), "flush", "to disk"); }

Status flush_filesystem(const Fd& fd) { return check(call(SYS_syncfs, fd.borrow()), "flush", "to disk"); }

Status remove_file(int directory, const char* path) {
  return check(call(SYS_unlinkat, directory, path, 0), "remove", path);
}

Status remove_directory(int directory, const char* path) {
  return check(call(SYS_unlinkat, directory, path, AT_REMOVEDIR), "remove", path);
}

Status rename_to(int from, const char* old_path, int to, const char* new_path) {
  return check(call(SYS_renameat2, from, old_path, to, new_path, 0), "rename", old_path);
}

Status rename_to_free(int from, const char* old_path, int to, const char* new_path) {
  return check(call(SYS_renameat2, from, old_path, to, new_path, kRenameNoReplace), "rename", old_path);
}

Status exchange(int from, const char* old_path, int to, const char* new_path) {
  return check(call(SYS_renameat2, from, old_path, to, new_path, kRenameExchange), "exchange", old_path);
}

unsigned set_umask(unsigned bits) noexcept { return static_cast<unsigned>(call(SYS_umask, bits)); }

bool may_write(const char* path) noexcept { return !failed(call(SYS_faccessat, kAbsolute, path, W_OK)); }

bool may_execute(const char* path) noexcept { return !failed(call(SYS_faccessat, kAbsolute, path, X_OK)); }

bool on_proc(const Fd& fd) noexcept {
  struct statfs info = {};
  return !failed(call(SYS_fstatfs, fd.borrow(), &info)) && info.f_type == kProcMagic;
}

bool on_read_only_mount(int directory, const char* path) noexcept {
  const long fd = call(SYS_openat, directory, path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
  if (failed(fd)) return false;
  const Fd owned(fd);
  struct statfs info = {};
  return !failed(call(SYS_fstatfs, owned.borrow(), &info)) &&
         (static_cast<unsigned long>(info.f_flags) & kStatfsReadOnly) != 0;
}

Result<Lock> try_lock(const Fd& fd, LockKind kind) {
  const long result =
      call(SYS_flock, fd.borrow(), (kind == LockKind::Shared ? kFlockShared : kFlockExclusive) | kFlockNoWait);
  if (result == -EAGAIN) return Lock::Held;
  if (failed(result)) return fail_errno(static_cast<int>(-result), "lock", "");
  return Lock::Taken;
}

Result<Lock> lock_within(const Fd& fd, LockKind kind, std::int64_t milliseconds) {
  for (std::int64_t waited = 0;; waited += kLockPause) {
    PALE_TRY(lock, try_lock(fd, kind));
    if (lock == Lock::Taken || waited >= milliseconds) return lock;
    PALE_CHECK(wait_ready({}, kLockPause));
  }
}

}  // namespace pale::sys
