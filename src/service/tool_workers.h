// service/tool_workers.h: workers for tools: whoever is called from inside a boundary gets no more than that boundary has.
#pragma once

#include "service/worker_ground.h"

namespace pale::service {

// What the project has for its workers, narrowed to what the tools have themselves: a folder that they do not see is not there,
// one that they cannot change is read-only, and what is protected or hidden from them stays so. `observed`: of their sandbox, once they run; the workers' are compared with it.
Result<WorkerGround> ground_for_tools(const ProjectWorkers& all, const Boundary& tools,
                                      const sandbox::Observed& observed, const Caller& caller);

// The same for a boundary alone. Pure.
Result<Boundary> narrowed_to(const Boundary& ceiling, const Boundary& tools);

}  // namespace pale::service
