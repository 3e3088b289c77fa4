// mcp/schema.h: the part of JSON Schema 2020-12 that tools use, checked before they run.
#pragma once

#include <optional>
#include <string>

#include "mcp/json.h"

namespace pale::mcp {

// Fills in defaults, and makes whole numbers of those written like 3.0. What does not fit comes back as a sentence that names the
// place and what is expected there: "limits.pids: must be a whole number, not a text".
// Known: type, properties, required, additionalProperties, enum, const, items, minimum, maximum, exclusiveMinimum,
// exclusiveMaximum, minLength, maxLength, minItems, maxItems, oneOf, anyOf, allOf, default. Other words say nothing.
std::optional<std::string> check_schema(const Json& schema, Json& value, const std::string& place = {});

}  // namespace pale::mcp
