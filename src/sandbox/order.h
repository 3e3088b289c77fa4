// sandbox/order.h: what the host of a live sandbox and its first process say to each other. One message each, over a socket that
// nothing else has.
#pragma once

#include <cstdint>
#include <string>

#include "base/error.h"
#include "sandbox/command.h"

namespace pale::sandbox {

// With a command go the three descriptors that become its input and outputs.
struct Order {
  enum class Kind { Run, Signal, Stop, StopAll } kind = Kind::Run;
  Command command;           // Run
  int signal = 0;            // Signal: to the command and what it has not sent away
  std::uint32_t number = 0;  // Signal: only if it is this command that runs
};

struct News {
  enum class Kind {
    Ready,  // the sandbox stands and was read back; with it comes the line to its starter, or to a new one, which has
            // begun `number` commands
    NotBegun,  // the command could not be exec'ed, and `number` (errno) is why
    Exit,      // the command ended, with `number` as its exit code
    Denied,    // the boundary refused something
    Changed,   // something in the workspace is about to be changed
    Stopped,   // all that ran is ended
  } kind = Kind::Ready;
  int number = 0;
  std::uint32_t run = 0;  // Exit: which command, counted from 1
  std::string path;  // Denied, Changed: any bytes. Empty: more than is told. NotBegun: what it is that fails, if it is
                     // not the command
  std::string operation;  // Denied, Changed
  std::string rule;       // Denied
};

std::string to_text(const Order& order);
Result<Order> parse_order(std::string_view text);
std::string to_text(const News& news);
Result<News> parse_news(std::string_view text);

}  // namespace pale::sandbox
