#include "service/worker_ground.h"

#include <algorithm>

#include "boundary/attenuate.h"
#include "project/protection.h"
#include "sandbox/survey.h"
#include "service/key_files.h"
#include "service/network_terms.h"
#include "sys/file.h"
#include "sys/process.h"

namespace pale::service {
namespace {

constexpr std::string_view kSystem = "system";

Path inside(const std::string& name) { return Path::root() / name; }

Removal removal_of(const project::ZoneApproval& approval) {
  return approval.remove == project::Approval::Blocked ? Removal::Denied : Removal::Allowed;
}

class Ground {
 public:
  Ground(const ProjectWorkers& all, const Caller& caller) : all_(all), caller_(caller) {}

  Result<WorkerGround> lay() {
    std::vector<plan::Link> links = sandbox::system_links();
    const Path home = Path::literal(kWorkerHome);
    const Layout layout{plan::Backend::Namespaces,
                        {all_.around.user_home, all_.around.config_home},
                        all_.around.pale_home,
                        false,
                        home,
                        {},
                        {},
                        links,
                        all_.terms.network.value == project::NetworkMode::Allow};
    PALE_TRY(system, show_system(layout, home));
    parts_.workspace = parts_.home = home;
    parts_.grants = std::move(system.grants);
    PALE_TRY(crew, muster());
    PALE_CHECK(show_program());
    add_network(parts_, all_.terms);
    parts_.limits = all_.terms.limits;
    parts_.environment = usual_environment(caller_, home, home);
    std::vector<Variable> network = network_environment(parts_, all_.terms);
    if (crew.agent) leave_out_replaced(*crew.agent, network);
    for (Variable& variable : network) parts_.environment.push_back(std::move(variable));
    for (Variable& variable : parts_.environment) {
      if (variable.name == "PATH") variable.value.insert(0, Path::literal(kProgramInside).parent().text() + ":");
    }
    PALE_CHECK(add_zones());
    PALE_TRY(boundary, Boundary::make(std::move(parts_)));
    PALE_CHECK(check_key_files(boundary, all_.terms.network_config));
    return WorkerGround{std::move(boundary), std::move(system.etc_in_use), std::move(links), std::move(crew),
                        worker::offered_by(all_.zones)};
  }

 private:
  // If a worker is an agent, what that consists of is part of the system for all of them.
  Result<WorkerCrew> muster() {
    PALE_TRY(program, sys::open_program());
    WorkerCrew crew{fail(ErrorKind::Usage, "no worker is an agent", ""), std::move(program), all_.around.user_home,
                    caller_};
    const auto is_agent = [](const worker::Worker& worker) { return worker.file.run.empty(); };
    if (std::ranges::none_of(all_.found.workers, is_agent)) return crew;
    const std::vector<Path> writable = {all_.resolved.project.root()};
    crew.agent = find_agent({}, all_.terms, writable, all_.around, caller_);
    if (!crew.agent) return crew;
    for (const Path& place : crew.agent->places)
      parts_.grants.push_back({place, Access::Read, place, std::string(kSystem), {}});
    return crew;
  }

  // Of what its adapter would pass on, that for which a key that stays outside stands in.
  void leave_out_replaced(AgentKit& kit, const std::vector<Variable>& network) const {
    const std::vector<std::string_view> replaced = replaced_variables(parts_, all_.terms);
    std::erase_if(kit.adapter.environment, [&](const std::string& name) {
      return std::ranges::find(replaced, name) != replaced.end() ||
             std::ranges::find(network, name, &Variable::name) != network.end();
    });
  }

  Status show_program() {
    PALE_TRY(text, sys::read_link(sys::kAbsolute, "/proc/self/exe"));
    PALE_TRY(path, Path::parse(text));
    parts_.grants.push_back({Path::literal(kProgramInside), Access::Read, path, std::string(kSystem), {}});
    return {};
  }

  Status add_zones() {
    for (const worker::Zone& zone : all_.zones.zones)
      PALE_CHECK(add_folder(
          {inside(zone.name), zone.access, zone.folder, "zone " + zone.name, {}, removal_of(zone.approval)}));
    // A worker that brings its folder along is shown a part of this one, which has no name of its own.
    if (all_.zones.zones.empty())
      return add_folder({inside(std::string(kEverything)), all_.zones.without_zones, all_.zones.base, "project", {}});
    return {};
  }

  Status add_folder(const Grant& grant) {
    parts_.grants.push_back(grant);
    const Path& place = grant.path;
    const Path& folder = grant.source;
    if (grant.access != Access::Write) return {};
    const project::GitUser user{all_.around.user_home, all_.around.config_home};
    PALE_TRY(usual, project::default_protections(folder, user, project::Repositories::AtTheRoot));
    for (const Protection& protection : usual) protect(place, folder, protection);
    for (const Protection& protection : all_.zones.protections) protect(place, folder, protection);
    // What decides over workers is not theirs to change, also what was given by its path.
    const Path& root = all_.resolved.project.root();
    for (const worker::Worker& worker : all_.found.workers)
      if (const auto path = Path::parse(worker.path))
        protect(place, folder, {path->is_absolute() ? *path : root / path->text(), Match::Exact, "a worker's file"});
    return {};
  }

  void protect(const Path& place, const Path& folder, const Protection& protection) {
    const std::string_view below = folder.below(protection.path);
    if (!below.empty()) parts_.protections.push_back({place / below, protection.match, protection.origin});
  }

  static constexpr std::string_view kEverything = "the project";  // no zone has such a name
  const ProjectWorkers& all_;
  const Caller& caller_;
  BoundaryParts parts_;
};

}  // namespace

Result<WorkerGround> lay_ground(const ProjectWorkers& all, const Caller& caller) { return Ground(all, caller).lay(); }

Result<Boundary> boundary_of(const Boundary& callers, const worker::WorkerFile& file,
                             const std::vector<worker::Held>& gets, std::optional<std::uint64_t> seconds) {
  Boundary above = callers;
  BoundaryParts parts;
  parts.workspace = callers.workspace();
  parts.home = callers.home();
  for (const Grant& grant : callers.grants()) {
    const bool wanted = grant.path.text() != kProgramInside || !file.allowed_workers.empty();
    if (grant.origin == kSystem && wanted) parts.grants.push_back(grant);
  }
  for (const worker::Held& held : gets) {
    PALE_TRY(wider, with_alias(above, held.folder, inside(held.name)));
    above = std::move(wider);
    parts.grants.push_back(
        {inside(held.name), held.access, held.folder, "worker " + file.name, {}, removal_of(held.approval)});
  }
  parts.network = gets.empty() && !file.run.empty() ? Network::None : callers.network();
  parts.hosts = callers.hosts();
  parts.credentials = callers.credentials();
  parts.environment = callers.environment();
  parts.limits.seconds = seconds;
  PALE_TRY(request, Boundary::make(std::move(parts)));
  return attenuate(above, request);
}

}  // namespace pale::service
