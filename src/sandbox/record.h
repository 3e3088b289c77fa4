// sandbox/record.h: a note of what a run may leave behind, so that the next command can clean up after a kill.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sandbox/appear.h"
#include "sandbox/places.h"
#include "sys/fd.h"

namespace pale::sandbox {

// One file under runs/, locked for as long as its run lives. It stays when the run is over, marked as idle, for the next one:
// to make and remove a file takes the kernel longer than most steps of a start.
class RunRecord {
 public:
  static Result<RunRecord> make(const Places& places);
  RunRecord(RunRecord&&) = default;
  RunRecord& operator=(RunRecord&&) = delete;
  ~RunRecord();

  // `trees`: directories that are there for this run alone.
  Status write(const std::vector<MissingPath>& missing, const std::vector<std::string>& cgroups,
               const std::vector<std::string>& trees);
  // From the start of a command until nothing of it is left there is something that the next command would have to do: meanwhile
  // the record stays as it is, whatever becomes of this process.
  void begun() noexcept { settled_ = false; }
  void settled() noexcept { settled_ = true; }

 private:
  friend struct Cleaner;
  explicit RunRecord(sys::Fd file) : file_(std::move(file)) {}
  sys::Fd file_;
  bool written_ = false;
  bool settled_ = true;
};

struct CleanUp {
  std::vector<Path> moved;         // what had appeared at protected paths and was put aside
  std::optional<RunRecord> idle;   // one for this run
  std::optional<Error> unsettled;  // why one of the runs could not be cleaned up after; the next command tries again
};
// Cleans up after runs whose supervisor is gone.
Result<CleanUp> clean_up(const Places& places);

}  // namespace pale::sandbox
