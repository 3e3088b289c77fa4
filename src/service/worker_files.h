// service/worker_files.h: finds the .worker files of a project, through no link that leads out of it.
#pragma once

#include "sys/fd.h"
#include "worker/tree.h"

namespace pale::service {

struct FoundWorkers {
  std::vector<worker::Worker> workers;  // of different names, in the order of their paths
  std::string entry;            // the name of the one that is called first; empty: none, or it is not clear which
  std::vector<Error> problems;  // a file that cannot be read or is wrong; two of one name; a place that is not there
};

enum class Beside { Nothing, GolemForge };

// Below .pale/workers and in the places that are declared; beside a configuration of golem-forge, also there and in workers/.
// The entry worker is index.worker or main.worker, where one of these places begins.
Result<FoundWorkers> find_worker_files(const sys::Fd& root, const std::vector<project::Said<std::string>>& places,
                                       Beside beside);

// A file that the user names. If it is none of those found, it stands for the one of the same name, unless that is locked.
// Returns its worker's name.
Result<std::string> add_given_worker(const Path& root, const std::string& given, FoundWorkers& found);

// The text of a regular file below a directory, or of one that is named absolutely.
Result<std::string> read_worker_text(const sys::Fd& file, const std::string& path);
// RESOLVE_BENEATH: a link may lead elsewhere in the project, not out of it. The error says which of both it is.
Result<sys::Fd> open_in_project(const sys::Fd& root, const std::string& path);

}  // namespace pale::service
