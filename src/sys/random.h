// sys/random.h: bytes that nobody can guess, from the kernel.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "base/error.h"

namespace pale::sys {

// Waits, soon after boot, until the kernel has some.
Status fill_random(std::span<std::byte> bytes);

// A name that nobody else has (base/uuid.h).
Result<std::string> make_uuid();

}  // namespace pale::sys
