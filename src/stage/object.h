// stage/object.h: a file, a link, a directory with all that is in it, copied as it is: contents with their holes, mode,
// times, attributes of its own. Not flushed: that is for whoever has copied all of it.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "sys/fd.h"

namespace pale::stage {

// A place for one object: a name in an open directory.
struct Place {
  const sys::Fd& directory;
  std::string name;
};

// Never follows a link, and takes nothing that stands at `to`.
Status copy_object(const Place& from, const Place& to);
// The same, a directory without what is in it.
Status copy_entry(const Place& from, const Place& to);
// Like the file at `like`, with other contents.
Status write_object(const Place& like, const Place& to, const std::string& text);

// The last time that anything in it changed; 0 if there is nothing.
Result<std::int64_t> newest_change(const Place& place);

}  // namespace pale::stage
