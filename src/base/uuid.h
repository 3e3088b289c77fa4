// base/uuid.h: names that nobody else has, as RFC 9562 writes them: "3f0c8a52-9d1b-4c7e-8a55-0d6f2b1c9e47".
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace pale {

// Lower case, 8-4-4-4-12 hexadecimal digits, whatever the version: one name has one spelling, on disk as in a message.
bool is_uuid(std::string_view text) noexcept;

// Version 4, from bytes that are random.
std::string uuid_from(std::span<const std::byte, 16> random);

}  // namespace pale
