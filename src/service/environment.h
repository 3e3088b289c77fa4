// service/environment.h: which variables a command inside has, and who said so.
#pragma once

#include "service/terms.h"

namespace pale::service {

// The usual ones, what the user grants and asks for, and where the network's proxy and keys are found. The parts have their home,
// their network and their hosts by then.
Status add_environment(BoundaryParts& parts, const Request& request, const Caller& caller, const Terms& terms,
                       const Path& temporary);

}  // namespace pale::service
