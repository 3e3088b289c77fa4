// sys/mount.h: building a root of mounts. Every call is for a process with CAP_SYS_ADMIN in its own user namespace.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "sys/fd.h"

namespace pale::sys {

enum class MountAccess { ReadOnly, Writable };
enum class Devices { Hidden, Shown };
enum class Subtree { Only, WithMounts };

struct MountOption {
  const char* key;
  const char* value;  // null: a flag
};
// A fresh filesystem of a type, not attached anywhere yet.
Result<Fd> new_filesystem(const char* type, std::initializer_list<MountOption> options, MountAccess access,
                          Devices devices = Devices::Hidden);

// A detached copy of what is mounted at a path. Never follows a symlink in the last component.
Result<Fd> clone_mount(int directory, const char* path, Subtree subtree);
// Takes read-only back from a mount that this process made.
Status allow_writing(const Fd& mount);
// nosuid always; nodev and read-only as told. No later mount of the host comes in.
Status restrict_mount(const Fd& mount, MountAccess access, Devices devices, Subtree subtree);
// Attaches a detached mount over an existing path below `directory`. For paths that nobody else could have made: it follows
// symlinks on the way.
Status attach_mount(const Fd& mount, int directory, const char* path);
// Opens a path below `directory` without following a symlink anywhere: something to clone or to mount on.
Result<Fd> mount_point(int directory, const char* path);
Status attach_mount(const Fd& mount, const Fd& point);
// Shows a device node at an existing path. Not restricted yet.
Status bind_device(const char* source, const char* target);
// The mount at a path, for good; nosuid too.
Status make_read_only(const char* path, Subtree subtree);
// Makes the mount under the working directory the root. The old one lies over it, reached from the working directory, until
// it is left.
Status enter_root();
Status leave_old_root();

struct MountLine {
  std::uint64_t id = 0;  // FileInfo::mount of what is seen through it
  std::string device;    // "254:0"
  std::string root;      // the part of its filesystem that is mounted
  std::string target;    // where
  std::string type;
  bool read_only = false;
  bool no_setuid = false;
  bool no_devices = false;
};
// This process's mounts as the kernel lists them, in the order they were made.
Result<std::vector<MountLine>> read_mounts(const std::string& mountinfo_path);
std::vector<MountLine> parse_mounts(std::string_view mountinfo);

}  // namespace pale::sys
