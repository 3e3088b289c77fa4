#include "worker/declaration.h"

#include "project/project.h"

namespace pale::worker {
namespace {

template <typename T>
std::optional<T> value_of(const std::optional<project::Said<T>>& said) {
  return said ? std::optional<T>(said->value) : std::nullopt;
}

DeclaredZone declared(const project::Zone& zone) {
  DeclaredZone result{zone.name, zone.written, std::nullopt, zone.access, zone.approval, zone.where};
  if (zone.written.empty()) result.settled = zone.path;
  return result;
}

}  // namespace

Declaration declared_by(const project::Settings& settings) {
  Declaration declaration{std::string(project::kManifestPlace), SandboxMode::Direct, value_of(settings.sandbox_mode),
                          value_of(settings.sandbox_root)};
  for (const project::Zone& zone : settings.zones) declaration.zones.push_back(declared(zone));
  declaration.approval = value_of(settings.approval);
  declaration.max_depth = value_of(settings.max_depth);
  declaration.max_calls = value_of(settings.max_calls);
  declaration.call_seconds = value_of(settings.call_seconds);
  declaration.worker_paths = settings.worker_paths;
  return declaration;
}

std::string first_place(const project::Settings& settings) {
  if (!settings.zones.empty()) return settings.zones.front().where;
  if (settings.sandbox_mode) return settings.sandbox_mode->where;
  if (settings.sandbox_root) return settings.sandbox_root->where;
  if (settings.approval) return settings.approval->where;
  for (const auto* limit : {&settings.max_depth, &settings.max_calls, &settings.call_seconds})
    if (*limit) return (*limit)->where;
  if (!settings.worker_paths.empty()) return settings.worker_paths.front().where;
  return {};
}

}  // namespace pale::worker
