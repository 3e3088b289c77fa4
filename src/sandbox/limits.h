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

struct Cgroup {
  std::string directory;
  std::string limit_file;  // in it
  std::uint64_t most;
};

struct LimitPlan {
  std::vector<Cgroup> cgroups;  // to be made for this run, and removed after it
  std::vector<sys::Fd> joins;   // cgroup.procs of those that were made
  std::optional<std::uint64_t> data_limit;
  std::optional<std::uint64_t> process_limit;
  LimitGuards guards;

  std::vector<std::string> directories() const;
};

// Decides what will keep each limit, and makes nothing yet: what is made must be on record before. A limit that nothing
// here can keep is refused.
Result<LimitPlan> plan_limits(const Limits& limits, plan::Backend backend);
Status make_cgroups(LimitPlan& limits);
// Moves the calling process into them; its children follow.
Status join_cgroups(const LimitPlan& limits);
// Once the run's processes are gone. A cgroup that is still emptying is tried again for a moment.
void remove_cgroups(const std::vector<std::string>& cgroups);

}  // namespace pale::sandbox
