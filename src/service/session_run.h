// service/session_run.h: one command of a live session, as its host has it: its input, its outputs, its time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sandbox/live.h"
#include "session/message.h"
#include "sys/fd.h"

namespace pale::service {

// Of a command, or of what it left running: read until nobody holds the other end.
struct OutputPipe {
  std::uint64_t run = 0;
  std::string stream;  // "stdout", "stderr"
  sys::Fd pipe;
  std::uint64_t recorded = 0;  // bytes in the journal; more than there may be: nothing is recorded any more
};

// Whether a command can be run as it is asked for.
Status check_run(const session::Ask& ask);

struct OpenedRun {
  sandbox::Streams theirs;  // given away with the order
  sys::Fd input;            // ours
  sys::Fd output;
  sys::Fd errors;
};
enum class InputKind { None, Pipe };
Result<OpenedRun> open_run(InputKind input);

// What is to be written to a command's input, as it takes it.
class InputPipe {
 public:
  explicit InputPipe(sys::Fd pipe) : pipe_(std::move(pipe)) {}

  // Refuses more than a megabyte that the command has not read yet.
  Status add(std::string_view data, bool last);
  // Whether there is something to write; then it is polled.
  bool is_waiting() const noexcept { return pipe_.is_open() && !pending_.empty(); }
  int descriptor() const noexcept { return pipe_.borrow(); }
  // Writes what the pipe takes now. A command that closed its input wants none.
  void write_some();

 private:
  sys::Fd pipe_;
  std::string pending_;
  bool last_ = false;
};

struct Running {
  std::uint64_t number = 0;
  std::uint64_t client = 0;  // who asked, and is told; 0: is gone
  InputPipe input;
  std::int64_t began_ms = 0;
  std::optional<std::int64_t> deadline_ms;  // its time limit
  std::optional<std::int64_t> kill_at_ms;   // it was asked to end, and is ended then
  std::string ending = "exited";
  std::string name;  // its first word
  std::uint64_t denials = 0;
  std::uint64_t changes = 0;
};

}  // namespace pale::service
