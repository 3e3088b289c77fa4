#include "proxy/tally.h"

namespace pale::proxy {
namespace {

std::string over(std::uint64_t most, const std::string& of_what, const std::string& key) {
  return "the limit of " + std::to_string(most) + " " + of_what + " is reached ([network] " + key + ")";
}

}  // namespace

std::optional<std::string> Tally::add_connection() {
  if (limits_.connections && connections_ >= *limits_.connections)
    return over(*limits_.connections, "connections", "connections");
  ++connections_;
  return std::nullopt;
}

std::optional<std::string> Tally::add_request() {
  if (limits_.requests && requests_ >= *limits_.requests) return over(*limits_.requests, "requests", "requests");
  ++requests_;
  return std::nullopt;
}

std::optional<std::string> Tally::add_bytes(std::uint64_t& of_host, std::uint64_t bytes) {
  bytes_ += bytes;
  of_host += bytes;
  if (limits_.traffic && bytes_ > *limits_.traffic) return over(*limits_.traffic, "bytes", "traffic");
  if (limits_.host_traffic && of_host > *limits_.host_traffic)
    return over(*limits_.host_traffic, "bytes with one host", "host_traffic");
  return std::nullopt;
}

}  // namespace pale::proxy
