// proxy/resolver.h: asks for the addresses of a name, outside, as the system is set up to: its hosts file, then its name servers.
// Without the C library's resolver, which waits, and cannot be linked statically.
#pragma once

#include <chrono>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "network/settings.h"
#include "proxy/asio.h"

namespace pale::proxy {

class Resolver {
 public:
  Resolver(asio::any_io_executor executor, std::optional<network::Endpoint> server)
      : executor_(std::move(executor)), server_(server) {}

  // Those of IPv4 first. The host is normal, and no address.
  Async<Result<std::vector<Address>>> resolve(std::string host);

 private:
  struct Known {
    std::vector<Address> addresses;
    std::chrono::steady_clock::time_point until;
  };
  Async<Result<std::vector<Address>>> ask(std::string host, network::Endpoint server);
  Async<std::vector<Address>> ask_in_full(std::string host, std::uint16_t type, network::Endpoint server);
  std::vector<network::Endpoint> servers() const;

  asio::any_io_executor executor_;
  std::optional<network::Endpoint> server_;
  std::unordered_map<std::string, Known> known_;
};

// The lines of a hosts file that name a host, and the name servers of a resolv.conf. Pure.
std::vector<Address> addresses_in_hosts(std::string_view text, std::string_view host);
std::vector<Address> servers_in(std::string_view resolv_conf);

}  // namespace pale::proxy
