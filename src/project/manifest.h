// project/manifest.h: .pale/project.toml, the contract that is committed with a project. It only tightens.
#pragma once

#include "project/project.h"
#include "project/settings.h"

namespace pale::project {

struct Preset {
  std::string name;
  Settings settings;
  std::string where;
};

struct Manifest {
  Path file = Path::root();
  std::string id;
  std::string name;
  std::int64_t created = 0;
  Settings settings;  // with what it inherits
  std::vector<Preset> presets;
};

// Of a project at `root`, resolved. Nothing if there is none; an error if it cannot be read, is broken, or has a key or a
// value that is unknown. Reads those it inherits, too. `label`: what it is called where something comes from it.
Result<std::optional<Manifest>> read_manifest(const Path& root, std::string label = std::string(kManifestPlace));

// A text that would be that file.
Result<Manifest> parse_manifest(const Source& source, const Path& root);

// The settings with a preset chosen from it on top; none for an empty name.
Result<Settings> choose_preset(const Manifest& manifest, const std::string& name);

// The beginning of a new manifest: a word to its reader, and [project].
std::string manifest_head(const Project& project);
// The text of a new manifest, for people to go on with.
std::string manifest_text(const Project& project, std::optional<Trust> trust);

}  // namespace pale::project
