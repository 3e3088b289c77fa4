// service/keeper.h: the other half of the program: what keeps records and serves, linked with libraries that would slow every
// start. It lies in this program's image and is run from memory.
#pragma once

#include <span>

#include "base/error.h"

namespace pale::service {

// In the keeper, this descriptor is the program that started it: sessions are hosted by that one.
inline constexpr int kProgramDescriptor = 3;

// Defined by the program (apps/pale).
std::span<const char> keeper_image();

// Becomes the keeper, with the same arguments. Returns only if that fails.
Error become_keeper(char** argv, char** envp);

}  // namespace pale::service
