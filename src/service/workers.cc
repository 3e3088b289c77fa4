#include "service/workers.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "project/config.h"
#include "project/protection.h"
#include "service/agents.h"
#include "service/declared.h"
#include "service/prepare.h"
#include "service/terms.h"
#include "sys/file.h"

namespace pale::service {
namespace {

constexpr std::uint64_t kThroughNoLink = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;

// No more than the project's trust, and nothing of what is protected.
Status narrow_zones(Declared& declared, const project::Resolved& resolved, const Terms& terms,
                    const project::Surroundings& around) {
  worker::Zones& zones = declared.zones;
  const project::TrustLevel& level = project::level_of(terms.trust.value);
  worker::narrow_all(zones, level.access, "trust " + std::string(level.name) + " (" + terms.trust.where + ")");
  const project::GitUser user{around.user_home, around.config_home};
  PALE_TRY(protections, project::default_protections(resolved.project.root(), user, project::Repositories::All));
  PALE_TRY(of_workers, worker_protections(resolved.project.root(), declared.root, declared.declaration.worker_paths,
                                          declared.beside));
  for (Protection& protection : of_workers) protections.push_back(std::move(protection));
  for (const auto& said : terms.settings.protections)
    protections.push_back({said.value.path, said.value.match, said.where});
  worker::protect(zones, std::move(protections));
  return {};
}

Result<ProjectWorkers> gather(Declared declared, project::Resolved resolved, project::Surroundings around,
                              Terms terms) {
  PALE_CHECK(narrow_zones(declared, resolved, terms, around));
  PALE_TRY(found, find_worker_files(declared.root, declared.declaration.worker_paths, declared.beside));
  std::vector<ZonePlace> places;
  for (const worker::Zone& zone : declared.zones.zones)
    places.push_back(place_of(declared.root, resolved.project.root(), zone.folder));
  return ProjectWorkers{std::move(resolved),       std::move(around), std::move(terms),
                        std::move(declared.zones), std::move(places), std::move(declared.declaration.other),
                        std::move(found)};
}

bool is_path(const std::string& word) { return word.find('/') != std::string::npos || word.ends_with(".worker"); }

}  // namespace

ZonePlace place_of(const sys::Fd& root, const Path& directory, const Path& folder) {
  const std::string path = folder == directory ? "." : std::string(directory.below(folder));
  const long raw = sys::open_resolved(root.borrow(), path.c_str(), O_PATH | O_DIRECTORY, kThroughNoLink);
  if (raw == -ENOENT) return ZonePlace::Missing;
  if (raw < 0) return raw == -ELOOP ? ZonePlace::Link : ZonePlace::Other;
  const sys::Fd folder_there(raw);
  return ZonePlace::Folder;
}

Error bad_place(const std::string& zone, const std::string& where, const Path& folder, ZonePlace place) {
  const char* what = place == ZonePlace::Link ? "' is, or leads through, a symbolic link:" : "' is no folder:";
  return {ErrorKind::Refused, 0, where + ": the zone '" + zone + what, folder.text(), "put a folder there"};
}

// A zone that cannot be is said before one that nobody granted.
Result<ProjectWorkers> load_workers(const project::Named& named, const worker::Overrides& overrides,
                                    const Caller& caller) {
  PALE_TRY(around, surroundings_of(caller));
  PALE_TRY(resolved, project::resolve(named, around));
  PALE_TRY(declared, read_declared(resolved, overrides));
  PALE_TRY(config, project::read_config(around.pale_home));
  PALE_TRY(terms, agree_terms({}, resolved, config));
  return gather(std::move(declared), std::move(resolved), std::move(around), std::move(terms));
}

Result<ProjectWorkers> load_workers(project::Resolved resolved, project::Surroundings around, Terms terms,
                                    const worker::Overrides& overrides) {
  PALE_TRY(declared, read_declared(resolved, overrides));
  return gather(std::move(declared), std::move(resolved), std::move(around), std::move(terms));
}

Status make_zone_folder(const Path& root, const Path& folder) {
  PALE_TRY(at, sys::open_at(sys::kAbsolute, root.c_str(), O_PATH | O_DIRECTORY));
  if (folder == root) return {};
  const Path below = Path::literal(root.below(folder));
  for (const std::string_view component : below.components()) {
    const std::string name(component);
    // What stands there already may be a link that an agent left.
    const Status made = sys::make_directory(at.borrow(), name.c_str(), 0777);
    const long next = sys::open_resolved(at.borrow(), name.c_str(), O_PATH | O_DIRECTORY, kThroughNoLink);
    if (!made || next < 0)
      return fail(Error{ErrorKind::Refused, made ? static_cast<int>(-next) : made.error().number,
                        "a zone needs a folder, through no link, at", folder.text(), "put a folder there"});
    at = sys::Fd(next);
  }
  return {};
}

Result<std::string> find_worker(ProjectWorkers& all, const std::string& name_or_path) {
  std::vector<std::string_view> names;
  for (const worker::Worker& worker : all.found.workers) names.push_back(worker.file.name);
  if (std::ranges::find(names, name_or_path) != names.end()) return name_or_path;
  if (is_path(name_or_path)) return add_given_worker(all.resolved.project.root(), name_or_path, all.found);
  const auto close = nearest(name_or_path, names);
  return fail(ErrorKind::NotFound, "there is no worker", "'" + name_or_path + "'",
              close ? "did you mean " + std::string(*close) + "?" : "pale worker list");
}

std::vector<Error> problems_of(const ProjectWorkers& all, const Caller& caller) {
  std::vector<Error> problems = all.found.problems;
  const auto& workers = all.found.workers;
  const auto agent = std::ranges::find_if(workers, [](const worker::Worker& each) { return each.file.run.empty(); });
  if (agent != workers.end()) {
    const std::vector<Path> writable = {all.resolved.project.root()};
    auto kit = find_agent({}, all.terms, writable, all.around, caller);
    if (!kit) {
      kit.error().operation = agent->path + " has no command of its own (run), and " + kit.error().operation;
      problems.push_back(std::move(kit).error());
    }
  }
  for (std::size_t at = 0; at < all.places.size(); ++at) {
    const worker::Zone& zone = all.zones.zones[at];
    if (all.places[at] == ZonePlace::Folder || all.places[at] == ZonePlace::Missing) continue;
    problems.push_back(bad_place(zone.name, zone.where, zone.folder, all.places[at]));
  }
  return problems;
}

}  // namespace pale::service
