// sandbox/limits.h: memory and processes, by cgroup where one can be made, else by resource limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "boundary/boundary.h"
#include "plan/plan.h"
#include "sandbox/receipt.h"
#include "sys/fd.h"

namespace pale::sandbox {

struct LimitPlan {
  std::vector<std::string> cgroups;  // directories made for this run, to be removed after it
  std::vector<sys::Fd> joins;        // their cgroup.procs
  std::optional<std::uint64_t> data_limit;
  std::optional<std::uint64_t> process_limit;
  LimitGuards guards;
};

// Makes the cgroups. A limit that nothing here can keep is refused.
Result<LimitPlan> prepare_limits(const Limits& limits, plan::Backend backend);
// Moves the calling process into them; its children follow.
Status join_cgroups(const LimitPlan& limits);
// Once the run's processes are gone. A cgroup that is still emptying is tried again for a moment.
void remove_cgroups(const std::vector<std::string>& cgroups);

}  // namespace pale::sandbox
