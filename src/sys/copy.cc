#include "sys/copy.h"

#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <ctime>

#include "sys/file.h"

namespace pale::sys {
namespace {

constexpr long long kSecond = 1'000'000'000;

Status check(long result, const char* operation) {
  if (failed(result)) return fail_errno(static_cast<int>(-result), operation, "");
  return {};
}

// Through memory, where the kernel cannot copy between the two filesystems.
Status copy_through_memory(const Fd& from, const Fd& to, std::uint64_t at, std::uint64_t end) {
  std::array<char, 65536> buffer;
  while (at < end) {
    const std::size_t wanted = std::min<std::uint64_t>(buffer.size(), end - at);
    const long got = call(SYS_pread64, from.borrow(), buffer.data(), wanted, at);
    if (failed(got)) return fail_errno(static_cast<int>(-got), "read", "");
    if (got == 0) return {};
    PALE_CHECK(write_at(to, at, {buffer.data(), static_cast<std::size_t>(got)}));
    at += static_cast<std::uint64_t>(got);
  }
  return {};
}

Status copy_range(const Fd& from, const Fd& to, std::uint64_t at, std::uint64_t end) {
  while (at < end) {
    auto read_from = static_cast<std::int64_t>(at);
    std::int64_t write_to = read_from;
    const long moved = call(SYS_copy_file_range, from.borrow(), &read_from, to.borrow(), &write_to, end - at, 0);
    if (moved == -EXDEV || moved == -EINVAL || moved == -ENOSYS || moved == -EOPNOTSUPP)
      return copy_through_memory(from, to, at, end);
    PALE_CHECK(check(moved, "copy"));
    if (moved == 0) return {};
    at += static_cast<std::uint64_t>(moved);
  }
  return {};
}

Status copy_data(const Fd& from, const Fd& to, std::uint64_t size) {
  for (std::uint64_t at = 0; at < size;) {
    const long data = call(SYS_lseek, from.borrow(), at, SEEK_DATA);
    if (data == -ENXIO) return {};  // Only a hole is left.
    if (data == -EINVAL) return copy_range(from, to, at, size);
    PALE_CHECK(check(data, "look for holes in"));
    const long hole = call(SYS_lseek, from.borrow(), data, SEEK_HOLE);
    PALE_CHECK(check(hole, "look for holes in"));
    PALE_CHECK(copy_range(from, to, static_cast<std::uint64_t>(data), static_cast<std::uint64_t>(hole)));
    at = static_cast<std::uint64_t>(hole);
  }
  return {};
}

}  // namespace

Status copy_contents(const Fd& from, const Fd& to) {
  if (!failed(call(SYS_ioctl, to.borrow(), FICLONE, from.borrow()))) return {};
  PALE_TRY(info, file_info(from));
  PALE_CHECK(check(call(SYS_ftruncate, to.borrow(), info.size), "set the length of"));
  return copy_data(from, to, info.size);
}

Status set_modified(const Fd& fd, long long nanoseconds) {
  const timespec time = {nanoseconds / kSecond, nanoseconds % kSecond};
  const std::array<timespec, 2> times = {time, time};
  return check(call(SYS_utimensat, fd.borrow(), nullptr, times.data(), 0), "set the times of");
}

}  // namespace pale::sys
