// boundary/host_rule.h: one host of an allow-list: its name or address, and its port. A value; resolves nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "boundary/address.h"

namespace pale {

inline constexpr std::uint16_t kHttpPort = 80;
inline constexpr std::uint16_t kHttpsPort = 443;

struct HostRule {
  enum class Kind {
    Name,     // that host
    Below,    // every name that ends with it, with at least one label more: "*.example.org"
    Address,  // by number: such a connection is let through wherever it leads
  } kind = Kind::Name;
  std::string host;        // normal: in lower case, without a last dot; of an address, as RFC 5952 writes it
  std::uint16_t port = 0;  // 0: 80 and 443
  std::string origin;      // who said so

  bool operator==(const HostRule&) const = default;
};

// A host as one asks for it: "API.example.org." becomes "api.example.org", "[2001:DB8::1]" becomes "2001:db8::1". Refused: what no
// name can hold (NUL, blanks, '*', a label of 64 bytes), letters outside ASCII, and numbers that some programs take for an address.
Result<std::string> normal_host(std::string_view text);

// "api.example.org", "*.example.org:8443", "192.0.2.1:5432", "[2001:db8::1]:443".
Result<HostRule> parse_host_rule(std::string_view text, std::string origin);
std::string to_text(const HostRule& rule);

// The ports it means, at most two.
std::vector<std::uint16_t> ports_of(const HostRule& rule);

// Of a normal host and a port: the rule that lets it through; null: none.
const HostRule* rule_for(std::span<const HostRule> rules, std::string_view host, std::uint16_t port);

// Whether all that `rule` lets through, `rules` do.
bool covered(std::span<const HostRule> rules, const HostRule& rule);

// The most that both let through.
std::vector<HostRule> common(std::span<const HostRule> left, std::span<const HostRule> right);

// In order, and none that others cover.
std::vector<HostRule> simplified(std::vector<HostRule> rules);

// Separated by commas, for people.
std::string listed(std::span<const HostRule> rules);

}  // namespace pale
