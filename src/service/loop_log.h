// service/loop_log.h: where a loop over a prd.json writes down what it does: PALE_HOME/loops/<file>. One loop at a time.
#pragma once

#include "base/path.h"
#include "loop/log.h"
#include "sys/fd.h"

namespace pale::service {

// Of all loops over that file; it is there once one has begun.
Path loop_log_of(const Path& pale_home, const Path& prd);

class LoopLog {
 public:
  // Refuses if another loop works on the same file.
  static Result<LoopLog> open(const Path& pale_home, const Path& prd);

  const Path& file() const noexcept { return file_; }
  // What came before.
  Result<std::vector<loop::Entry>> read() const;
  // Its time is set here. One write.
  Status append(loop::Entry entry);
  // For the output of one run of a story, and what follows it. `loop`: what tells this loop from those before it.
  Result<sys::Fd> open_output(const std::string& loop, std::uint64_t run, const std::string& story, Path& file) const;

 private:
  LoopLog(Path file, sys::Fd log) : file_(std::move(file)), log_(std::move(log)) {}
  Path file_;
  sys::Fd log_;  // locked
};

}  // namespace pale::service
