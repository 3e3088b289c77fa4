#include "sys/unnamed.h"

#include <algorithm>
#include <cerrno>
#include <string>

#include "sys/call.h"
#include "sys/file.h"

namespace pale::sys {

Result<Fd> open_unnamed(int directory, const char* path, unsigned mode) {
  return open_at(directory, path, O_TMPFILE | O_WRONLY, mode);
}

// Kernels and filesystems that do not know the flag see a directory that is to be written.
bool is_unsupported(const Error& error) noexcept {
  constexpr int kNumbers[] = {EOPNOTSUPP, EISDIR, EINVAL};
  return std::ranges::find(kNumbers, error.number) != std::end(kNumbers);
}

// By way of /proc: to name a descriptor itself takes a capability before Linux 6.10.
Status give_name(const Fd& unnamed, int directory, const char* path) {
  const std::string link = "/proc/self/fd/" + std::to_string(unnamed.borrow());
  const long named = call(SYS_linkat, kAbsolute, link.c_str(), directory, path, AT_SYMLINK_FOLLOW);
  if (failed(named)) return fail_errno(static_cast<int>(-named), "name", path);
  return {};
}

}  // namespace pale::sys
