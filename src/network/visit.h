// network/visit.h: one connection, or one question for a name, as it is told and written down. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace pale::network {

enum class Verdict {
  Begun,    // let through, and goes on
  Allowed,  // let through, and over
  Blocked,  // the boundary refused it
  Failed,   // let through, and came to nothing
};

struct Visit {
  Verdict verdict = Verdict::Allowed;
  std::string host;  // a name or an address; any bytes, if it is none
  std::uint16_t port = 0;
  std::string way;             // "https", "http", "tcp", "udp", "name", "key NAME"
  std::string reason;          // Blocked, Failed: one sentence
  std::string rule;            // what would have let it through: "api.example.org:8443"; empty: nothing a list can say
  std::uint64_t sent = 0;      // bytes to the host
  std::uint64_t received = 0;  // bytes from it

  bool operator==(const Visit&) const = default;
};

std::string_view to_text(Verdict verdict) noexcept;

// Of one line.
std::string to_json(const Visit& visit);
Result<Visit> parse_visit(std::string_view text);

// "api.example.org:443", safe to show.
std::string place_of(const Visit& visit);

}  // namespace pale::network
