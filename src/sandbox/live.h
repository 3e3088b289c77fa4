// sandbox/live.h: a sandbox that stays: commands are run in it one after another, each a fork of a process that is confined in it and
// not a new sandbox. For a host that has one of them.
#pragma once

#include <array>
#include <memory>

#include "sandbox/order.h"
#include "sandbox/outside.h"
#include "sys/message.h"

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

  // Readable when there is news, or when its first process is gone; and when there is news of a command.
  const sys::Fd& line() const noexcept { return line_; }
  const sys::Fd& starter_line() const noexcept { return starter_line_; }
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
  // Ends all that commands left running.
  Status stop_all();

  std::string receipt() const;
  // Ends everything inside, and leaves nothing.
  Result<RunResult> end();

 private:
  LiveSandbox(std::unique_ptr<Outside> outside, sys::Fd line) : outside_(std::move(outside)), line_(std::move(line)) {}
  static Status order(const sys::Fd& line, const Order& order, std::span<const int> descriptors);
  Result<std::optional<News>> take_news(sys::Message message);
  Status wait_until_free();
  Status wait_until_ready();

  std::unique_ptr<Outside> outside_;
  sys::Fd line_;
  sys::Fd starter_line_;
  std::uint32_t begun_ = 0;
  bool stopping_ = false;      // What begins now might be taken for what was there before.
  std::vector<News> unheard_;  // came while it was waited for something else
};

}  // namespace pale::sandbox
