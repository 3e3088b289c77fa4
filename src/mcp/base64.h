// mcp/base64.h: bytes as letters.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pale::mcp {

std::string to_base64(std::string_view bytes);
// Strict: whole groups, padded, and nothing but the alphabet. One text has one encoding.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace pale::mcp
