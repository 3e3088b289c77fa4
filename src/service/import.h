// service/import.h: takes over what other tools know of a project.
#pragma once

#include <string>
#include <vector>

#include "service/request.h"

namespace pale::service {

struct ImportOutcome {
  std::vector<std::string> taken;  // "trust = \"workspace\""
  std::vector<std::string> left;   // with the reason
};

// Sunwell's project.toml or projects.json, or golem-forge's configuration; told apart by what the file is called. Writes
// manifests and registers projects; an existing manifest or id is never touched.
Result<ImportOutcome> import_file(const std::string& given, const Caller& caller);

}  // namespace pale::service
