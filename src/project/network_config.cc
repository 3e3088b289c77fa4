#include "project/network_config.h"

#include <algorithm>

#include "boundary/gate.h"

namespace pale::project {
namespace {

using Kind = NamedKey::Kind;
using network::Secret;

constexpr Choice<Kind> kKinds[] = {{"plain", Kind::Plain},
                                   {"anthropic", Kind::Anthropic},
                                   {"openai", Kind::OpenAi},
                                   {"git", Kind::Git},
                                   {"npm", Kind::Npm}};

// What each kind of service wants, unless something else is said.
struct Usual {
  Kind kind;
  const char* header;
  const char* prefix;
  const char* user;
  const char* url_variable;
  const char* key_variable;
};
constexpr Usual kUsual[] = {
    {Kind::Plain, "authorization", "Bearer ", "", "", ""},
    {Kind::Anthropic, "x-api-key", "", "", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"},
    {Kind::OpenAi, "authorization", "Bearer ", "", "OPENAI_BASE_URL", "OPENAI_API_KEY"},
    {Kind::Git, "authorization", "", "x-access-token", "", ""},
    {Kind::Npm, "authorization", "Bearer ", "", "npm_config_registry", ""},
};

std::string text_or(std::optional<Said<std::string>>&& said, const char* usual) {
  return said ? std::move(said->value) : std::string(usual);
}

bool is_header_name(const std::string& name) {
  const auto fits = [](char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= '0' && byte <= '9') || byte == '-' || byte == '_';
  };
  return !name.empty() && std::ranges::all_of(name, fits);
}

Result<Secret> read_secret(Table& table) {
  constexpr const char* kHow =
      R"(secret = { file = "/path" }, { env = "NAME" } or { command = ["pass", "show", "x"] })";
  PALE_TRY(said, table.table("secret"));
  if (!said) return table.wrong("secret", "is missing", kHow);
  PALE_TRY(file, said->text("file"));
  PALE_TRY(env, said->text("env"));
  PALE_TRY(command, said->texts("command"));
  PALE_CHECK(said->finish());
  if ((file ? 1 : 0) + (env ? 1 : 0) + (command.empty() ? 0 : 1) != 1)
    return table.wrong("secret", "must come from one place", kHow);
  if (file && !file->value.starts_with('/')) return said->wrong("file", "must be an absolute path", kHow);
  if (file) return Secret{Secret::Source::File, {file->value}};
  if (env) return Secret{Secret::Source::Variable, {env->value}};
  Secret secret{Secret::Source::Command, {}};
  for (auto& word : command) secret.words.push_back(std::move(word.value));
  return secret;
}

Result<Credential> read_host(Table& table, const std::string& name, std::size_t number) {
  PALE_TRY(said, table.text("host"));
  if (!said) return table.wrong("host", "is missing", "host = \"api.example.org\"");
  auto rule = parse_host_rule(said->value, said->where);
  if (!rule || rule->kind == HostRule::Kind::Below)
    return table.wrong("host", "must be one host, not \"" + said->value + "\"", "host = \"api.example.org\"");
  if (number >= kMostDoors) return table.wrong("host", "is one too many: there are at most 64 keys", "leave some out");
  return Credential{name, rule->host, rule->port == 0 ? kHttpsPort : rule->port,
                    static_cast<std::uint16_t>(kFirstDoor + number)};
}

Result<NamedKey> read_key(Table& table, const std::string& name, std::size_t number) {
  NamedKey named;
  named.where = table.where("");
  PALE_TRY(kind, table.choice<Kind>("kind", kKinds));
  named.kind = kind ? kind->value : Kind::Plain;
  const Usual& usual = kUsual[static_cast<std::size_t>(named.kind)];
  PALE_TRY(credential, read_host(table, name, number));
  named.key.credential = std::move(credential);
  PALE_TRY(header, table.text("header"));
  PALE_TRY(prefix, table.text("prefix"));
  PALE_TRY(user, table.text("user"));
  PALE_TRY(url, table.text("url_variable"));
  PALE_TRY(key, table.text("key_variable"));
  // Who names another header means the bare secret, unless he says what stands before it.
  const char* before = header ? "" : usual.prefix;
  const char* who = header || prefix ? "" : usual.user;
  named.key.header = text_or(std::move(header), usual.header);
  named.key.prefix = text_or(std::move(prefix), before);
  named.key.user = text_or(std::move(user), who);
  named.url_variable = text_or(std::move(url), usual.url_variable);
  named.key_variable = text_or(std::move(key), usual.key_variable);
  if (!is_header_name(named.key.header))
    return table.wrong("header", "must be the name of a header, in lower case", "header = \"x-api-key\"");
  if (named.key.prefix.find_first_of("\r\n") != std::string::npos)
    return table.wrong("prefix", "must be one line", "prefix = \"Bearer \"");
  PALE_TRY(secret, read_secret(table));
  named.key.secret = std::move(secret);
  PALE_CHECK(table.finish());
  return named;
}

Status read_places(Table& network, const TomlValue& whole, NetworkConfig& config) {
  PALE_TRY(table, network.table("hosts"));
  if (!table) return {};
  for (const TomlMember& member : whole.find("network")->find("hosts")->members()) {
    PALE_TRY(said, table->text(member.key));
    const auto host = normal_host(member.key);
    if (!host) return table->wrong(member.key, "is not the name of a host", R"("api.example.org" = "192.0.2.1:443")");
    const auto endpoint = network::parse_endpoint(said->value);
    if (!endpoint)
      return table->wrong(member.key, "must be an address with a port", '"' + *host + R"(" = "192.0.2.1:443")");
    config.places.emplace_back(*host, *endpoint);
  }
  return {};
}

}  // namespace

Status read_network_limits(Table& table, std::optional<Said<std::uint64_t>>& connections,
                           std::optional<Said<std::uint64_t>>& requests, std::optional<Said<std::uint64_t>>& traffic,
                           std::optional<Said<std::uint64_t>>& host_traffic) {
  PALE_TRY(most_connections, table.number("connections"));
  PALE_TRY(most_requests, table.number("requests"));
  PALE_TRY(bytes, table.size("traffic"));
  PALE_TRY(host_bytes, table.size("host_traffic"));
  connections = std::move(most_connections);
  requests = std::move(most_requests);
  traffic = std::move(bytes);
  host_traffic = std::move(host_bytes);
  return {};
}

Result<std::vector<HostRule>> read_hosts(Table& table, std::string_view key) {
  PALE_TRY(texts, table.texts(key));
  std::vector<HostRule> rules;
  for (const auto& text : texts) {
    auto rule = parse_host_rule(text.value, text.where);
    if (!rule)
      return table.wrong(key, "must be hosts, with a port if need be: " + rule.error().sentence(), rule.error().hint);
    rules.push_back(std::move(*rule));
  }
  return rules;
}

Result<NetworkConfig> read_network_config(Table& top, const TomlValue& whole) {
  NetworkConfig config;
  PALE_TRY(table, top.table("network"));
  if (!table) return config;
  PALE_TRY(ca_file, table->text("ca_file"));
  if (ca_file && !ca_file->value.starts_with('/'))
    return table->wrong("ca_file", "must be an absolute path", "ca_file = \"/etc/ssl/company.pem\"");
  if (ca_file) config.ca_file = ca_file->value;
  PALE_TRY(resolver, table->text("resolver"));
  if (resolver) {
    config.resolver = network::parse_endpoint(resolver->value);
    if (!config.resolver)
      return table->wrong("resolver", "must be an address with a port", "resolver = \"192.0.2.53:53\"");
  }
  std::optional<Said<std::uint64_t>> connections;
  std::optional<Said<std::uint64_t>> requests;
  std::optional<Said<std::uint64_t>> traffic;
  std::optional<Said<std::uint64_t>> host_traffic;
  PALE_CHECK(read_network_limits(*table, connections, requests, traffic, host_traffic));
  if (connections) config.limits.connections = connections->value;
  if (requests) config.limits.requests = requests->value;
  if (traffic) config.limits.traffic = traffic->value;
  if (host_traffic) config.limits.host_traffic = host_traffic->value;
  PALE_TRY(connect, table->duration("connect_timeout"));
  PALE_TRY(idle, table->duration("idle_timeout"));
  if (connect) config.connect_seconds = connect->value;
  if (idle) config.idle_seconds = idle->value;
  PALE_CHECK(read_places(*table, whole, config));
  PALE_TRY(keys, table->tables("credentials"));
  for (auto& [name, each] : keys) {
    PALE_TRY(key, read_key(each, name, config.keys.size()));
    config.keys.push_back(std::move(key));
  }
  PALE_CHECK(table->finish());
  return config;
}

}  // namespace pale::project
