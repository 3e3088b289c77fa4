// service/workers.h: the use cases of `pale worker`: a project's zones, its workers, and what each of them would get. Nothing
// of it runs.
#pragma once

#include "project/resolver.h"
#include "service/terms.h"
#include "service/worker_files.h"

namespace pale::service {

// What lies where a zone is declared.
enum class ZonePlace { Folder, Missing, Link, Other };
// Of a folder in or below `directory`, which `root` has open.
ZonePlace place_of(const sys::Fd& root, const Path& directory, const Path& folder);
// Of one that is Link or Other.
Error bad_place(const std::string& zone, const std::string& where, const Path& folder, ZonePlace place);

struct ProjectWorkers {
  project::Resolved resolved;
  project::Surroundings around;
  Terms terms;
  worker::Zones zones;
  std::vector<ZonePlace> places;         // of each of them
  std::vector<worker::OtherKey> unused;  // keys of the configuration that are known, and do nothing here
  FoundWorkers found;
};

// Zones stand in the manifest, or in a golem-forge.config.yaml beside it; both is an error. So is one that is wrong: no other is
// looked for, and none in a folder above.
Result<ProjectWorkers> load_workers(const project::Named& named, const worker::Overrides& overrides,
                                    const Caller& caller);

// The same for a project that is known, on terms that are agreed.
Result<ProjectWorkers> load_workers(project::Resolved resolved, project::Surroundings around, Terms terms,
                                    const worker::Overrides& overrides);

// The folder of a zone, made where it is missing: step by step below the project, through no link.
Status make_zone_folder(const Path& root, const Path& folder);

// By a name, or by the path of a .worker file, which is then one of them.
Result<std::string> find_worker(ProjectWorkers& all, const std::string& name_or_path);

// Everything that is wrong, beside what the tree refuses; that a worker needs an agent, and there is none, too.
std::vector<Error> problems_of(const ProjectWorkers& all, const Caller& caller);

}  // namespace pale::service
