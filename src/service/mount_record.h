// service/mount_record.h: what was mounted in a worker's directory, noted in a file there, so that only that is taken away.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/path.h"
#include "sys/fd.h"

namespace pale::service {

struct MountedFolder {
  std::string name;  // in the directory
  Path source;
  std::uint64_t device = 0;  // of the copy
  std::uint64_t inode = 0;
  std::uint64_t born_ns = 0;  // an inode's number is given away again
  std::uint64_t state = 0;    // as it was made (state_of_tree)
};

// None, if there is no record.
Result<std::vector<MountedFolder>> read_mount_record(const sys::Fd& directory);
// Without folders the record goes.
Status write_mount_record(const Path& directory, const std::vector<MountedFolder>& folders);

}  // namespace pale::service
