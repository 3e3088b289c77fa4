// service/session_host.h: the process behind one session: it starts the sandbox, keeps it for its clients, and writes down what
// happens. It belongs to nobody: whoever asked for it may go.
#pragma once

#include <optional>
#include <string>

#include "service/request.h"
#include "session/about.h"

namespace pale::service {

struct SessionRequest {
  TenantRequest tenant;
  std::string session;  // its id, a UUID
  std::optional<StageRequest> stage;
  session::Limits limits;
  std::optional<std::uint64_t> idle_seconds;
};

// As the one argument of the host's process.
std::string to_json(const SessionRequest& request);
Result<SessionRequest> parse_session_request(std::string_view text);

// Becomes the host, in a process of its own. What is said on `reply` is a session::Tell: Done once the session takes commands,
// or Failed and why. Returns when the session is over.
int host_session(const SessionRequest& request, const Caller& caller, int reply);

}  // namespace pale::service
