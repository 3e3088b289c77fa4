// service/key_files.h: a file that a key is read from stays outside, as the key does.
#pragma once

#include "boundary/boundary.h"
#include "project/network_config.h"

namespace pale::service {

// Refuses a boundary in which one could be read. A file that is not there is told of when its key is used.
Status check_key_files(const Boundary& boundary, const project::NetworkConfig& config);

}  // namespace pale::service
