// search/byte_class.h: the class of a shell pattern: "[a-z_]", "[!0-9]", "[[:alpha:]]", as git reads it. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "search/pattern.h"

namespace pale::search {

// The bytes that a class stands for, and its length with both brackets. Nothing if it has no end, or names a class that there
// is not. `text` begins with '['.
std::optional<std::size_t> byte_class(std::string_view text, ByteSet& set);

}  // namespace pale::search
