// sandbox/receipt.h: what the kernel says it did, compared with the plan, and kept.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "boundary/boundary.h"
#include "plan/plan.h"

namespace pale::sandbox {

// Read back inside, right before exec. Plain data: it lies in shared memory, zeroed at first.
struct Observed {
  bool complete;
  bool no_new_privileges;
  bool capabilities;  // any left
  int seccomp_mode;
  bool own_network;      // its network namespace is not the one around it
  bool landlock_denies;  // a write that only Landlock forbids was refused
  int inheritable_descriptors;
  int handed_descriptors;  // of them, those that the command is meant to have
  std::uint32_t mounts_length;
  std::array<char, 60000> mounts;  // mountinfo, as read
};

// The sandbox out of which one is asked for, as it was read back there: the new one may show no more.
struct Within {
  std::string_view mounts;  // mountinfo; empty: it is asked for from outside
  bool own_network = false;
  std::vector<Path> beside;  // shown read-only though it is not shown there: what every sandbox of that kind is given
};

Within as_outer(const Observed& observed);

// Mounts as the kernel lists them against those that were planned: all of them, with their flags, and no others.
Status check_mounts(const plan::Plan& plan, std::string_view mountinfo);
// The same against those of another sandbox: each part of the host that is seen here is seen there, too; writable only if it
// is there; and what is read-only or hidden inside it there is so here. What is made fresh for each sandbox is nobody's.
Status check_mounts_within(const plan::Plan& plan, std::string_view mountinfo, const Within& within);
// The network that was entered, against the plan and against that other sandbox's.
Status check_network(const plan::Plan& plan, const Observed& observed, const Within& within);
// The rest of what was read back.
Status check_privileges(const plan::Plan& plan, const Observed& observed);

struct LimitGuards {
  std::string memory;  // "cgroup", "rlimit" or empty
  std::string pids;
};

// `within`: which run of the session it was checked against (check_mounts_within), 0 being the tools that the session is of.
std::string receipt_json(const Boundary& boundary, const plan::Plan& plan, const Observed& observed,
                         const LimitGuards& limits, std::optional<std::uint64_t> within = std::nullopt);

}  // namespace pale::sandbox
