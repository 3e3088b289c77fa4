// tenant/place.h: files of managed projects, opened and written so that nothing an agent has put there leads elsewhere.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/path.h"
#include "sys/fd.h"

namespace pale::tenant {

inline constexpr std::size_t kMostText = 1UL << 20U;  // of a file of settings or about a workspace

// Below an open directory, through no link. Missing is an error with ENOENT, a link one that says so.
Result<sys::Fd> open_beneath(const sys::Fd& directory, const std::string& path, int flags);
// The text of a regular file there; nothing if there is none.
Result<std::optional<std::string>> read_beneath(const sys::Fd& directory, const std::string& path);
// A new file there, on disk; in the place of one that somebody left who was killed.
Status write_new(const sys::Fd& directory, const std::string& name, std::string_view text);

// PALE_HOME/projects.
Path projects_of(const Path& pale_home);
// The directory of one; an error that says so if there is none.
Result<sys::Fd> open_project_directory(const Path& pale_home, const std::string& id);

}  // namespace pale::tenant
