// For tests of what the program is made of: they have no keeper inside, and start none.
#include "service/keeper.h"

namespace pale::service {

std::span<const char> keeper_image() { return {}; }

}  // namespace pale::service
