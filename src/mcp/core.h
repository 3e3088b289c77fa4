// mcp/core.h: the methods that every server has.
#pragma once

#include <vector>

#include "mcp/server.h"

namespace pale::mcp {

std::vector<Method> core_methods();

}  // namespace pale::mcp
