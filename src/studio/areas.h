// studio/areas.h: a project as nested areas: what may be done where, and how much lies there. Looks at the disk, and follows no link.
#pragma once

#include <map>
#include <string>

#include "boundary/boundary.h"
#include "studio/answer.h"

namespace pale::studio {

// "writable", "staged", "protected", "readonly", "listed" or "hidden".
std::string state_at(const Boundary& boundary, const Path& path);
std::string rule_at(const Boundary& boundary, const Path& path);

// `place`: from the root; empty: the root itself. An Area of the API.
Answer areas_of(const Boundary& boundary, const Path& root, const std::string& place, std::size_t depth);

// Where two boundaries of one project differ, at the places that either has a rule for.
Json changed_areas(const Boundary& before, const Boundary& after, const Path& root);

}  // namespace pale::studio
