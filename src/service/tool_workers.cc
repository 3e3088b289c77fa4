#include "service/tool_workers.h"

#include <algorithm>

#include "boundary/attenuate.h"
#include "boundary/explain.h"

namespace pale::service {
namespace {

constexpr std::string_view kSystem = "system";

std::optional<std::uint64_t> smaller(std::optional<std::uint64_t> one, std::optional<std::uint64_t> other) {
  return one && other ? std::min(one, other) : (one ? one : other);
}

// The folder as the tools see it, with all that is less inside it; nothing if they do not.
void add_as_seen(BoundaryParts& parts, const Grant& grant, const Boundary& tools) {
  const auto seen = with_alias(tools, grant.source, grant.path);
  if (!seen) return;
  for (Grant inner : seen->grants()) {
    if (!grant.path.covers(inner.path)) continue;
    inner.access = std::min(inner.access, grant.access);
    inner.removal = std::max(inner.removal, grant.removal);
    inner.origin = grant.origin;
    parts.grants.push_back(std::move(inner));
  }
  for (const Protection& protection : seen->protections()) {
    if (grant.path.covers(protection.path)) parts.protections.push_back(protection);
  }
}

// The system is there for all of them, but what is hidden of it.
void add_system(BoundaryParts& parts, const Grant& grant, const Boundary& tools) {
  parts.grants.push_back(grant);
  if (grant.path != grant.source) return;
  for (Grant hidden : tools.grants()) {
    if (hidden.access != Access::None || hidden.path == grant.path || !grant.path.covers(hidden.path)) continue;
    hidden.origin = kSystem;
    parts.grants.push_back(std::move(hidden));
  }
}

// A zone that they do not see is none of theirs to hand on, and one that they cannot change is read-only: then it is they who have
// less, and not the project. What is in no zone has no name to ask for; of that the boundary says so.
void narrow(worker::Holding& offered, const Boundary& ceiling) {
  std::vector<worker::Held> left;
  for (const worker::Held& held : offered.folders) {
    const Path place = Path::root() / held.name;
    worker::Held seen = held;
    if (!held.name.empty() && !explain(ceiling, place, Operation::Write).allowed())
      seen.access = std::min(seen.access, Access::Read);
    if (held.name.empty() || explain(ceiling, place, Operation::Read).allowed()) left.push_back(std::move(seen));
  }
  if (left != offered.folders) offered.holder = worker::Holder::Worker;
  offered.folders = std::move(left);
}

}  // namespace

Result<Boundary> narrowed_to(const Boundary& ceiling, const Boundary& tools) {
  BoundaryParts parts = ceiling.parts();
  const std::vector<Grant> grants = std::exchange(parts.grants, {});
  for (const Grant& grant : grants) {
    if (grant.origin == kSystem) add_system(parts, grant, tools);
    if (grant.origin != kSystem) add_as_seen(parts, grant, tools);
  }
  std::erase_if(parts.protections, [&](const Protection& protection) {
    return std::ranges::none_of(parts.grants, [&](const Grant& grant) { return grant.covers(protection.path); });
  });
  parts.network = std::min(ceiling.network(), tools.network());
  if (ceiling.network() == Network::Open) {
    parts.hosts = tools.hosts();
  } else if (tools.network() == Network::Allow) {
    parts.hosts = common(ceiling.hosts(), tools.hosts());
  }
  std::erase_if(parts.credentials, [&](const Credential& each) {
    return std::ranges::find(tools.credentials(), each) == tools.credentials().end();
  });
  parts.limits.memory = smaller(parts.limits.memory, tools.limits().memory);
  parts.limits.pids = smaller(parts.limits.pids, tools.limits().pids);
  parts.limits.seconds = smaller(parts.limits.seconds, tools.limits().seconds);
  return Boundary::make(std::move(parts));
}

Result<WorkerGround> ground_for_tools(const ProjectWorkers& all, const Boundary& tools,
                                      const sandbox::Observed& observed, const Caller& caller) {
  PALE_TRY(ground, lay_ground(all, caller));
  PALE_TRY(narrowed, narrowed_to(ground.ceiling, tools));
  ground.ceiling = std::move(narrowed);
  narrow(ground.offered, ground.ceiling);
  ground.within = sandbox::as_outer(observed);
  for (const Grant& grant : ground.ceiling.grants())
    if (grant.origin == kSystem) ground.within.beside.push_back(grant.path);
  return ground;
}

}  // namespace pale::service
