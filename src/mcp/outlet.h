// mcp/outlet.h: where the messages that belong to one request go. Each transport has its own.
#pragma once

#include <cstddef>
#include <string>

namespace pale::mcp {

// How a request ended, for transports that say so beside the message.
enum class Verdict {
  Answered,   // by a result, or an error of the method's own
  Malformed,  // it broke a rule of the protocol
  NoMethod,
};

// Bytes that wait for a client, beyond which it is behind.
inline constexpr std::size_t kMuchUnsent = std::size_t{1} << 20;

class Outlet {
 public:
  Outlet() = default;
  Outlet(const Outlet&) = delete;
  Outlet& operator=(const Outlet&) = delete;
  virtual ~Outlet() = default;

  virtual void send(std::string message) = 0;                      // a notification, or a question to the client
  virtual void finish(std::string response, Verdict verdict) = 0;  // nothing follows
  virtual void abandon() = 0;  // the request was cancelled: nothing follows, not even a response
  virtual void part() {}       // see Call::part
  // The client does not keep up: what it can do without is left out, so that it gets the rest.
  virtual bool is_behind() const noexcept = 0;
};

}  // namespace pale::mcp
