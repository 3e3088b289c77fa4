// proxy/policy.h: who may be reached, by name and by address, and what stands in for a name inside. Pure.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "boundary/gate.h"
#include "network/settings.h"

namespace pale::proxy {

struct Ruling {
  bool allowed = false;
  std::string reason;  // one sentence, if it is not
  std::string rule;    // what would let it through
};

class Policy {
 public:
  explicit Policy(const network::Settings& settings);

  // Of a normal host.
  Ruling on_host(const std::string& host, std::uint16_t port) const;
  // Whether a name is to be known at all: it is let through on some port.
  Ruling on_name(const std::string& name) const;
  // Of an address that a name led to: at the moment of the connection, and that very one is then connected to.
  Ruling on_address(const std::string& host, std::uint16_t port, const Address& address) const;

  // Where the user has put a host; nothing: it is asked for.
  std::optional<network::Endpoint> place_of(const std::string& host) const;

  // What stands in for a name that is known; nothing: there are no more.
  std::optional<Address> stand_in_for(const std::string& name);
  // What an address inside means: a name, or itself if it is on the list.
  std::optional<std::string> meant_by(const Address& address) const;

 private:
  const network::Settings& settings_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::unordered_map<std::uint32_t, std::string> names_;
  std::uint32_t next_ = kFirstLaterStandIn;
};

}  // namespace pale::proxy
