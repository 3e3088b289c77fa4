// sandbox/record.h: a note of what a run may leave behind, so that the next command can clean up after a kill.
#pragma once

#include <string>
#include <vector>

#include "sandbox/appear.h"
#include "sys/fd.h"

namespace pale::sandbox {

// PALE_HOME and what lies in it.
struct Places {
  std::string home;  // PALE_HOME

  std::string runs() const { return home + "/runs"; }
  std::string quarantine() const { return home + "/quarantine"; }
};

// One file under runs/, locked for as long as its run lives.
class RunRecord {
 public:
  static Result<RunRecord> write(const Places& places, const std::vector<MissingPath>& missing,
                                 const std::vector<std::string>& cgroups);
  RunRecord(RunRecord&&) = default;
  RunRecord& operator=(RunRecord&&) = delete;
  ~RunRecord();

 private:
  RunRecord(std::string path, sys::Fd file) : path_(std::move(path)), file_(std::move(file)) {}
  std::string path_;
  sys::Fd file_;
};

// Cleans up after runs whose supervisor is gone. Returns what had appeared at protected paths and was put aside.
Result<std::vector<Path>> clean_up(const Places& places);

}  // namespace pale::sandbox
