// scope/order.h: which stories can be worked on now, and which of them first. Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "scope/prd.h"

namespace pale::scope {

// Places in `stories`. Those that do not pass yet and depend on nothing that does not, by priority, then as they stand in the
// file.
std::vector<std::size_t> ready_stories(const std::vector<Story>& stories);

// All that do not pass yet, in an order in which each could be worked on: by priority, but none before what it depends on.
std::vector<std::size_t> work_order(const std::vector<Story>& stories);

}  // namespace pale::scope
