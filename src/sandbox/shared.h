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

// The command that runs in a live sandbox, or did last. Its starter says so, and the first process reads it.
struct Started {
  std::atomic<std::uint32_t> number;    // counts them
  std::atomic<sys::Pid> pid;            // 0: not known yet
  std::atomic<std::uint64_t> at;        // in clock ticks since boot
  std::atomic<bool> over;               // and the host has been told
  std::atomic<std::uint32_t> unwanted;  // the number of one that is to end, written by the first process
};

// Lies in fresh shared memory, which the kernel has zeroed: that is its initial state. Initialising it here would touch, and
// so cost, every page of it.
struct Shared {
  bool failed;  // setting up did not succeed; `error` says why
  SharedError error;
  bool started;             // the command has been exec'ed
  std::int64_t started_ns;  // then, since 1970
  std::int64_t watch_ns;    // of a processor, that the watch of a run took
  std::uint64_t accesses;   // that it looked at
  int exec_error;           // errno, if it could not be
  bool command_ended;       // with `status`
  bool ended;               // and so has everything it started
  int status;
  bool stopped;        // the command was stopped by a job-control signal
  bool give_terminal;  // when it goes on, it is in the foreground
  bool asked;          // the filter asked about a call: before that, nothing inside can have made a name
  bool contained;      // a protected path appeared although every call was watched; the run was ended
  Observed observed;   // what was read back
  Started last;        // in a live sandbox
};

Result<Shared*> make_shared();

}  // namespace pale::sandbox
