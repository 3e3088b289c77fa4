// service/worker_tools.h: tools in the boundary of a worker: what it could reach, with what is asked about there, and those files
// that its own declaration takes.
#pragma once

#include "service/prepare.h"

namespace pale::service {

// As if the user had called it. It calls no other worker by these tools.
Result<Prepared> prepare_worker_tools(const Request& request, const Caller& caller, const project::Surroundings& around,
                                      project::Resolved resolved, Terms terms);

}  // namespace pale::service
