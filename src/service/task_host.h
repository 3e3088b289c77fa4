// service/task_host.h: the process behind a task that was started from elsewhere: it runs an agent or a command in a local project's
// boundary, writes down what it says and what it is refused while that happens, passes input on, and ends it if asked. It
// belongs to nobody: whoever asked for it may go, and it is a session like others (pale session list, log, end, kill).
#pragma once

#include "service/request.h"
#include "service/task_request.h"
#include "sys/fd.h"

namespace pale::service {

inline constexpr std::string_view kTaskCommand = "task-host";

// Becomes the host, in a process of its own. On `reply` the id of the session is said once it goes on; or, as session::Tell, why
// it does not.
int host_task(const TaskRequest& request, const Caller& caller, int reply);

// The id of its session, once that goes on. `program`: the static one, which can be a host.
Result<std::string> start_task(const TaskRequest& request, const sys::Fd& program, const Caller& caller);

}  // namespace pale::service
