#include "boundary/json.h"

namespace pale {
namespace {

void write_grant(JsonWriter& out, const Grant& grant) {
  out.begin_object();
  out.field("path", grant.path.text()).field("access", to_text(grant.access));
  out.field("source", grant.source.text()).field("origin", grant.origin).key("layers").begin_array();
  for (const Path& layer : grant.layers) out.value(layer.text());
  out.end_array().field("removal", to_text(grant.removal)).end_object();
}

void write_protection(JsonWriter& out, const Protection& protection) {
  out.begin_object();
  out.field("path", protection.path.text()).field("match", to_text(protection.match));
  out.field("origin", protection.origin);
  out.end_object();
}

void write_variable(JsonWriter& out, const Variable& variable, Values values) {
  out.begin_object().field("name", variable.name).key("value");
  if (values == Values::Written) {
    out.value(variable.value);
  } else {
    out.null();
  }
  out.field("origin", variable.origin);
  out.end_object();
}

void write_credential(JsonWriter& out, const Credential& credential) {
  out.begin_object().field("name", credential.name).field("host", credential.host);
  out.field("port", credential.port).field("door", credential.door).end_object();
}

void write_limit(JsonWriter& out, std::string_view name, const std::optional<std::uint64_t>& limit) {
  out.key(name);
  if (limit) {
    out.value(*limit);
  } else {
    out.null();
  }
}

}  // namespace

void write_json(JsonWriter& out, const Boundary& boundary, Values values) {
  out.begin_object();
  out.field("schemaVersion", 1);
  out.field("workspace", boundary.workspace().text()).field("home", boundary.home().text());
  out.field("network", to_text(boundary.network()));
  out.key("grants").begin_array();
  for (const Grant& grant : boundary.grants()) write_grant(out, grant);
  out.end_array().key("protected").begin_array();
  for (const Protection& protection : boundary.protections()) write_protection(out, protection);
  out.end_array().key("environment").begin_array();
  for (const Variable& variable : boundary.environment()) write_variable(out, variable, values);
  out.end_array().key("limits").begin_object();
  write_limit(out, "memory", boundary.limits().memory);
  write_limit(out, "pids", boundary.limits().pids);
  write_limit(out, "seconds", boundary.limits().seconds);
  write_limit(out, "connections", boundary.limits().connections);
  write_limit(out, "requests", boundary.limits().requests);
  write_limit(out, "traffic", boundary.limits().traffic);
  write_limit(out, "hostTraffic", boundary.limits().host_traffic);
  out.end_object().key("hosts").begin_array();
  for (const HostRule& rule : boundary.hosts())
    out.begin_object().field("host", to_text(rule)).field("origin", rule.origin).end_object();
  out.end_array().key("credentials").begin_array();
  for (const Credential& credential : boundary.credentials()) write_credential(out, credential);
  out.end_array().end_object();
}

std::string to_json(const Boundary& boundary, Values values) {
  JsonWriter out;
  write_json(out, boundary, values);
  return out.text();
}

}  // namespace pale
