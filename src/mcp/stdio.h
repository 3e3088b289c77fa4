// mcp/stdio.h: serving one client on standard input and output, a message a line.
#pragma once

#include "base/error.h"
#include "mcp/loop.h"
#include "mcp/message.h"
#include "mcp/server.h"

namespace pale::mcp {

struct StdioOptions {
  Principal principal;  // the local user
  Bounds bounds;
  std::size_t running = 256;                   // calls at a time
  std::size_t unsent = std::size_t{64} << 20;  // bytes that the client has not read; beyond that it is taken for gone
  int grace_seconds = 10;                      // for calls to end by themselves, and once cancelled
  int input = 0;
  int output = 1;
};

// Returns at the end of the input, on SIGTERM or SIGINT, or when nobody reads any more. Calls that still run are cancelled first: at
// the end of the input, if they are not answered soon. Nothing but messages is written to the output.
Status serve_stdio(Loop& loop, Server& server, const StdioOptions& options);

}  // namespace pale::mcp
