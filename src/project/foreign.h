// project/foreign.h: what other tools say of a project, read into the words of a manifest of Pale's.
#pragma once

#include "base/json_value.h"
#include "project/manifest.h"

namespace pale::project {

struct Foreign {
  std::string id;
  std::string name;
  std::int64_t created = 0;
  std::string tables;              // TOML, for a manifest: all but [project]
  std::vector<std::string> taken;  // for people: what became of what
  std::vector<std::string> left;
};

// .sunwell/project.toml. What Pale does not know is left, not refused.
Result<Foreign> read_sunwell(const Source& source);

// golem-forge.config.yaml.
Result<Foreign> read_golem_forge(const Source& source);

// Of an entry in Sunwell's projects.json, whose times have no zone.
std::int64_t last_used_of(const JsonValue& entry, std::int64_t otherwise);

}  // namespace pale::project
