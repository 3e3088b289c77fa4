#include "project/trust.h"

#include <algorithm>

namespace pale::project {

std::optional<Trust> parse_trust(std::string_view name) {
  const auto* level = std::ranges::find(kTrustLevels, name, &TrustLevel::name);
  if (level == std::end(kTrustLevels)) return std::nullopt;
  return level->trust;
}

}  // namespace pale::project
