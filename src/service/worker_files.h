// service/worker_files.h: finds the .worker files of a project, through no link that leads out of it.
#pragma once

#include "sys/fd.h"
#include "worker/tree.h"

namespace pale::service {

inline constexpr std::string_view kEntryNames[] = {"index.worker", "main.worker"};

struct FoundWorkers {
  // Of different names, in the order of their paths. The entry worker, if another has its name, goes by the path of its file.
  std::vector<worker::Worker> workers;
  std::string entry;            // the name of the one that is called first; empty: none, or it is not clear which
  std::vector<Error> problems;  // a file that cannot be read or is wrong; two of one name; a place that is not there
};

// Whether the root itself is a place of workers, with workers/ in it: beside a configuration of golem-forge; and beside an
// index.worker or main.worker, in a project where nothing says that workers lie elsewhere.
enum class Beside { Nothing, Files };

using WorkerPlaces = std::vector<project::Said<std::string>>;  // that are declared, relative to the root

Result<Beside> beside_of(const sys::Fd& root, const WorkerPlaces& places, bool golem_forge);

// Below .pale/workers, in the places that are declared, and where `beside` says. The entry worker is index.worker or main.worker,
// where one of these places begins.
Result<FoundWorkers> find_worker_files(const sys::Fd& root, const WorkerPlaces& places, Beside beside);

// The same places, so that nobody inside changes what decides over workers, or adds to it. Of the root as a whole only what is a
// worker's.
Result<std::vector<Protection>> worker_protections(const Path& directory, const sys::Fd& root,
                                                   const WorkerPlaces& places, Beside beside);

// A file that the user names. If it is none of those found, it stands for the one of the same name, unless that is locked.
// Returns its worker's name.
Result<std::string> add_given_worker(const Path& root, const std::string& given, FoundWorkers& found);

// The text of a regular file below a directory, or of one that is named absolutely.
Result<std::string> read_worker_text(const sys::Fd& file, const std::string& path);
// RESOLVE_BENEATH: a link may lead elsewhere in the project, not out of it. The error says which of both it is.
Result<sys::Fd> open_in_project(const sys::Fd& root, const std::string& path);

}  // namespace pale::service
