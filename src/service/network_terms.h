// service/network_terms.h: what the terms of a run come to on its network: hosts, keys, the variables by which programs find the
// proxy, and what the proxy is told. Touches no disk.
#pragma once

#include "network/settings.h"
#include "service/terms.h"

namespace pale::service {

// A key is had where its host is allowed.
void add_network(BoundaryParts& parts, const Terms& terms);

// With Network::Allow. What stands for a key says so.
std::vector<Variable> network_environment(const BoundaryParts& parts, const Terms& terms);
// Other ways to bring a key along, which a key that stays outside makes needless; and the variable that it is read from.
std::vector<std::string_view> replaced_variables(const BoundaryParts& parts, const Terms& terms);
// The key that is read from a variable of this name, and used inside; null: none is.
const project::NamedKey* key_kept_in(std::string_view variable, const BoundaryParts& parts, const Terms& terms);
inline constexpr std::string_view kPlaceholder = "kept-outside-by-pale";

network::Settings proxy_settings(const Boundary& boundary, const project::NetworkConfig& config, bool observe);

}  // namespace pale::service
