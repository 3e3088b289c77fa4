#include "sys/random.h"

#include <array>
#include <cerrno>

#include "base/uuid.h"
#include "sys/call.h"

namespace pale::sys {

Status fill_random(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const long got = call(SYS_getrandom, bytes.data(), bytes.size(), 0);
    if (got == -EINTR) continue;
    if (failed(got)) return fail_errno(static_cast<int>(-got), "get random bytes", "from the kernel");
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  return {};
}

Result<std::string> make_uuid() {
  std::array<std::byte, 16> bytes;
  PALE_CHECK(fill_random(bytes));
  return uuid_from(bytes);
}

}  // namespace pale::sys
