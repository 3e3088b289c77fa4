// service/desk.h: Pale outside, for tools inside: it asks a person what they want leave for, and calls workers for them. A process
// of its own, since the one that starts it looks after the sandbox; what is said on its line is in tools/desk.h.
//
// It decides. What comes out of the line can ask, and can pass on what the client's user said; nothing else inside has that line.
#pragma once

#include "sandbox/receipt.h"
#include "service/prepare.h"
#include "sys/process.h"

namespace pale::service {

class Desk {
 public:
  // `tools`: what is read back of their sandbox, in memory that is shared with it.
  static Result<Desk> open(const Prepared& prepared, const Request& request, const Caller& caller,
                           const sandbox::Observed& tools);
  Desk(Desk&&) = default;
  Desk& operator=(Desk&&) = delete;
  ~Desk() { close(); }

  // The end for the tools.
  const sys::Fd& line() const noexcept { return line_; }
  // Once they have ended: it ends what it does for them, and then itself.
  void close() noexcept;

 private:
  Desk(sys::Fd line, sys::Child process) : line_(std::move(line)), process_(std::move(process)) {}

  sys::Fd line_;
  sys::Child process_;
};

}  // namespace pale::service
