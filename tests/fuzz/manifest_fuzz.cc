// .pale/project.toml, which comes with a repository and is anybody's: one is read or refused, and what is read only ever names
// what lies below the project.
#include <algorithm>

#include "fuzz/property.h"
#include "project/manifest.h"

namespace pale::project {
namespace {

using fuzz::must;

// A place where nothing is. What a manifest inherits is read from the disk, and is no matter of this text.
const Path& root() {
  static const Path root = Path::literal("/nonexistent/pale-fuzz/project");
  return root;
}

void check_below(const Path& path, std::string_view text) {
  must(path != root() && root().covers(path), "it can only narrow what lies below the project", text);
}

void check_settings(const Settings& settings, std::string_view text) {
  for (const auto& folder : settings.folders) check_below(folder.value, text);
  for (const auto& path : settings.protections) check_below(path.value.path, text);
  for (const auto* limit : {&settings.memory, &settings.pids, &settings.seconds})
    must(!*limit || (*limit)->value > 0, "a limit of nothing is none", text);
  must(!settings.agent || settings.command.empty(), "an agent has a name or a command", text);
}

void check_read(const Manifest& manifest, std::string_view text) {
  must(check_id(manifest.id).has_value(), "its id is one", text);
  check_settings(manifest.settings, text);
  for (const Preset& preset : manifest.presets) {
    const auto chosen = choose_preset(manifest, preset.name);
    if (chosen) check_settings(*chosen, text);
    must(chosen || !chosen.error().hint.empty(), "a preset that widens is refused, with what to do", text);
  }
}

// What Pale would write for the same project says the same.
void check_written(const Manifest& manifest, std::string_view text) {
  const auto project =
      Project::make({manifest.id, manifest.name, root(), WorkspaceType::Manifest, manifest.created, {}});
  must(project.has_value(), "what was read is a project", text);
  const std::string head = manifest_head(*project);
  const auto again = parse_manifest({"/m", "m", head}, root());
  must(again.has_value(), "what is written can be read", head);
  must(again->id == manifest.id && again->name == project->name() && again->created == manifest.created,
       "it names the same project", head);
}

}  // namespace
}  // namespace pale::project

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  using namespace pale::project;
  const std::string text(pale::fuzz::as_text(data, size));
  if (text.find("inherit") != std::string::npos || text.find("\\u") != std::string::npos) return 0;
  const auto manifest = parse_manifest({"/m", "m", text}, root());
  if (manifest) {
    check_read(*manifest, text);
    check_written(*manifest, text);
  } else {
    pale::fuzz::must(manifest.error().sentence().starts_with("/m:"), "a refusal names the file",
                     manifest.error().sentence());
    pale::fuzz::must(!manifest.error().hint.empty(), "and says what to do", manifest.error().sentence());
  }
  return 0;
}
