// boundary/attenuate.h: only tighter. A child's boundary made from its parent's.
#pragma once

#include "boundary/boundary.h"

namespace pale {

// Whether everything `child` allows, `parent` allows too. The error names the first thing that is more.
Status check_within(const Boundary& parent, const Boundary& child);

// The request, if the parent has all of it, with every restriction of the parent inside it carried over:
// narrower grants, protections, the smaller of the limits, the stricter network. Else a refusal that says what is too much.
Result<Boundary> attenuate(const Boundary& parent, const Boundary& request);

// The same with a folder of the host, which it shows somewhere, shown at a second place as well: as it is there, and instead of
// what stood at that place. Nothing of the host is in it that was not before. Refused if it does not show the folder.
Result<Boundary> with_alias(const Boundary& boundary, const Path& folder, const Path& place);

}  // namespace pale
