#include "network/settings.h"

#include <algorithm>
#include <array>
#include <span>

#include "base/json_value.h"

namespace pale::network {
namespace {

constexpr std::size_t kDeepest = 6;
constexpr std::array<std::string_view, 3> kSources = {"file", "env", "command"};

std::unexpected<Error> wrong(std::string what) {
  return fail(ErrorKind::Usage, "the proxy's settings are wrong:", std::move(what));
}

void write_limit(JsonWriter& out, std::string_view name, const std::optional<std::uint64_t>& limit) {
  if (limit) out.field(name, *limit);
}

void write_key(JsonWriter& out, const Key& key) {
  out.begin_object().field("name", key.credential.name).field("host", key.credential.host);
  out.field("port", key.credential.port).field("door", key.credential.door).field("header", key.header);
  out.field("prefix", key.prefix).field("user", key.user);
  out.field("source", kSources[static_cast<std::size_t>(key.secret.source)]).key("words").begin_array();
  for (const std::string& word : key.secret.words) out.value(word);
  out.end_array().end_object();
}

std::string text_in(const JsonValue& json, std::string_view key) {
  const JsonValue* member = json.find(key);
  return member == nullptr ? std::string() : member->bytes().value_or("");
}

std::optional<std::uint64_t> number_in(const JsonValue& json, std::string_view key) {
  const JsonValue* member = json.find(key);
  return member == nullptr ? std::nullopt : member->whole_number();
}

std::span<const JsonValue> items_in(const JsonValue& json, std::string_view key) {
  const JsonValue* member = json.find(key);
  return member == nullptr ? std::span<const JsonValue>() : std::span<const JsonValue>(member->items());
}

std::uint16_t port_in(const JsonValue& json, std::string_view key) {
  return static_cast<std::uint16_t>(std::min<std::uint64_t>(number_in(json, key).value_or(0), UINT16_MAX));
}

Result<Key> read_key(const JsonValue& json) {
  const auto* const source = std::ranges::find(kSources, text_in(json, "source"));
  Key key{{text_in(json, "name"), text_in(json, "host"), port_in(json, "port"), port_in(json, "door")},
          text_in(json, "header"),
          text_in(json, "prefix"),
          text_in(json, "user"),
          {}};
  for (const JsonValue& word : items_in(json, "words")) key.secret.words.push_back(word.bytes().value_or(""));
  if (source == kSources.end() || key.secret.words.empty()) return wrong("a key has no secret");
  key.secret.source = static_cast<Secret::Source>(source - kSources.begin());
  return key;
}

Status read_lists(const JsonValue& json, Settings& settings) {
  for (const JsonValue& each : items_in(json, "rules")) {
    PALE_TRY(rule, parse_host_rule(each.bytes().value_or(""), "list"));
    settings.rules.push_back(std::move(rule));
  }
  for (const JsonValue& each : items_in(json, "keys")) {
    PALE_TRY(key, read_key(each));
    settings.keys.push_back(std::move(key));
  }
  for (const JsonValue& each : items_in(json, "places")) {
    const auto endpoint = parse_endpoint(text_in(each, "at"));
    if (!endpoint) return wrong("a host has no address");
    settings.places.emplace_back(text_in(each, "host"), *endpoint);
  }
  return {};
}

}  // namespace

std::optional<Endpoint> parse_endpoint(std::string_view text) {
  const auto rule = parse_host_rule(text, "");
  if (!rule || rule->kind != HostRule::Kind::Address || rule->port == 0) return std::nullopt;
  return Endpoint{*Address::parse(rule->host), rule->port};
}

std::string to_text(const Endpoint& endpoint) {
  return to_text(HostRule{HostRule::Kind::Address, to_text(endpoint.address), endpoint.port, {}});
}

std::string to_json(const Settings& settings) {
  JsonWriter out;
  out.begin_object().field("observe", settings.mode == Settings::Mode::Observe).key("rules").begin_array();
  for (const HostRule& rule : settings.rules) out.value(to_text(rule));
  out.end_array().key("keys").begin_array();
  for (const Key& key : settings.keys) write_key(out, key);
  out.end_array().key("places").begin_array();
  for (const auto& [host, endpoint] : settings.places)
    out.begin_object().field("host", host).field("at", to_text(endpoint)).end_object();
  out.end_array().field("ca_file", settings.ca_file);
  if (settings.resolver) out.field("resolver", to_text(*settings.resolver));
  write_limit(out, "connections", settings.limits.connections);
  write_limit(out, "requests", settings.limits.requests);
  write_limit(out, "traffic", settings.limits.traffic);
  write_limit(out, "host_traffic", settings.limits.host_traffic);
  out.field("connect_seconds", settings.connect_seconds).field("idle_seconds", settings.idle_seconds).end_object();
  return out.text();
}

Result<Settings> parse_settings(std::string_view text) {
  PALE_TRY(json, JsonValue::parse(text, kDeepest));
  Settings settings;
  const JsonValue* observe = json.find("observe");
  if (observe != nullptr && observe->boolean().value_or(false)) settings.mode = Settings::Mode::Observe;
  PALE_CHECK(read_lists(json, settings));
  settings.ca_file = text_in(json, "ca_file");
  if (json.find("resolver") != nullptr) {
    settings.resolver = parse_endpoint(text_in(json, "resolver"));
    if (!settings.resolver) return wrong("the resolver is no address with a port");
  }
  settings.limits.connections = number_in(json, "connections");
  settings.limits.requests = number_in(json, "requests");
  settings.limits.traffic = number_in(json, "traffic");
  settings.limits.host_traffic = number_in(json, "host_traffic");
  settings.connect_seconds = number_in(json, "connect_seconds").value_or(settings.connect_seconds);
  settings.idle_seconds = number_in(json, "idle_seconds").value_or(settings.idle_seconds);
  return settings;
}

}  // namespace pale::network
