// plan/landlock_backend.h: the plan for places without user namespaces: it keeps what Landlock can keep and refuses the rest.
#pragma once

#include "plan/plan.h"

namespace pale::plan {

Result<Plan> plan_landlock(const Boundary& boundary, const Facts& facts, Weakening weakening);

}  // namespace pale::plan
