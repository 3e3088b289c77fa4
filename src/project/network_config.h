// project/network_config.h: [network] of PALE_HOME/config.toml: where hosts are, whom to trust, which keys stay outside. Only the
// user says such things.
#pragma once

#include "network/settings.h"
#include "project/table.h"

namespace pale::project {

// A key, and how programs inside are told of its door.
struct NamedKey {
  network::Key key;
  enum class Kind { Plain, Anthropic, OpenAi, Git, Npm } kind = Kind::Plain;
  std::string url_variable;  // gets the door's address; empty: none does
  std::string key_variable;  // gets something that stands for the key; empty: none does
  std::string where;
};

struct NetworkConfig {
  std::vector<NamedKey> keys;
  std::vector<std::pair<std::string, network::Endpoint>> places;
  std::string ca_file;
  std::optional<network::Endpoint> resolver;
  Limits limits;  // of them, those of the network
  std::optional<std::uint64_t> connect_seconds;
  std::optional<std::uint64_t> idle_seconds;
};

Result<NetworkConfig> read_network_config(Table& top, const TomlValue& whole);

// [network] connections, requests, traffic, host_traffic: of the user, and of a manifest.
Status read_network_limits(Table& table, std::optional<Said<std::uint64_t>>& connections,
                           std::optional<Said<std::uint64_t>>& requests, std::optional<Said<std::uint64_t>>& traffic,
                           std::optional<Said<std::uint64_t>>& host_traffic);

// The list of hosts of a key, each read.
Result<std::vector<HostRule>> read_hosts(Table& table, std::string_view key);

}  // namespace pale::project
