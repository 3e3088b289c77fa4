// mcp/rate.h: how often each principal may ask.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

namespace pale::mcp {

// A bucket for each name, that fills at a steady rate and gives one drop for each request.
class Rate {
 public:
  using Time = std::chrono::steady_clock::time_point;
  Rate(double per_second, double burst) : per_second_(per_second), burst_(burst) {}
  // Nothing, or how long to wait for the next drop.
  std::optional<std::chrono::milliseconds> take(const std::string& name, Time now);
  // Forgets names whose bucket is full again.
  void sweep(Time now);
  std::size_t size() const noexcept { return buckets_.size(); }

 private:
  struct Bucket {
    double drops = 0;
    Time filled;
  };
  double fill(const Bucket& bucket, Time now) const;

  double per_second_;
  double burst_;
  std::map<std::string, Bucket> buckets_;
};

}  // namespace pale::mcp
