#include "sys/landlock.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>

#include <cerrno>

#include "sys/file.h"
#include "sys/terminal.h"

namespace pale::sys {
namespace {

// Debian 12's header ends with ABI 2.
struct RulesetAttributes {
  std::uint64_t filesystem;
  std::uint64_t network;  // ABI 4
  std::uint64_t scoped;   // ABI 6
};
constexpr std::uint64_t kTruncate = 1U << 14U;                 // ABI 3
constexpr std::uint64_t kBindTcp = 1, kConnectTcp = 2;         // ABI 4
constexpr std::uint64_t kScopeAbstract = 1, kScopeSignal = 2;  // ABI 6

constexpr std::uint64_t kReadRights =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kRemoveRights = LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR;
constexpr std::uint64_t kFileRights =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | kTruncate;
constexpr std::uint64_t kNull = 1U << 8U | 3U;  // the number of /dev/null
constexpr std::uint64_t kRightsOfFirstAbi = (1U << 13U) - 1;

std::uint64_t rights_of(int abi) noexcept {
  std::uint64_t rights = kRightsOfFirstAbi;
  if (abi >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
  if (abi >= 3) rights |= kTruncate;
  return rights;
}

std::uint64_t rights_of(LandlockAccess access, std::uint64_t handled) noexcept {
  switch (access) {
    case LandlockAccess::List: return LANDLOCK_ACCESS_FS_READ_DIR;
    case LandlockAccess::Read: return kReadRights;
    case LandlockAccess::WriteKeeping: return handled & ~kRemoveRights;
    case LandlockAccess::Write: break;
  }
  return handled;
}

std::size_t size_of(int abi) noexcept { return abi >= 6 ? 24 : abi >= 4 ? 16 : 8; }

}  // namespace

int landlock_abi() noexcept {
  const long version = call(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  return failed(version) ? 0 : static_cast<int>(version);
}

Result<LandlockRules> LandlockRules::make(int abi, LandlockTcp tcp) {
  RulesetAttributes attributes = {};
  attributes.filesystem = rights_of(abi);
  if (abi >= 4 && tcp == LandlockTcp::Denied) attributes.network = kBindTcp | kConnectTcp;
  if (abi >= 6) attributes.scoped = kScopeAbstract | kScopeSignal;
  const long fd = call(SYS_landlock_create_ruleset, &attributes, size_of(abi), 0);
  if (failed(fd)) return fail_errno(static_cast<int>(-fd), "make Landlock rules", "");
  return LandlockRules(Fd(fd), attributes.filesystem);
}

Status LandlockRules::allow(const char* path, LandlockAccess access) {
  PALE_TRY(fd, open_at(kAbsolute, path, O_PATH | O_NOFOLLOW));
  auto allowed = allow(fd, access);
  if (!allowed) allowed.error().subject = path;
  return allowed;
}

Status LandlockRules::allow(const Fd& place, LandlockAccess access) {
  const std::uint64_t rights = rights_of(access, handled_);
  long result = add(place.borrow(), rights);
  if (result == -EINVAL) result = add(place.borrow(), rights & kFileRights);  // not a directory: it has fewer rights
  if (failed(result)) return fail_errno(static_cast<int>(-result), "add Landlock rule", "");
  return {};
}

Status LandlockRules::allow_again(int descriptor) {
  struct stat info = {};
  if (failed(call(SYS_fstat, descriptor, &info))) return {};  // It is closed.
  const bool file = S_ISREG(info.st_mode);
  const bool device = S_ISCHR(info.st_mode) && (info.st_rdev == kNull || is_terminal(descriptor));
  if (!file && !device) return {};
  const long flags = call(SYS_fcntl, descriptor, F_GETFL);
  if (failed(flags) || (flags & O_PATH) != 0 || (file && (flags & O_APPEND) != 0)) return {};
  const long way = flags & O_ACCMODE;
  std::uint64_t rights = 0;
  if (way != O_WRONLY) rights |= LANDLOCK_ACCESS_FS_READ_FILE;
  if (way != O_RDONLY) rights |= LANDLOCK_ACCESS_FS_WRITE_FILE | (handled_ & kTruncate);
  const long result = add(descriptor, rights);
  // A file that lies in memory alone has no path, and nothing that could be allowed.
  if (failed(result) && result != -EBADFD)
    return fail_errno(static_cast<int>(-result), "add Landlock rule for descriptor", std::to_string(descriptor));
  return {};
}

long LandlockRules::add(int place, std::uint64_t rights) const {
  struct landlock_path_beneath_attr rule = {};
  rule.parent_fd = place;
  rule.allowed_access = rights;
  return call(SYS_landlock_add_rule, ruleset_.borrow(), LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
}

Status LandlockRules::enforce() const {
  const long result = call(SYS_landlock_restrict_self, ruleset_.borrow(), 0);
  if (failed(result)) return fail_errno(static_cast<int>(-result), "enforce Landlock rules", "");
  return {};
}

}  // namespace pale::sys
