// tools/job.h: a command that runs while the conversation goes on. Ending it ends whatever it started.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "sys/process.h"
#include "tools/answer.h"
#include "tools/blocked.h"
#include "tools/output.h"

namespace pale::tools {

// Empty if it is not set.
std::string_view variable_in(char* const* envp, std::string_view name);

struct JobRequest {
  std::vector<std::string> command;
  const sys::Fd& directory;  // in which it starts
  char* const* envp;
  std::uint64_t seconds;  // then it is ended
  std::string aside;      // a directory for output that is too much for an answer
  std::size_t most_output;
  Blocked* blocked = nullptr;  // as Workplace has it
};

struct JobEnd {
  int exit_code = 0;  // as a shell has it
  int exec_error = 0;
  bool timed_out = false;
  std::int64_t milliseconds = 0;
};

class Job {
 public:
  // The process that this starts looks after the command: it adopts what the command leaves behind, so that all of it can be
  // found and ended.
  static Result<Job> start(const JobRequest& request);

  // Both become readable, or close, when there is something to take.
  const sys::Fd& line() const noexcept { return line_; }
  const sys::Fd& output() const noexcept { return output_; }
  Output& written() noexcept { return written_; }
  const std::string& program() const noexcept { return program_; }
  // What was refused since it began, because it lies outside the folders.
  Blocked::Since refused() { return blocked_ != nullptr ? blocked_->since(blocked_before_) : Blocked::Since(); }
  // In words, below what it wrote.
  std::string refused_text() {
    std::string text;
    const Blocked::Since since = refused();
    for (const Tried& each : since.first) text += block_for(blocked_->boundary(), each) + "\n";
    return since.more > 0 ? text + "[WORKSPACE] and " + std::to_string(since.more) + " more\n" : text;
  }

  // Takes what there is now. With the command's end the job is over, though something that it started may still write.
  void take_output();
  std::optional<JobEnd> take_end();

  std::int64_t deadline_ms() const noexcept { return deadline_ms_; }
  // Asks it to end, and ends it a moment later.
  void end() const;
  void time_out();

 private:
  Job(sys::Child minder, sys::Fd line, sys::Fd output, const JobRequest& request, std::uint64_t before);

  sys::Child minder_;
  sys::Fd line_;
  sys::Fd output_;
  Output written_;
  std::string program_;
  std::int64_t started_ms_;
  std::int64_t deadline_ms_;
  bool timed_out_ = false;
  Blocked* blocked_;
  std::uint64_t blocked_before_;
};

}  // namespace pale::tools
