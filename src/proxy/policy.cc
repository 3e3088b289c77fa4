#include "proxy/policy.h"

#include <algorithm>

namespace pale::proxy {

using network::Settings;

namespace {

Ruling yes() { return {true, {}, {}}; }

std::string rule_text(const std::string& host, std::uint16_t port) {
  const auto kind = Address::parse(host) ? HostRule::Kind::Address : HostRule::Kind::Name;
  const bool usual = port == kHttpPort || port == kHttpsPort;
  return to_text(HostRule{kind, host, usual ? std::uint16_t{0} : port, {}});
}

}  // namespace

Policy::Policy(const Settings& settings) : settings_(settings) {
  for (const auto& [name, address] : stand_ins(settings.rules)) {
    numbers_.emplace(name, address.number());
    names_.emplace(address.number(), name);
  }
}

Ruling Policy::on_host(const std::string& host, std::uint16_t port) const {
  if (rule_for(settings_.rules, host, port) != nullptr) return yes();
  const bool name = !Address::parse(host);
  if (settings_.mode == Settings::Mode::Observe && name) return yes();
  const auto on_other_port = [&](const HostRule& rule) {
    return rule_for({&rule, 1}, host, ports_of(rule).front()) != nullptr;
  };
  const bool known = std::ranges::any_of(settings_.rules, on_other_port);
  return {false, known ? "it is on the list with another port" : "it is not on the list", rule_text(host, port)};
}

Ruling Policy::on_name(const std::string& name) const {
  const auto lets = [&](const HostRule& rule) { return rule_for({&rule, 1}, name, ports_of(rule).front()) != nullptr; };
  if (settings_.mode == Settings::Mode::Observe || std::ranges::any_of(settings_.rules, lets)) return yes();
  return {false, "it is not on the list", name};
}

Ruling Policy::on_address(const std::string& host, std::uint16_t port, const Address& address) const {
  if (rule_for(settings_.rules, to_text(address), port) != nullptr) return yes();
  const auto special = special_use(address);
  if (!special) return yes();
  return {
      false,
      host + " leads to " + to_text(address) + ", which is no address of the internet (" + std::string(*special) + ")",
      rule_text(to_text(address), port)};
}

std::optional<network::Endpoint> Policy::place_of(const std::string& host) const {
  const auto found = std::ranges::find(settings_.places, host, &std::pair<std::string, network::Endpoint>::first);
  return found == settings_.places.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Address> Policy::stand_in_for(const std::string& name) {
  if (const auto known = numbers_.find(name); known != numbers_.end()) return Address::v4(known->second);
  if (next_ > kLastStandIn) return std::nullopt;
  numbers_.emplace(name, next_);
  names_.emplace(next_, name);
  return Address::v4(next_++);
}

std::optional<std::string> Policy::meant_by(const Address& address) const {
  if (address.family == Address::Family::V4) {
    if (const auto name = names_.find(address.number()); name != names_.end()) return name->second;
  }
  const std::string text = to_text(address);
  const auto is_it = [&](const HostRule& rule) { return rule.kind == HostRule::Kind::Address && rule.host == text; };
  return std::ranges::any_of(settings_.rules, is_it) ? std::optional(text) : std::nullopt;
}

}  // namespace pale::proxy
