// session/journal.h: the file a session's host writes what happens to.
#pragma once

#include "session/event.h"
#include "sys/fd.h"

namespace pale::session {

class Journal {
 public:
  // A new one; with a line before the first event, if that is given.
  static Result<Journal> create(const std::string& path, std::string_view first_line = {});

  // Its number is set here, and its time, if it has none. One write: whoever is killed loses this event at most.
  Status append(Event event);
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  explicit Journal(sys::Fd file) : file_(std::move(file)) {}
  sys::Fd file_;
  std::uint64_t last_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace pale::session
