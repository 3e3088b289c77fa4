// mcp/json.h: JSON as messages carry it: members keep the order in which they were written.
#pragma once

#include <nlohmann/json.hpp>

namespace pale::mcp {

using Json = nlohmann::ordered_json;

}  // namespace pale::mcp
