// plan/gate.h: the sockets that an allow-list needs in the sandbox's own network. They are made there before anything runs, and
// handed out: whoever answers at them is outside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "boundary/boundary.h"

namespace pale::plan {

struct Listener {
  enum class Kind {
    Proxy,     // HTTP and SOCKS, for those who know a proxy
    NamesUdp,  // questions for the address of a name
    NamesTcp,
    Door,  // of a credential
    Port,  // of a host itself, for those who know none
  } kind;
  Address address;
  std::uint16_t port;
  bool operator==(const Listener&) const = default;
};

// Addresses that shall be this machine's own.
struct LocalRange {
  Address first;
  unsigned bits;
  bool operator==(const LocalRange&) const = default;
};

struct Gate {
  std::vector<LocalRange> ranges;
  std::vector<Listener> listeners;
};

// Of a boundary with Network::Allow. Refuses more hosts on ports of their own than sockets can be handed over.
Result<Gate> plan_gate(const Boundary& boundary);

std::string_view to_text(Listener::Kind kind) noexcept;
std::optional<Listener::Kind> parse_listener_kind(std::string_view text) noexcept;
// One line each, for people and golden files.
std::string to_text(const Gate& gate);

}  // namespace pale::plan
