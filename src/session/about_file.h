// session/about_file.h: what a session is, as it stands on disk: in session.json, or in the first line of a record in one file.
#pragma once

#include "session/about.h"
#include "session/place.h"

namespace pale::session {

struct AboutFile {
  About about;
  std::string line;               // as it was read
  std::uint64_t first_event = 0;  // where the events begin in the journal
};

// Nothing: it does not stand yet.
Result<std::optional<AboutFile>> read_about(const Place& place);
// By what place.folder() is opened as.
Result<std::optional<AboutFile>> read_about(const sys::Fd& folder, const Place& place);

}  // namespace pale::session
