// plan/other_names.h: refuses what is protected, read-only or hidden by one name, and can be had by another.
#pragma once

#include "plan/plan.h"

namespace pale::plan {

// A mount is about a name, and the other hard links of a file have none. Where they lie, nobody can say; so a file that is
// less than what lies around it must have none. What lies in a protected directory is not looked at.
Status check_other_names(const Boundary& boundary, const Facts& facts);

}  // namespace pale::plan
