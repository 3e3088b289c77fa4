#include "service/declared.h"

#include <fcntl.h>

#include <algorithm>

#include "sys/file.h"
#include "worker/golem_forge.h"

namespace pale::service {
namespace {

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

bool may_be_written(Access access, const project::ZoneApproval& approval) {
  return access == Access::Write && approval.write != project::Approval::Blocked;
}

}  // namespace

Result<Declared> read_declared(const project::Resolved& resolved, const worker::Overrides& overrides) {
  const Path& directory = resolved.project.root();
  PALE_TRY(root, sys::open_at(sys::kAbsolute, directory.c_str(), O_RDONLY | O_DIRECTORY));
  PALE_TRY(foreign, golem_forge_file(root));
  PALE_TRY(declaration, declaration_of(root, resolved, foreign));
  PALE_TRY(zones, worker::make_zones(declaration, overrides, directory));
  PALE_TRY(beside, beside_of(root, declaration.worker_paths, foreign.has_value()));
  return Declared{std::move(root), beside, std::move(declaration), std::move(zones)};
}

Result<bool> has_golem_forge(const Path& directory) {
  PALE_TRY(root, sys::open_at(sys::kAbsolute, directory.c_str(), O_RDONLY | O_DIRECTORY));
  PALE_TRY(found, golem_forge_file(root));
  return found.has_value();
}

Status guard_zones(const project::Resolved& resolved, Terms& terms) {
  const Path& directory = resolved.project.root();
  PALE_TRY(root, sys::open_at(sys::kAbsolute, directory.c_str(), O_RDONLY | O_DIRECTORY));
  PALE_TRY(foreign, golem_forge_file(root));
  for (project::Zone& zone : terms.settings.zones) {
    if (!may_be_written(zone.access, zone.approval)) zone.access = std::min(zone.access, Access::Read);
  }
  WorkerPlaces places = terms.settings.worker_paths;
  // It must be good: which zones are read-only stands there; unless the manifest says that, as one that was imported does.
  if (foreign && worker::first_place(terms.settings).empty()) {
    PALE_TRY(declared, read_declared(resolved, {}));
    for (const worker::Zone& zone : declared.zones.zones) {
      if (may_be_written(zone.access, zone.approval)) continue;
      terms.settings.zones.push_back({zone.name, zone.folder, Access::Read, zone.where, {}, zone.approval});
    }
    places = std::move(declared.declaration.worker_paths);
  }
  PALE_TRY(beside, beside_of(root, places, foreign.has_value()));
  PALE_TRY(protections, worker_protections(directory, root, places, beside));
  for (Protection& protection : protections)
    terms.settings.protections.push_back({{std::move(protection.path), protection.match}, protection.origin});
  return {};
}

}  // namespace pale::service
