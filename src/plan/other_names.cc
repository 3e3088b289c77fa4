#include "plan/other_names.h"

#include "base/text.h"
#include "boundary/rule.h"

namespace pale::plan {
namespace {

Status fail_shared(const Path& path, const std::string& origin) {
  return fail(
      ErrorKind::Refused,
      "a protected, read-only or hidden file must have no other hard link, by which it could be had (" + origin + "):",
      path.text(), "sed -i '' " + shell_word(path.text()) + ", which makes it a file of its own");
}

// What is hidden must not be read, either: in the project also where nothing can be written.
Status check_grants(const Boundary& boundary, const Path& file) {
  for (const Grant& grant : boundary.grants()) {
    const Grant* above = boundary.grant_for(grant.path.parent());
    if (grant.source != file || above == nullptr || host_path(*above, grant.path) != file) continue;
    const bool writable = above->access == Access::Write;
    const bool changed = writable && grant.access < Access::Write && !is_staged(boundary, *above);
    const bool read = grant.access == Access::None && (writable || boundary.workspace().covers(grant.path));
    if (changed || read) return fail_shared(grant.path, grant.origin);
  }
  return {};
}

// In a stage a file that is changed becomes another one, and its other names stay with the old.
Status check_protections(const Boundary& boundary, const Path& file) {
  for (const Protection& protection : boundary.protections()) {
    const Grant* grant = boundary.grant_for(protection.path);
    if (grant == nullptr || grant->access != Access::Write || !grant->source.covers(file)) continue;
    const Path inside = grant->source == file ? grant->path : grant->path / grant->source.below(file);
    const bool meant = inside.parent() == protection.path.parent() && protection.covers(inside);
    if (meant && !is_staged(boundary, *grant)) return fail_shared(inside, protection.origin);
  }
  return {};
}

}  // namespace

Status check_other_names(const Boundary& boundary, const Facts& facts) {
  for (const PathFact& fact : facts.paths) {
    if (!fact.has_other_names) continue;
    PALE_CHECK(check_grants(boundary, fact.path));
    PALE_CHECK(check_protections(boundary, fact.path));
  }
  return {};
}

}  // namespace pale::plan
