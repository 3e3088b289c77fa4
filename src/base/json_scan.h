// base/json_scan.h: finds one value in a large JSON text without building a tree: a list of ten thousand things is looked
// through in the time it takes to read it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/error.h"
#include "base/toml.h"

namespace pale {

// Where the value stands that the keys lead to, from object to object; nothing if there is none. No keys: the whole value.
// The whole text is checked all the same, as JsonValue::parse does it with the same words, and nesting deeper than 64 is
// refused. But of a key that stands twice in one object only those that were asked for are noticed.
Result<std::optional<TextSpan>> find_json(std::string_view text, std::span<const std::string_view> keys);

}  // namespace pale
