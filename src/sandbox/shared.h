// sandbox/shared.h: the page that the supervisor outside and the first process inside both see. Nothing inside the sandbox
// that runs foreign code has it: the command's memory is replaced by its exec.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/error.h"
#include "sandbox/receipt.h"
#include "sys/process.h"

namespace pale::sandbox {

// An Error that fits into shared memory; texts that are too long are cut.
struct SharedError {
  ErrorKind kind;
  int number;
  std::array<char, 512> operation;
  std::array<char, 4096> subject;
  std::array<char, 512> hint;

  void put(const Error& error) noexcept;
  Error get() const;
};

struct Shared {
  // The supervisor's word: the run is on record, the command may start.
  std::atomic<std::uint32_t> recorded = 0;
  bool failed = false;  // setting up did not succeed; `error` says why
  SharedError error = {};
  bool started = false;  // the command has been exec'ed
  int exec_error = 0;    // errno, if it could not be
  bool ended = false;    // the command has ended with `status`
  int status = 0;
  bool stopped = false;        // the command was stopped by a job-control signal
  bool give_terminal = false;  // when it goes on, it is in the foreground
  bool contained = false;      // a protected path appeared although every call was watched; the run was ended
  Observed observed = {};      // what was read back
};

}  // namespace pale::sandbox
