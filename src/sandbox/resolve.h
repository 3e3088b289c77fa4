// sandbox/resolve.h: which name a path means, when another process says it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/path.h"
#include "sys/fd.h"
#include "sys/file.h"
#include "sys/process.h"

namespace pale::sandbox {

struct ResolvedName {
  Path path;           // absolute, as this mount namespace sees it, free of symlinks
  sys::FileKind kind;  // what stands there now
};

// The name that `text`, said by `thread` relative to `directory` (or AT_FDCWD), would create, open or remove.
// Nothing if there is no such directory: then the kernel will say so itself. An error if this process could not find out:
// then nobody knows what the kernel would do. Links::Follow as an open does it.
Result<std::optional<ResolvedName>> resolve_name(sys::Pid thread, int directory, std::string text, sys::Links links);

// What `text` leads to, through any link, also those of /proc: open, but for nothing else. Closed: there is no such thing.
Result<sys::Fd> open_for(sys::Pid thread, int directory, std::string_view text);

}  // namespace pale::sandbox
