// sandbox/live.h: a sandbox that stays: commands are run in it one after another, each a fork of its first process and not a new
// sandbox. For a host that has one of them.
#pragma once

#include <array>
#include <memory>

#include "sandbox/order.h"
#include "sandbox/outside.h"

namespace pale::sandbox {

// A command's ends of what becomes its input and outputs.
struct Streams {
  sys::Fd input;
  sys::Fd output;
  sys::Fd errors;
};

class LiveSandbox {
 public:
  // It stands, was read back and takes commands. Blocks every signal of this process; what `request` refers to must outlive it.
  static Result<LiveSandbox> start(const SandboxRequest& request);

  // Readable when there is news, or when its first process is gone.
  const sys::Fd& line() const noexcept { return line_; }
  // The next, if there is one now. Gone: nothing inside runs any more.
  struct Heard {
    std::optional<News> news;
    bool gone = false;
  };
  Result<Heard> next_news();

  Status begin(const Command& command, const Streams& streams);
  // Asks the command to end.
  Status terminate_command();
  // Ends the command, the last one if none runs, and whatever it started.
  Status stop_command();

  std::string receipt() const;
  // Ends everything inside, and leaves nothing.
  Result<RunResult> end();

 private:
  LiveSandbox(std::unique_ptr<Outside> outside, sys::Fd line) : outside_(std::move(outside)), line_(std::move(line)) {}
  Status order(const Order& order, std::span<const int> descriptors);
  Status wait_until_ready();

  std::unique_ptr<Outside> outside_;
  sys::Fd line_;
};

}  // namespace pale::sandbox
