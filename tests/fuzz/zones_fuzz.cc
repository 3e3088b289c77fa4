// A golem-forge.config.yaml, which comes with a repository and is anybody's: one is refused, or its zones lie in the project,
// have names that the system has not, and do not contradict each other.
#include "fuzz/property.h"
#include "project/project.h"
#include "worker/golem_forge.h"
#include "worker/zones.h"

namespace pale::worker {
namespace {

using fuzz::must;

void check(const Zones& zones, const Path& root, std::string_view text) {
  must(root.covers(zones.base), "zones lie in the project", text);
  must(zones.max_depth > 0, "a call is possible", text);
  for (const Zone& zone : zones.zones) {
    must(zones.base.covers(zone.folder), "each lies where they all do", text);
    must(!is_reserved(zone.name) && project::check_id(zone.name), "each has a name that the system has not", text);
    for (const Zone& other : zones.zones)
      must(!zone.folder.covers(other.folder) || zone.access == other.access, "none contradicts another", text);
  }
}

void check(std::string_view text) {
  const auto declaration = parse_golem_forge(text, "/w");
  if (!declaration) {
    const std::string sentence = declaration.error().sentence();
    must(sentence.starts_with("/w: line "), "a refusal names file and line", sentence);
    must(!declaration.error().hint.empty(), "and says what to do", sentence);
    return;
  }
  const Path root = Path::literal("/p");
  const auto zones = make_zones(*declaration, {}, root);
  if (zones) return check(*zones, root, text);
  must(!zones.error().hint.empty(), "a refusal says what to do", zones.error().sentence());
}

}  // namespace
}  // namespace pale::worker

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  pale::worker::check(pale::fuzz::as_text(data, size));
  return 0;
}
