// proxy/tally.h: what a session has used of its network, and what is left. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "boundary/boundary.h"

namespace pale::proxy {

class Tally {
 public:
  explicit Tally(const Limits& limits) : limits_(limits) {}

  // Why there is no more of it, in a sentence; nothing: one more is counted.
  std::optional<std::string> add_connection();
  std::optional<std::string> add_request();
  // Bytes are counted when they have come; who is over the limit gets no more.
  std::optional<std::string> add_bytes(std::uint64_t& of_host, std::uint64_t bytes);
  // Stays where it is.
  std::uint64_t& bytes_of(const std::string& host) { return hosts_[host]; }

 private:
  const Limits& limits_;
  std::uint64_t connections_ = 0;
  std::uint64_t requests_ = 0;
  std::uint64_t bytes_ = 0;
  std::unordered_map<std::string, std::uint64_t> hosts_;
};

}  // namespace pale::proxy
