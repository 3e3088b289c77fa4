// studio/process.h: work that waits, or enters namespaces, in a process of its own: this program again, as `pale studio-work`.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>

#include "mcp/loop.h"
#include "service/request.h"
#include "studio/answer.h"
#include "sys/fd.h"

namespace pale::studio {

// `text`: an Asked. For the server.
boost::asio::awaitable<Answer> do_elsewhere(mcp::Loop& loop, const sys::Fd& program, const service::Caller& caller,
                                            std::string text);

// In that process: what stands on standard input is done, its answer goes to standard output.
int work_here(const service::Caller& caller);

}  // namespace pale::studio
