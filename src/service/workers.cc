#include "service/workers.h"

#include <fcntl.h>
#include <linux/openat2.h>

#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "project/config.h"
#include "project/protection.h"
#include "service/prepare.h"
#include "service/terms.h"
#include "sys/file.h"
#include "worker/golem_forge.h"

namespace pale::service {
namespace {

constexpr std::uint64_t kThroughNoLink = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;

// The one file of golem-forge's that is there; nothing if there is none.
Result<std::optional<std::string>> golem_forge_file(const sys::Fd& root) {
  std::optional<std::string> found;
  for (const std::string_view name : worker::kGolemForgeFiles) {
    PALE_TRY(info, sys::file_info(root.borrow(), std::string(name).c_str()));
    if (info.kind == sys::FileKind::Missing) continue;
    if (found)
      return fail(ErrorKind::Usage,
                  "there are two configurations, and only one can count:", *found + " and " + std::string(name),
                  "remove one of them");
    found = name;
  }
  return found;
}

Result<worker::Declaration> read_golem_forge(const sys::Fd& root, const Path& directory, const std::string& name) {
  PALE_TRY(fd, open_in_project(root, name));
  PALE_TRY(text, read_worker_text(fd, name));
  PALE_TRY(declaration, worker::parse_golem_forge(text, (directory / name).text()));
  declaration.file = name;
  return declaration;
}

Result<worker::Declaration> declaration_of(const sys::Fd& root, const project::Resolved& resolved,
                                           const std::optional<std::string>& foreign) {
  const project::Settings settings = resolved.manifest ? resolved.manifest->settings : project::Settings();
  if (!foreign) {
    worker::Declaration declaration = worker::declared_by(settings);
    if (!resolved.manifest) declaration.file = "as usual";
    return declaration;
  }
  const std::string place = worker::first_place(settings);
  if (!place.empty())
    return fail(Error{ErrorKind::Usage, 0, "zones and workers are declared twice, and only one can count:",
                      place + " and " + *foreign, "mv " + *foreign + " " + *foreign + ".old"}
                    .or_hint("or take [sandbox], [zones], [approval], [delegation] and [workers] out of the manifest"));
  return read_golem_forge(root, resolved.project.root(), *foreign);
}

// What the project's files say of zones, whatever the user allows.
struct Declared {
  sys::Fd root;
  Beside beside;
  worker::Declaration declaration;
  worker::Zones zones;
};

Result<Declared> read_declared(const project::Resolved& resolved, const worker::Overrides& overrides) {
  const Path& directory = resolved.project.root();
  PALE_TRY(root, sys::open_at(sys::kAbsolute, directory.c_str(), O_RDONLY | O_DIRECTORY));
  PALE_TRY(foreign, golem_forge_file(root));
  PALE_TRY(declaration, declaration_of(root, resolved, foreign));
  PALE_TRY(zones, worker::make_zones(declaration, overrides, directory));
  return Declared{std::move(root), foreign ? Beside::GolemForge : Beside::Nothing, std::move(declaration),
                  std::move(zones)};
}

// No more than the project's trust, and nothing of what is protected.
Status narrow_zones(worker::Zones& zones, const project::Resolved& resolved, const Terms& terms,
                    const project::Surroundings& around) {
  const project::TrustLevel& level = project::level_of(terms.trust.value);
  worker::narrow_all(zones, level.access, "trust " + std::string(level.name) + " (" + terms.trust.where + ")");
  PALE_TRY(protections,
           project::default_protections(resolved.project.root(), around.user_home, project::Repositories::All));
  for (const auto& said : terms.settings.protections)
    protections.push_back({said.value.path, said.value.match, said.where});
  worker::protect(zones, std::move(protections));
  return {};
}

Result<ProjectWorkers> gather(Declared declared, project::Resolved resolved, project::Surroundings around,
                              Terms terms) {
  PALE_CHECK(narrow_zones(declared.zones, resolved, terms, around));
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

Result<bool> has_golem_forge(const Path& directory) {
  PALE_TRY(root, sys::open_at(sys::kAbsolute, directory.c_str(), O_RDONLY | O_DIRECTORY));
  PALE_TRY(found, golem_forge_file(root));
  return found.has_value();
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
  if (is_path(name_or_path)) return add_given_worker(all.resolved.project.root(), name_or_path, all.found);
  std::vector<std::string_view> names;
  for (const worker::Worker& worker : all.found.workers) names.push_back(worker.file.name);
  if (std::ranges::find(names, name_or_path) != names.end()) return name_or_path;
  const auto close = nearest(name_or_path, names);
  return fail(ErrorKind::NotFound, "there is no worker", "'" + name_or_path + "'",
              close ? "did you mean " + std::string(*close) + "?" : "pale worker list");
}

std::vector<Error> problems_of(const ProjectWorkers& all) {
  std::vector<Error> problems = all.found.problems;
  for (std::size_t at = 0; at < all.places.size(); ++at) {
    const worker::Zone& zone = all.zones.zones[at];
    if (all.places[at] == ZonePlace::Folder || all.places[at] == ZonePlace::Missing) continue;
    problems.push_back(bad_place(zone.name, zone.where, zone.folder, all.places[at]));
  }
  return problems;
}

}  // namespace pale::service
