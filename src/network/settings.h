// network/settings.h: what the proxy of one sandbox is told: who may be reached, by which keys, within which limits. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "boundary/boundary.h"

namespace pale::network {

// Where a secret is read, outside, by the proxy alone.
struct Secret {
  enum class Source { File, Variable, Command } source = Source::File;
  std::vector<std::string> words;  // a path; a name; a program and its arguments
  bool operator==(const Secret&) const = default;
};

// What is added to each request that goes through a credential's door.
struct Key {
  Credential credential;
  std::string header;  // in lower case
  std::string prefix;  // before the secret: "Bearer "
  std::string user;    // if not empty: the value is "Basic " and the coded user:secret
  Secret secret;
  bool operator==(const Key&) const = default;
};

struct Endpoint {
  Address address;
  std::uint16_t port = 0;
  bool operator==(const Endpoint&) const = default;
};
// "192.0.2.1:8443", "[2001:db8::1]:443".
std::optional<Endpoint> parse_endpoint(std::string_view text);
std::string to_text(const Endpoint& endpoint);

struct Settings {
  enum class Mode {
    List,     // what the rules let through
    Observe,  // every public host, to find out which a command needs
  } mode = Mode::List;
  std::vector<HostRule> rules;
  std::vector<Key> keys;
  std::vector<std::pair<std::string, Endpoint>> places;  // names that the user has given an address
  std::string ca_file;                                   // certificates to trust beside the system's; empty: none
  std::optional<Endpoint> resolver;                      // whom to ask for names; nothing: as the system does
  Limits limits;
  std::uint64_t connect_seconds = 15;
  std::uint64_t idle_seconds = 900;  // a connection on which nothing moves
  bool operator==(const Settings&) const = default;
};

std::string to_json(const Settings& settings);
Result<Settings> parse_settings(std::string_view text);

}  // namespace pale::network
