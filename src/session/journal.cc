#include "session/journal.h"

#include <fcntl.h>

#include "sys/event.h"
#include "sys/file.h"

namespace pale::session {

Result<Journal> Journal::create(const std::string& path, std::string_view first_line) {
  PALE_TRY(file, sys::open_at(sys::kAbsolute, path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  if (!first_line.empty()) PALE_CHECK(sys::write_all(file.borrow(), first_line));
  return Journal(std::move(file));
}

Status Journal::append(Event event) {
  event.number = ++last_;
  if (event.at_ms == 0) event.at_ms = sys::wall_clock_ns() / 1'000'000;
  const std::string line = to_line(event);
  bytes_ += line.size();
  return sys::write_all(file_.borrow(), line);
}

}  // namespace pale::session
