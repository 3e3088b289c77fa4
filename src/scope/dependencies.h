// scope/dependencies.h: whether stories can be done in some order at all.
#pragma once

#include <vector>

#include "scope/prd.h"

namespace pale::scope {

// Each id stands once, each dependency is a story, and none waits for itself, be it through others: "a -> b -> a".
Status check_dependencies(const std::vector<Story>& stories);

}  // namespace pale::scope
