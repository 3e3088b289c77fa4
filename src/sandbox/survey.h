// sandbox/survey.h: looks at this machine once, so that planning can be pure.
#pragma once

#include <optional>

#include "boundary/boundary.h"
#include "plan/plan.h"

namespace pale::sandbox {

// The boundary around this process, if it runs inside one of Pale's: read from a place that only Pale can have made.
Result<std::optional<Boundary>> look_around();

plan::Facts survey(const Boundary& boundary, const std::optional<Boundary>& outer,
                   const std::vector<plan::Link>& links);

// The directories at the root that are links into /usr here, and those that are directories of their own.
std::vector<plan::Link> system_links();

}  // namespace pale::sandbox
