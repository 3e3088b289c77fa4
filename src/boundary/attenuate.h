// boundary/attenuate.h: only tighter. A child's boundary made from its parent's.
#pragma once

#include "boundary/boundary.h"

namespace pale {

// Whether everything `child` allows, `parent` allows too. The error names the first thing that is more.
Status check_within(const Boundary& parent, const Boundary& child);

// The request, if the parent has all of it, with every restriction of the parent inside it carried over:
// narrower grants, protections, the smaller of the limits, the stricter network. Else a refusal that says what is too much.
Result<Boundary> attenuate(const Boundary& parent, const Boundary& request);

}  // namespace pale
