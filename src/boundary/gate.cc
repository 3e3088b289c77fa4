#include "boundary/gate.h"

#include <algorithm>

namespace pale {

std::vector<std::pair<std::string, Address>> stand_ins(const std::vector<HostRule>& rules) {
  std::vector<std::pair<std::string, Address>> all;
  std::uint32_t next = kFirstStandIn;
  for (const HostRule& rule : rules) {
    const auto known = [&](const auto& each) { return each.first == rule.host; };
    if (rule.kind == HostRule::Kind::Name && std::ranges::none_of(all, known))
      all.emplace_back(rule.host, Address::v4(next++));
  }
  return all;
}

}  // namespace pale
