#include "mcp/rate.h"

#include <algorithm>

namespace pale::mcp {

double Rate::fill(const Bucket& bucket, Time now) const {
  const double seconds = std::chrono::duration<double>(now - bucket.filled).count();
  return std::min(burst_, bucket.drops + std::max(0.0, seconds) * per_second_);
}

std::optional<std::chrono::milliseconds> Rate::take(const std::string& name, Time now) {
  Bucket& bucket = buckets_.try_emplace(name, Bucket{burst_, now}).first->second;
  bucket.drops = fill(bucket, now);
  bucket.filled = now;
  if (bucket.drops < 1)
    return std::chrono::milliseconds(1 + static_cast<long>((1 - bucket.drops) / per_second_ * 1000));
  bucket.drops -= 1;
  return std::nullopt;
}

void Rate::sweep(Time now) {
  std::erase_if(buckets_, [&](const auto& entry) { return fill(entry.second, now) >= burst_; });
}

}  // namespace pale::mcp
