// boundary/json.h: a Boundary as JSON and back; what is written is read back equal.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "boundary/boundary.h"

namespace pale {

// Values of variables may be secrets: what is shown or kept has null in their place.
enum class Values { Written, Withheld };

void write_json(JsonWriter& out, const Boundary& boundary, Values values);
std::string to_json(const Boundary& boundary, Values values = Values::Written);

// Strict: an unknown key, a wrong type, nesting deeper than a boundary has, or more than 1 MiB is an error that says where.
Result<Boundary> boundary_from_json(std::string_view text);

}  // namespace pale
