// plan/namespace_backend.h: the plan that hides the host behind a root of its own.
#pragma once

#include "plan/plan.h"

namespace pale::plan {

Result<Plan> plan_namespaces(const Boundary& boundary, const Facts& facts, Weakening weakening);

}  // namespace pale::plan
