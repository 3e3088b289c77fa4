#include "project/settings.h"

namespace pale::project {
namespace {

std::unexpected<Error> too_much(const std::string& key, const std::string& where, const std::string& base) {
  return fail(ErrorKind::Refused, where + ": " + key + " asks for more than", base + " allows",
              "ask for less there, or for more in " + base);
}

// The tighter of two; the later one, if it is no more.
template <typename T>
Status tighten(std::optional<Said<T>>& base, const std::optional<Said<T>>& by, const char* key) {
  if (!by) return {};
  if (base && base->value < by->value) return too_much(key, by->where, base->where);
  base = by;
  return {};
}

template <typename T>
void replace(std::optional<T>& base, const std::optional<T>& by) {
  if (by) base = by;
}

Status narrow_folders(Settings& base, const Settings& by) {
  if (by.folders.empty()) return {};
  for (const Said<Path>& folder : by.folders) {
    const auto covers = [&](const Said<Path>& wider) { return wider.value.covers(folder.value); };
    if (!base.folders.empty() && std::ranges::none_of(base.folders, covers))
      return too_much("folders: " + folder.value.text(), folder.where, base.folders.front().where);
  }
  base.folders = by.folders;
  return {};
}

Status narrow_hosts(Settings& base, const Settings& by) {
  for (const HostRule& rule : by.hosts) {
    if (!base.hosts.empty() && !covered(base.hosts, rule))
      return too_much("network.allow: " + to_text(rule), rule.origin, base.hosts.front().origin);
  }
  if (!by.hosts.empty()) base.hosts = by.hosts;
  return {};
}

// The zone a path lies in: of several, the innermost; of the same path, the tightest.
const Zone* zone_around(const std::vector<Zone>& zones, const Path& path) {
  const Zone* innermost = nullptr;
  for (const Zone& zone : zones) {
    if (!zone.path.covers(path)) continue;
    const bool closer = innermost == nullptr || innermost->path.depth() < zone.path.depth() ||
                        (innermost->path == zone.path && zone.access < innermost->access);
    if (closer) innermost = &zone;
  }
  return innermost;
}

Status narrow_zones(Settings& base, const Settings& by) {
  const std::vector<Zone> before = base.zones;
  for (const Zone& zone : by.zones) {
    const Zone* wider = zone_around(before, zone.path);
    if (wider != nullptr && wider->access < zone.access)
      return too_much("zones." + zone.name, zone.where, wider->where);
    std::erase_if(base.zones, [&](const Zone& other) { return other.name == zone.name && other.path == zone.path; });
    base.zones.push_back(zone);
  }
  return {};
}

}  // namespace

Result<Settings> narrow(const Settings& base, const Settings& by) {
  Settings result = base;
  PALE_CHECK(tighten(result.trust, by.trust, "trust"));
  PALE_CHECK(tighten(result.network, by.network, "network.mode"));
  PALE_CHECK(narrow_hosts(result, by));
  PALE_CHECK(tighten(result.connections, by.connections, "network.connections"));
  PALE_CHECK(tighten(result.requests, by.requests, "network.requests"));
  PALE_CHECK(tighten(result.traffic, by.traffic, "network.traffic"));
  PALE_CHECK(tighten(result.host_traffic, by.host_traffic, "network.host_traffic"));
  PALE_CHECK(tighten(result.scope, by.scope, "mode"));
  PALE_CHECK(tighten(result.git, by.git, "git"));
  PALE_CHECK(tighten(result.memory, by.memory, "memory"));
  PALE_CHECK(tighten(result.pids, by.pids, "pids"));
  PALE_CHECK(tighten(result.seconds, by.seconds, "time"));
  PALE_CHECK(narrow_folders(result, by));
  PALE_CHECK(narrow_zones(result, by));
  PALE_CHECK(tighten(result.approval, by.approval, "approval.mode"));
  PALE_CHECK(tighten(result.max_depth, by.max_depth, "delegation.max_depth"));
  PALE_CHECK(tighten(result.max_calls, by.max_calls, "delegation.max_calls"));
  PALE_CHECK(tighten(result.call_seconds, by.call_seconds, "delegation.timeout"));
  replace(result.sandbox_mode, by.sandbox_mode);
  replace(result.sandbox_root, by.sandbox_root);
  if (!by.worker_paths.empty()) result.worker_paths = by.worker_paths;
  replace(result.staged, by.staged);
  if (by.agent || !by.command.empty()) {
    result.agent = by.agent;
    result.command = by.command;
  }
  result.protections.insert(result.protections.end(), by.protections.begin(), by.protections.end());
  for (const Declared& word : by.declared) {
    std::erase_if(result.declared, [&](const Declared& other) { return other.key == word.key; });
    result.declared.push_back(word);
  }
  return result;
}

Settings seen_from(const Settings& enclosing, const Path& root) {
  Settings seen = enclosing;
  const auto cap = [&](Trust most, const std::string& where) {
    if (!seen.trust || most < seen.trust->value) seen.trust = Said<Trust>{most, where};
  };
  const auto outside = [&](const Path& path) { return !root.covers(path) || path == root; };
  for (const auto& protection : enclosing.protections) {
    const Protection rule{protection.value.path, protection.value.match, {}};
    if (rule.covers(root)) cap(Trust::ReadOnly, protection.where);
  }
  for (const Zone& zone : enclosing.zones) {
    if (zone.path.covers(root) && zone.access < Access::Write) cap(Trust::ReadOnly, zone.where);
  }
  const auto holds_root = [&](const Said<Path>& folder) { return folder.value.covers(root); };
  const bool in_scope = enclosing.folders.empty() || std::ranges::any_of(enclosing.folders, holds_root);
  if (in_scope) seen.folders.clear();
  std::erase_if(seen.protections, [&](const auto& protection) { return outside(protection.value.path); });
  std::erase_if(seen.zones, [&](const Zone& zone) { return outside(zone.path); });
  std::erase_if(seen.folders, [&](const Said<Path>& folder) { return outside(folder.value); });
  // How the other project's paths are meant says nothing of this one's.
  for (Zone& zone : seen.zones) zone.written.clear();
  seen.sandbox_mode.reset();
  seen.sandbox_root.reset();
  seen.worker_paths.clear();
  // Nothing of it lies in the scope of the project around it.
  if (!in_scope && seen.folders.empty() && enclosing.scope && enclosing.scope->value == Scope::Strict)
    cap(Trust::Discovery, enclosing.folders.front().where);
  if (seen.folders.empty()) seen.scope.reset();
  return seen;
}

}  // namespace pale::project
