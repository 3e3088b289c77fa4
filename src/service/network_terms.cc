#include "service/network_terms.h"

#include <algorithm>

#include "boundary/gate.h"

namespace pale::service {
namespace {

using project::NamedKey;
using project::NetworkMode;

constexpr std::string_view kOrigin = "network allow";

std::string url_of(std::uint16_t port) { return "http://127.0.0.1:" + std::to_string(port); }

bool is_had(const NamedKey& named, const BoundaryParts& parts) {
  return std::ranges::find(parts.credentials, named.key.credential) != parts.credentials.end();
}

class Environment {
 public:
  Environment(const BoundaryParts& parts, const Terms& terms) : parts_(parts), terms_(terms) {}

  std::vector<Variable> make() {
    add_proxy();
    for (const NamedKey& named : terms_.network_config.keys) {
      if (is_had(named, parts_)) add_key(named);
    }
    if (git_ > 0) set("GIT_CONFIG_COUNT", std::to_string(git_), std::string(kOrigin));
    return std::move(variables_);
  }

 private:
  void set(std::string name, std::string value, std::string origin) {
    variables_.push_back({std::move(name), std::move(value), std::move(origin)});
  }

  // In both spellings: some programs know one, some the other. A host's name is looked up by the proxy (socks5h).
  void add_proxy() {
    const std::string proxy = url_of(kProxyPort);
    for (const char* name : {"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"})
      set(name, proxy, std::string(kOrigin));
    for (const char* name : {"NO_PROXY", "no_proxy"}) set(name, "localhost,127.0.0.1,::1", std::string(kOrigin));
    set("NODE_USE_ENV_PROXY", "1", std::string(kOrigin));  // from Node 24 on
    set("npm_config_proxy", proxy, std::string(kOrigin));
    set("npm_config_https_proxy", proxy, std::string(kOrigin));
    set("npm_config_noproxy", "localhost,127.0.0.1,::1", std::string(kOrigin));
  }

  void add_key(const NamedKey& named) {
    const Credential& credential = named.key.credential;
    const std::string origin = "key " + credential.name;
    const std::string door = url_of(credential.door);
    const std::string base = named.kind == NamedKey::Kind::OpenAi ? door + "/v1" : door;
    if (!named.url_variable.empty()) set(named.url_variable, base, origin);
    if (!named.key_variable.empty()) set(named.key_variable, std::string(kPlaceholder), origin);
    if (named.kind == NamedKey::Kind::Npm) set("npm_config_replace_registry_host", "always", origin);
    if (named.kind != NamedKey::Kind::Git) return;
    const std::string port = credential.port == kHttpsPort ? "" : ":" + std::to_string(credential.port);
    set("GIT_CONFIG_KEY_" + std::to_string(git_), "url." + door + "/.insteadOf", origin);
    set("GIT_CONFIG_VALUE_" + std::to_string(git_), "https://" + credential.host + port + "/", origin);
    ++git_;
  }

  const BoundaryParts& parts_;
  const Terms& terms_;
  std::vector<Variable> variables_;
  std::size_t git_ = 0;
};

}  // namespace

void add_network(BoundaryParts& parts, const Terms& terms) {
  switch (terms.network.value) {
    case NetworkMode::None: return;
    case NetworkMode::Open: parts.network = Network::Open; return;
    case NetworkMode::Allow: break;
  }
  parts.network = Network::Allow;
  parts.hosts = terms.hosts;
  for (const NamedKey& named : terms.network_config.keys) {
    const Credential& credential = named.key.credential;
    if (rule_for(parts.hosts, credential.host, credential.port) != nullptr) parts.credentials.push_back(credential);
  }
}

std::vector<Variable> network_environment(const BoundaryParts& parts, const Terms& terms) {
  return parts.network == Network::Allow ? Environment(parts, terms).make() : std::vector<Variable>();
}

std::vector<std::string_view> replaced_variables(const BoundaryParts& parts, const Terms& terms) {
  std::vector<std::string_view> names;
  for (const NamedKey& named : terms.network_config.keys) {
    if (!is_had(named, parts)) continue;
    if (named.key.secret.source == network::Secret::Source::Variable) names.push_back(named.key.secret.words.front());
    if (named.kind == NamedKey::Kind::Anthropic)
      names.insert(names.end(), {"ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "ANTHROPIC_CUSTOM_HEADERS"});
  }
  return names;
}

const NamedKey* key_kept_in(std::string_view variable, const BoundaryParts& parts, const Terms& terms) {
  const auto found = std::ranges::find_if(terms.network_config.keys, [&](const NamedKey& named) {
    const network::Secret& secret = named.key.secret;
    return secret.source == network::Secret::Source::Variable && secret.words.front() == variable &&
           is_had(named, parts);
  });
  return found == terms.network_config.keys.end() ? nullptr : &*found;
}

network::Settings proxy_settings(const Boundary& boundary, const project::NetworkConfig& config, bool observe) {
  network::Settings settings;
  settings.mode = observe ? network::Settings::Mode::Observe : network::Settings::Mode::List;
  settings.rules = boundary.hosts();
  for (const NamedKey& named : config.keys) {
    if (std::ranges::find(boundary.credentials(), named.key.credential) != boundary.credentials().end())
      settings.keys.push_back(named.key);
  }
  settings.places = config.places;
  settings.ca_file = config.ca_file;
  settings.resolver = config.resolver;
  settings.limits = boundary.limits();
  settings.connect_seconds = config.connect_seconds.value_or(settings.connect_seconds);
  settings.idle_seconds = config.idle_seconds.value_or(settings.idle_seconds);
  return settings;
}

}  // namespace pale::service
