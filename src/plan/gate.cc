#include "plan/gate.h"

#include <algorithm>
#include <array>

#include "boundary/gate.h"

namespace pale::plan {
namespace {

constexpr std::size_t kMostListeners = 200;
constexpr std::uint32_t kLoopback = 0x7f000001;
constexpr std::uint32_t kAnyAddress = 0;

constexpr std::array<std::string_view, 5> kKinds = {"proxy", "names-udp", "names-tcp", "door", "port"};

class Planner {
 public:
  explicit Planner(const Boundary& boundary) : boundary_(boundary), stand_ins_(stand_ins(boundary.hosts())) {}

  Result<Gate> plan() {
    gate_.ranges.push_back({Address::v4(kStandIns), kStandInBits});
    add(Listener::Kind::Proxy, Address::v4(kLoopback), kProxyPort);
    add(Listener::Kind::NamesUdp, Address::v4(kLoopback), kNamePort);
    add(Listener::Kind::NamesTcp, Address::v4(kLoopback), kNamePort);
    for (const Credential& credential : boundary_.credentials())
      add(Listener::Kind::Door, Address::v4(kLoopback), credential.door);
    for (const HostRule& rule : boundary_.hosts()) add_rule(rule);
    if (gate_.listeners.size() <= kMostListeners) return std::move(gate_);
    return fail(ErrorKind::Refused, "the network's list has too many hosts with ports of their own:",
                std::to_string(gate_.listeners.size()), "allow them by *.NAME, or on ports 80 and 443");
  }

 private:
  void add(Listener::Kind kind, const Address& address, std::uint16_t port) {
    const Listener listener{kind, address, port};
    if (std::ranges::find(gate_.listeners, listener) == gate_.listeners.end()) gate_.listeners.push_back(listener);
  }

  // An address is bound as itself. Names share a low port, which nothing inside could have; a high one may be some server's on
  // loopback, so there each name has it at its own address, as far as its address is known.
  void add_rule(const HostRule& rule) {
    if (rule.kind == HostRule::Kind::Address) {
      const auto address = Address::parse(rule.host);
      if (!address) return;
      gate_.ranges.push_back({*address, address->family == Address::Family::V4 ? 32U : 128U});
      for (const std::uint16_t port : ports_of(rule)) add(Listener::Kind::Port, *address, port);
      return;
    }
    for (const std::uint16_t port : ports_of(rule)) {
      const bool shared = port < kFirstUnprivilegedPort || rule.kind == HostRule::Kind::Below || has_below(port);
      const auto own = std::ranges::find(stand_ins_, rule.host, &std::pair<std::string, Address>::first);
      add(Listener::Kind::Port, shared || own == stand_ins_.end() ? Address::v4(kAnyAddress) : own->second, port);
    }
  }

  bool has_below(std::uint16_t port) const {
    return std::ranges::any_of(boundary_.hosts(), [&](const HostRule& rule) {
      return rule.kind == HostRule::Kind::Below && std::ranges::count(ports_of(rule), port) != 0;
    });
  }

  const Boundary& boundary_;
  std::vector<std::pair<std::string, Address>> stand_ins_;
  Gate gate_;
};

}  // namespace

Result<Gate> plan_gate(const Boundary& boundary) { return Planner(boundary).plan(); }

std::string_view to_text(Listener::Kind kind) noexcept { return kKinds[static_cast<std::size_t>(kind)]; }

std::optional<Listener::Kind> parse_listener_kind(std::string_view text) noexcept {
  const auto* found = std::ranges::find(kKinds, text);
  return found == kKinds.end() ? std::nullopt : std::optional(static_cast<Listener::Kind>(found - kKinds.begin()));
}

std::string to_text(const Gate& gate) {
  std::string text;
  for (const LocalRange& range : gate.ranges)
    text += "local " + to_text(range.first) + "/" + std::to_string(range.bits) + "\n";
  for (const Listener& listener : gate.listeners)
    text += "listen " + std::string(to_text(listener.kind)) + " " + to_text(listener.address) + " " +
            std::to_string(listener.port) + "\n";
  return text;
}

}  // namespace pale::plan
