// service/scope_mount.h: folders of a repository as a worker's own: copies in a directory of his, which share blocks with the
// originals where the filesystem can, and never a write. No link leads from there to the source.
#pragma once

#include <string>
#include <vector>

#include "scope/folders.h"

namespace pale::service {

// A copy of each folder in `directory`, which is made if it is not there. All of them, or none. Nothing is written over.
// Returns the names of those that were made: what lies in another folder of the list is there with it.
Result<std::vector<std::string>> mount_folders(const scope::Folders& folders, const std::string& directory);

// A directory that holds a folder, or lies in one, cannot have it mounted.
Status check_apart(const scope::Folders& folders, const Path& worker);
// Without those that lie in another one.
std::vector<const scope::Folder*> outermost(const scope::Folders& folders);
// Unless it is there.
Status make_workers_directory(const Path& place);

enum class WithChanges { Refuse, Discard };

struct Unmounted {
  std::vector<std::string> removed;  // names of folders
  std::vector<std::string> changed;  // paths in `directory` that are not as in the source; then nothing was removed
};

// Takes away copies that mount_folders made there, and nothing else, least of all in the source. `names` as they were given to
// it; a copy that is no longer as its source is stays, unless its changes may be lost.
Result<Unmounted> unmount_folders(const std::vector<std::string>& names, const std::string& directory,
                                  WithChanges with_changes);

}  // namespace pale::service
