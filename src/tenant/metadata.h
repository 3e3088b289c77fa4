// tenant/metadata.h: metadata.json of a managed project, read and written while sessions look at it.
#pragma once

#include "base/path.h"
#include "sys/fd.h"
#include "tenant/settings.h"

namespace pale::tenant {

Result<Project> read_metadata(const Path& pale_home, const std::string& id, const sys::Fd& directory);

// For a directory that nobody else sees yet.
Status write_first_metadata(const sys::Fd& directory, const Project& project);

// In place: a file that took its place would take off the mount that keeps it as it is inside every session that lives (Linux
// detaches what is mounted on a file that goes). So the new text is first written whole beside the project, where it counts
// before the file itself, and goes when that says the same. The caller holds the project's lock.
Status write_metadata(const Path& pale_home, const sys::Fd& directory, const Project& project);
// Does the rest, if a kill came in between.
Status finish_metadata(const Path& pale_home, const std::string& id, const sys::Fd& directory);

}  // namespace pale::tenant
