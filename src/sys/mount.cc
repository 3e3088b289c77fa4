#include "sys/mount.h"

#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

#include "base/text.h"
#include "sys/file.h"

#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif

namespace pale::sys {
namespace {

constexpr int kUnmountDetach = 2;  // MNT_DETACH; <sys/mount.h> and <linux/mount.h> cannot both be included.
constexpr std::size_t kMostMountInfo = 4UL << 20U;

Status check(long result, const char* operation, const char* subject) {
  if (failed(result)) return fail_errno(static_cast<int>(-result), operation, subject);
  return {};
}

// mountinfo writes space, tab, newline and backslash as three octal digits.
std::string unescape(std::string_view text) {
  if (text.find('\\') == std::string_view::npos) return std::string(text);
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 3 < text.size()) {
      plain += static_cast<char>((text[at + 1] - '0') << 6 | (text[at + 2] - '0') << 3 | (text[at + 3] - '0'));
      at += 3;
    } else {
      plain += text[at];
    }
  }
  return plain;
}

std::string_view next_field(std::string_view& line) {
  const std::size_t end = std::min(line.find(' '), line.size());
  const std::string_view field = line.substr(0, end);
  line.remove_prefix(std::min(end + 1, line.size()));
  return field;
}

bool has_option(std::string_view options, std::string_view wanted) {
  while (!options.empty()) {
    const std::size_t end = std::min(options.find(','), options.size());
    if (options.substr(0, end) == wanted) return true;
    options.remove_prefix(std::min(end + 1, options.size()));
  }
  return false;
}

}  // namespace

Result<Fd> new_filesystem(const char* type, std::initializer_list<MountOption> options, MountAccess access,
                          Devices devices) {
  const Fd context(call(SYS_fsopen, type, FSOPEN_CLOEXEC));
  if (!context.is_open()) return fail_errno(-context.borrow(), "open filesystem", type);
  for (const MountOption& option : options) {
    const unsigned command = option.value == nullptr ? FSCONFIG_SET_FLAG : FSCONFIG_SET_STRING;
    PALE_CHECK(check(call(SYS_fsconfig, context.borrow(), command, option.key, option.value, 0),
                     "set filesystem option", option.key));
  }
  PALE_CHECK(
      check(call(SYS_fsconfig, context.borrow(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0), "make filesystem", type));
  const unsigned attributes = MOUNT_ATTR_NOSUID | (access == MountAccess::ReadOnly ? MOUNT_ATTR_RDONLY : 0U) |
                              (devices == Devices::Hidden ? MOUNT_ATTR_NODEV : 0U);
  const long mount = call(SYS_fsmount, context.borrow(), FSMOUNT_CLOEXEC, attributes);
  if (failed(mount)) return fail_errno(static_cast<int>(-mount), "mount", type);
  return Fd(mount);
}

Result<Fd> clone_mount(int directory, const char* path, Subtree subtree) {
  const unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT |
                         (subtree == Subtree::WithMounts ? AT_RECURSIVE : 0U) | (*path == '\0' ? AT_EMPTY_PATH : 0U);
  const long tree = call(SYS_open_tree, directory, path, flags);
  if (failed(tree)) return fail_errno(static_cast<int>(-tree), "clone mount", path);
  return Fd(tree);
}

Status restrict_mount(const Fd& mount, MountAccess access, Devices devices, Subtree subtree) {
  struct mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_NOSUID | (access == MountAccess::ReadOnly ? MOUNT_ATTR_RDONLY : 0) |
                        (devices == Devices::Hidden ? MOUNT_ATTR_NODEV : 0);
  attributes.propagation = MS_PRIVATE;
  const unsigned flags = AT_EMPTY_PATH | (subtree == Subtree::WithMounts ? AT_RECURSIVE : 0U);
  return check(call(SYS_mount_setattr, mount.borrow(), "", flags, &attributes, sizeof attributes), "restrict mount",
               "");
}

Status allow_writing(const Fd& mount) {
  struct mount_attr attributes = {};
  attributes.attr_clr = MOUNT_ATTR_RDONLY;
  return check(call(SYS_mount_setattr, mount.borrow(), "", AT_EMPTY_PATH, &attributes, sizeof attributes),
               "make writable", "");
}

Result<Fd> mount_point(int directory, const char* path) {
  const long point = open_resolved(directory, path, O_PATH, RESOLVE_NO_SYMLINKS);
  if (failed(point)) return fail_errno(static_cast<int>(-point), "find mount point", path);
  return Fd(point);
}

Status attach_mount(const Fd& mount, const Fd& point) {
  return check(
      call(SYS_move_mount, mount.borrow(), "", point.borrow(), "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH),
      "attach mount", "");
}

Status attach_mount(const Fd& mount, int directory, const char* path) {
  return check(call(SYS_move_mount, mount.borrow(), "", directory, path, MOVE_MOUNT_F_EMPTY_PATH), "attach mount at",
               path);
}

Status enter_root() { return check(call(SYS_pivot_root, ".", "."), "enter the new root", ""); }

Status leave_old_root() {
  PALE_CHECK(check(call(SYS_umount2, ".", kUnmountDetach), "let the old root go", ""));
  return check(call(SYS_chdir, "/"), "go to", "/");
}

Status bind_device(const char* source, const char* target) {
  return check(call(SYS_mount, source, target, nullptr, MS_BIND, nullptr), "show the device", source);
}

Status make_read_only(const char* path, Subtree subtree) {
  struct mount_attr attributes = {};
  attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID;
  attributes.propagation = MS_PRIVATE;
  const unsigned flags = subtree == Subtree::WithMounts ? AT_RECURSIVE : 0U;
  return check(call(SYS_mount_setattr, kWorkingDirectory, path, flags, &attributes, sizeof attributes),
               "make read-only", path);
}

std::vector<MountLine> parse_mounts(std::string_view mountinfo) {
  std::vector<MountLine> mounts;
  mounts.reserve(static_cast<std::size_t>(std::ranges::count(mountinfo, '\n')) + 1);
  while (!mountinfo.empty()) {
    const std::size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
    std::string_view line = mountinfo.substr(0, end);
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    // id parent major:minor root target options [tags…] - type source super-options
    MountLine mount;
    mount.id = parse_number(next_field(line)).value_or(0);
    (void)next_field(line);
    mount.device = next_field(line);
    mount.root = unescape(next_field(line));
    mount.target = unescape(next_field(line));
    const std::string_view options = next_field(line);
    mount.read_only = has_option(options, "ro");
    mount.no_setuid = has_option(options, "nosuid");
    mount.no_devices = has_option(options, "nodev");
    while (!line.empty() && next_field(line) != "-") {
    }
    mount.type = std::string(next_field(line));
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

Result<std::vector<MountLine>> read_mounts(const std::string& mountinfo_path) {
  PALE_TRY(text, read_file(kAbsolute, mountinfo_path.c_str(), kMostMountInfo));
  return parse_mounts(text);
}

}  // namespace pale::sys
