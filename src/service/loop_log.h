// service/loop_log.h: where a loop over a prd.json writes down what it does: PALE_HOME/loops/<file>. One loop at a time.
#pragma once

#include "base/path.h"
#include "loop/log.h"
#include "sys/fd.h"

namespace pale::service {

class LoopLog {
 public:
  // Refuses if another loop works on the same file.
  static Result<LoopLog> open(const Path& pale_home, const Path& prd);

  Path file() const { return directory_ / "log.jsonl"; }
  // What came before.
  Result<std::vector<loop::Entry>> read() const;
  // Its time is set here. One write.
  Status append(loop::Entry entry);
  // For the output of one run of a story, and what follows it. `loop`: what tells this loop from those before it.
  Result<sys::Fd> open_output(const std::string& loop, std::uint64_t run, const std::string& story, Path& file) const;

 private:
  LoopLog(Path directory, sys::Fd log) : directory_(std::move(directory)), log_(std::move(log)) {}
  Path directory_;
  sys::Fd log_;  // locked
};

}  // namespace pale::service
