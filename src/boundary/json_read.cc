#include <algorithm>
#include <span>
#include <utility>

#include "base/json_value.h"
#include "boundary/json.h"

namespace pale {
namespace {

using Json = JsonValue;

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostDepth = 8;

// A place reads "grants[3].access"; the empty one is the whole.
std::unexpected<Error> wrong(const std::string& place, const std::string& what) {
  return fail(ErrorKind::Usage, "the boundary's JSON is wrong at", (place.empty() ? "the top" : place) + ": " + what);
}

std::unexpected<Error> unreadable(std::string what) {
  return fail(ErrorKind::Usage, "the boundary's JSON cannot be read:", std::move(what));
}

Result<Json> parse(std::string_view text) {
  if (text.size() > kMostBytes) return unreadable("it is larger than 1 MiB");
  auto json = Json::parse(text, kMostDepth);
  if (!json) return unreadable(json.error().subject);
  return json;
}

Status check_keys(const Json& json, const std::string& place, std::span<const std::string_view> keys) {
  if (!json.is_object()) return wrong(place, "an object is expected");
  for (const auto& [key, value] : json.members()) {
    if (std::ranges::find(keys, key) == keys.end()) return wrong(place, "unknown key \"" + key + "\"");
  }
  for (const std::string_view key : keys) {
    if (json.find(key) == nullptr) return wrong(place, "the key \"" + std::string(key) + "\" is missing");
  }
  return {};
}

// One member of an object whose keys are known to be there.
struct Member {
  Member(const Json& itself, std::string where) : json(itself), place(std::move(where)) {}
  Member(const Json& object, const std::string& parent, std::string_view key)
      : json(*object.find(key)), place(parent.empty() ? std::string(key) : parent + "." + std::string(key)) {}
  const Json& json;
  std::string place;
};

// A string, or {"base64": "…"} for bytes that are not UTF-8.
Result<std::string> read_text(const Member& member) {
  if (auto bytes = member.json.bytes()) return std::move(*bytes);
  return wrong(member.place, "a string, or {\"base64\": \"…\"}, is expected");
}

Result<Path> read_path(const Member& member) {
  PALE_TRY(text, read_text(member));
  auto path = Path::parse(text);
  if (!path) return wrong(member.place, path.error().sentence());
  return path;
}

Result<Path> read_layer(const Json& json, const std::string& place) { return read_path({json, place}); }

template <typename T>
Result<T> read_choice(const Member& member, std::initializer_list<T> choices) {
  const std::string* text = member.json.text();
  std::string names;
  for (const T choice : choices) {
    if (text != nullptr && *text == to_text(choice)) return choice;
    names += (names.empty() ? "\"" : ", \"") + std::string(to_text(choice)) + "\"";
  }
  return wrong(member.place, "one of " + names + " is expected");
}

Result<std::optional<std::uint64_t>> read_limit(const Member& member) {
  if (member.json.is_null()) return std::nullopt;
  if (const auto number = member.json.whole_number()) return number;
  return wrong(member.place, "a whole number or null is expected");
}

template <typename T>
Result<std::vector<T>> read_all(const Member& member, Result<T> (*read)(const Json&, const std::string&)) {
  if (!member.json.is_array()) return wrong(member.place, "an array is expected");
  std::vector<T> all;
  for (const Json& item : member.json.items()) {
    PALE_TRY(element, read(item, member.place + "[" + std::to_string(all.size()) + "]"));
    all.push_back(std::move(element));
  }
  return all;
}

Result<Grant> read_grant(const Json& json, const std::string& place) {
  constexpr std::string_view kKeys[] = {"path", "access", "source", "origin", "layers", "removal"};
  PALE_CHECK(check_keys(json, place, kKeys));
  PALE_TRY(path, read_path({json, place, "path"}));
  PALE_TRY(access, read_choice({json, place, "access"}, {Access::None, Access::List, Access::Read, Access::Write}));
  PALE_TRY(source, read_path({json, place, "source"}));
  PALE_TRY(origin, read_text({json, place, "origin"}));
  PALE_TRY(layers, read_all<Path>({json, place, "layers"}, read_layer));
  PALE_TRY(removal, read_choice({json, place, "removal"}, {Removal::Allowed, Removal::Denied}));
  return Grant{std::move(path), access, std::move(source), std::move(origin), std::move(layers), removal};
}

Result<Protection> read_protection(const Json& json, const std::string& place) {
  constexpr std::string_view kKeys[] = {"path", "match", "origin"};
  PALE_CHECK(check_keys(json, place, kKeys));
  PALE_TRY(path, read_path({json, place, "path"}));
  PALE_TRY(match, read_choice({json, place, "match"}, {Match::Exact, Match::Glob}));
  PALE_TRY(origin, read_text({json, place, "origin"}));
  return Protection{std::move(path), match, std::move(origin)};
}

Result<Variable> read_variable(const Json& json, const std::string& place) {
  constexpr std::string_view kKeys[] = {"name", "value", "origin"};
  PALE_CHECK(check_keys(json, place, kKeys));
  PALE_TRY(name, read_text({json, place, "name"}));
  const Member withheld(json, place, "value");
  PALE_TRY(value, withheld.json.is_null() ? Result<std::string>("") : read_text(withheld));
  PALE_TRY(origin, read_text({json, place, "origin"}));
  return Variable{std::move(name), std::move(value), std::move(origin)};
}

Result<Limits> read_limits(const Member& member) {
  constexpr std::string_view kKeys[] = {"memory",   "pids",    "seconds",    "connections",
                                        "requests", "traffic", "hostTraffic"};
  PALE_CHECK(check_keys(member.json, member.place, kKeys));
  PALE_TRY(memory, read_limit({member.json, member.place, "memory"}));
  PALE_TRY(pids, read_limit({member.json, member.place, "pids"}));
  PALE_TRY(seconds, read_limit({member.json, member.place, "seconds"}));
  PALE_TRY(connections, read_limit({member.json, member.place, "connections"}));
  PALE_TRY(requests, read_limit({member.json, member.place, "requests"}));
  PALE_TRY(traffic, read_limit({member.json, member.place, "traffic"}));
  PALE_TRY(host_traffic, read_limit({member.json, member.place, "hostTraffic"}));
  return Limits{memory, pids, seconds, connections, requests, traffic, host_traffic};
}

Result<HostRule> read_rule(const Json& json, const std::string& place) {
  constexpr std::string_view kKeys[] = {"host", "origin"};
  PALE_CHECK(check_keys(json, place, kKeys));
  PALE_TRY(text, read_text({json, place, "host"}));
  PALE_TRY(origin, read_text({json, place, "origin"}));
  auto rule = parse_host_rule(text, std::move(origin));
  if (!rule) return wrong(place + ".host", rule.error().sentence());
  return rule;
}

Result<std::uint16_t> read_port(const Member& member) {
  const auto number = member.json.whole_number();
  if (!number || *number == 0 || *number > UINT16_MAX) return wrong(member.place, "a port is expected");
  return static_cast<std::uint16_t>(*number);
}

Result<Credential> read_credential(const Json& json, const std::string& place) {
  constexpr std::string_view kKeys[] = {"name", "host", "port", "door"};
  PALE_CHECK(check_keys(json, place, kKeys));
  PALE_TRY(name, read_text({json, place, "name"}));
  PALE_TRY(text, read_text({json, place, "host"}));
  auto host = normal_host(text);
  if (!host) return wrong(place + ".host", host.error().sentence());
  PALE_TRY(port, read_port({json, place, "port"}));
  PALE_TRY(door, read_port({json, place, "door"}));
  return Credential{std::move(name), std::move(*host), port, door};
}

}  // namespace

Result<Boundary> boundary_from_json(std::string_view text) {
  constexpr std::string_view kKeys[] = {"schemaVersion", "workspace",   "home",   "network", "grants",
                                        "protected",     "environment", "limits", "hosts",   "credentials"};
  const std::string top;
  PALE_TRY(json, parse(text));
  PALE_CHECK(check_keys(json, top, kKeys));
  if (json.find("schemaVersion")->whole_number() != 1) {
    return wrong("schemaVersion", "1 is the only version this program reads");
  }
  PALE_TRY(workspace, read_path({json, top, "workspace"}));
  PALE_TRY(home, read_path({json, top, "home"}));
  PALE_TRY(network, read_choice({json, top, "network"}, {Network::None, Network::Allow, Network::Open}));
  PALE_TRY(grants, read_all({json, top, "grants"}, read_grant));
  PALE_TRY(protections, read_all({json, top, "protected"}, read_protection));
  PALE_TRY(environment, read_all({json, top, "environment"}, read_variable));
  PALE_TRY(limits, read_limits({json, top, "limits"}));
  PALE_TRY(hosts, read_all({json, top, "hosts"}, read_rule));
  PALE_TRY(credentials, read_all({json, top, "credentials"}, read_credential));
  return Boundary::make({std::move(workspace), std::move(home), std::move(grants), std::move(protections), network,
                         std::move(environment), limits, std::move(hosts), std::move(credentials)});
}

}  // namespace pale
