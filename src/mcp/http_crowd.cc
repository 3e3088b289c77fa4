#include "mcp/http_crowd.h"

#include <algorithm>
#include <map>

namespace pale::mcp {

bool Crowd::has_room() {
  if (all_.size() < most_) return true;
  struct Share {
    std::size_t all = 0;
    bool rests = false;
  };
  std::map<std::string, Share> shares;
  for (const Connection* each : all_) {
    Share& share = shares[each->owner()];
    ++share.all;
    share.rests |= each->rests_since().has_value();
  }
  std::erase_if(shares, [](const auto& entry) { return !entry.second.rests; });
  if (shares.empty()) return false;
  const auto largest = std::ranges::max_element(shares, {}, [](const auto& entry) { return entry.second.all; });
  return close_longest_resting(largest->first);
}

bool Crowd::has_room_for(const std::string& owner) {
  const auto held = static_cast<std::size_t>(
      std::ranges::count_if(all_, [&](const Connection* each) { return each->owner() == owner; }));
  return held < std::max<std::size_t>(1, most_ / 2) || close_longest_resting(owner);
}

bool Crowd::close_longest_resting(const std::string& owner) {
  Connection* longest = nullptr;
  for (Connection* each : all_) {
    const auto since = each->rests_since();
    if (!since || each->owner() != owner) continue;
    if (longest == nullptr || *since < *longest->rests_since()) longest = each;
  }
  if (longest == nullptr) return false;
  longest->close();
  return true;
}

}  // namespace pale::mcp
