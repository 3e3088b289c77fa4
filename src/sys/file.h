// sys/file.h: files and directories, always relative to a descriptor or absolute, close-on-exec from birth.
#pragma once

#include <fcntl.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "sys/fd.h"

namespace pale::sys {

// For paths that begin with '/': a relative one fails (EBADF) instead of meaning the current directory.
inline constexpr int kAbsolute = -9;
// The directory this process happens to stand in. Only project/here.cc may ask for it, and who moved there himself.
inline constexpr int kWorkingDirectory = AT_FDCWD;

enum class FileKind { Missing, File, Directory, Symlink, Other };
enum class Links { Follow, Keep };

struct FileInfo {
  FileKind kind = FileKind::Missing;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint32_t owner = 0;
  std::uint32_t mode = 0;  // permission bits
  std::uint32_t links = 0;
  std::uint64_t size = 0;
  std::uint64_t blocks = 0;  // of 512 bytes, on disk
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // the inode itself, which nobody sets back
  std::int64_t born_ns = 0;     // 0 where the filesystem does not say
  std::uint64_t mount = 0;      // the mount it is seen through
  std::uint32_t format = 0;     // S_IFMT bits, for what is Other
  bool whiteout = false;        // a device 0:0, by which an overlay's layer says that there is nothing

  bool same_file(const FileInfo& other) const noexcept {
    return kind != FileKind::Missing && device == other.device && inode == other.inode;
  }
};

struct Entry {
  std::string name;
  FileKind kind;
};

Result<Fd> open_at(int directory, const char* path, int flags, unsigned mode = 0);
// RESOLVE_* of <linux/openat2.h>. Returns -errno or the descriptor: callers tell the errors apart.
long open_resolved(int directory, const char* path, int flags, std::uint64_t resolve) noexcept;

// A missing file is an answer (FileKind::Missing), not an error; so is a missing directory on the way.
Result<FileInfo> file_info(int directory, const char* path, Links links = Links::Keep);
Result<FileInfo> file_info(const Fd& fd);

Result<std::string> read_all(const Fd& fd, std::size_t most);
Result<std::string> read_file(int directory, const char* path, std::size_t most);
// The whole file into a buffer that is large enough for it; returns its length.
Result<std::size_t> read_into(int directory, const char* path, std::span<char> buffer);
// A whole file, as it is, without a copy. For files that are replaced and never cut short: what is cut off while it is looked at
// ends the process.
class MappedFile {
 public:
  static Result<MappedFile> map(const Fd& file, std::size_t size);
  MappedFile(MappedFile&& other) noexcept : text_(std::exchange(other.text_, {})) {}
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();
  std::string_view text() const noexcept { return text_; }

 private:
  explicit MappedFile(std::string_view text) noexcept : text_(text) {}
  std::string_view text_;
};
Status write_all(int fd, std::string_view text) noexcept;
// A file that lies in memory alone, and may be executed; goes with its descriptor.
Result<Fd> make_memory_file(const char* name, std::string_view content);
// As many bytes as there are now, waiting for the first; 0 at the end.
std::size_t read_some(int fd, std::span<char> buffer) noexcept;
// Without waiting: the bytes that are there, or that can be written, now; 0 at the end. Nothing: none can be now.
Result<std::optional<std::size_t>> try_read(const Fd& fd, std::span<char> buffer);
Result<std::optional<std::size_t>> try_write(const Fd& fd, std::string_view text);
// The number of bytes there are, of those wanted.
std::size_t read_at(const Fd& fd, std::uint64_t offset, std::span<char> buffer) noexcept;
// Over what is there, at once or not at all.
Status write_at(const Fd& fd, std::uint64_t offset, std::string_view text);
// Whole or not at all: written beside it, renamed over it. Flushed to disk first, if it must survive a power cut.
// What a process that was killed left of such a writing to disk goes with the next one.
enum class Durability { OfProcess, OfDisk };
Status replace_file(const std::string& path, std::string_view text, unsigned mode, Durability durability);

Result<std::vector<Entry>> list_directory(const Fd& directory);
Result<std::string> read_link(int directory, const char* path);
// Where an open descriptor leads, as this process sees it.
Result<std::string> path_of(const Fd& fd);
Result<std::string> working_directory();

// Existing ones are fine.
Status make_directory(int directory, const char* path, unsigned mode);
Status make_directories(const std::string& path, unsigned mode);
Status make_symlink(const char* target, int directory, const char* path);
// A named pipe, a socket's name or, with no bits of a format, a whiteout.
Status make_node(int directory, const char* path, std::uint32_t format, unsigned mode);
Status set_mode(int directory, const char* path, unsigned mode);  // follows a symlink
Status set_mode(const Fd& fd, unsigned mode);
Status flush(const Fd& fd);             // to disk
Status flush_filesystem(const Fd& fd);  // all that is dirty on the one it lies on
Status remove_file(int directory, const char* path);
Status remove_directory(int directory, const char* path);  // an empty one
Status rename_to(int from, const char* old_path, int to, const char* new_path);
// Onto a name that is free; what stands there stays (EEXIST).
Status rename_to_free(int from, const char* old_path, int to, const char* new_path);
Status exchange(int from, const char* old_path, int to, const char* new_path);
// The permission bits that new files do not get; returns those before.
unsigned set_umask(unsigned bits) noexcept;

bool on_proc(const Fd& fd) noexcept;
bool may_write(const char* path) noexcept;  // as far as its mode says
bool may_execute(const char* path) noexcept;
// Whether the mount that holds an open file is read-only.
bool on_read_only_mount(int directory, const char* path) noexcept;

enum class Lock { Taken, Held };
enum class LockKind { Shared, Exclusive };
// An advisory lock of the whole file that goes with the descriptor; never waits.
Result<Lock> try_lock(const Fd& fd, LockKind kind);
// Waits for its turn, but not for ever.
Result<Lock> lock_within(const Fd& fd, LockKind kind, std::int64_t milliseconds);

}  // namespace pale::sys
