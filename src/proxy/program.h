// proxy/program.h: the proxy as a process: what it is given, what it gives up, and then serves.
#pragma once

namespace pale::proxy {

// Descriptors that it starts with: a line on which the sockets come that were made inside; a line to whom it works for, from
// which its settings come first, and to which it tells of each connection.
inline constexpr int kGateLine = 0;
inline constexpr int kOwnerLine = 1;

int run_proxy(char** envp);

}  // namespace pale::proxy
