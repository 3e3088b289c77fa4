// service/disk_use.h: how much room directories take.
#pragma once

#include <cstdint>
#include <vector>

#include "base/path.h"

namespace pale::service {

// Stops counting when it knows. What cannot be looked at counts as nothing; no link is followed.
bool uses_more_than(const std::vector<Path>& directories, std::uint64_t bytes);

}  // namespace pale::service
