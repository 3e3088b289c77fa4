#include "project/lock.h"

#include <fcntl.h>

#include "sys/file.h"

namespace pale::project {
namespace {

constexpr std::int64_t kLongestWait = 60'000;  // milliseconds

}  // namespace

Result<sys::Fd> take_lock(const std::string& file, const std::string& what) {
  PALE_TRY(lock, sys::open_at(sys::kAbsolute, file.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
  PALE_TRY(state, sys::lock_within(lock, sys::LockKind::Exclusive, kLongestWait));
  if (state == sys::Lock::Taken) return lock;
  return fail(ErrorKind::System, "another pale holds " + what + ":", file, "try again in a moment");
}

}  // namespace pale::project
