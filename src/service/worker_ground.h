// service/worker_ground.h: what the workers of a project stand on: one Boundary with all that the project has for them, out of
// which each worker's own is made, by attenuating its caller's and in no other way.
#pragma once

#include "sandbox/receipt.h"
#include "service/system.h"
#include "service/worker_task.h"

namespace pale::service {

// Home and temporary files of a worker: in memory, its own, gone with it.
inline constexpr std::string_view kWorkerHome = "/tmp";
// Where a worker that may call others finds this program.
inline constexpr std::string_view kProgramInside = "/run/pale/bin/pale";

struct WorkerGround {
  Boundary ceiling;  // zones at /<name>
  sys::Fd etc_in_use;
  std::vector<plan::Link> links;
  WorkerCrew crew;
  worker::Holding offered;      // to those that no worker calls
  sandbox::Within within = {};  // the tools that they are called by
};
Result<WorkerGround> lay_ground(const ProjectWorkers& all, const Caller& caller);

// Of a worker that gets these folders from a caller with this boundary. A pure function that is a command reaches no network.
Result<Boundary> boundary_of(const Boundary& callers, const worker::WorkerFile& file,
                             const std::vector<worker::Held>& gets, std::optional<std::uint64_t> seconds);

}  // namespace pale::service
