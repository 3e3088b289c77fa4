#include "boundary/rule.h"

#include <algorithm>
#include <iterator>

namespace pale {
namespace {

// Fixtures nest (/dev/shm in /dev); of those that cover a path, the longer text is the deeper one.
const Fixture* fixture_for(const Path& path) {
  const Fixture* nearest = nullptr;
  for (const Fixture& fixture : kFixtures) {
    const bool deeper = nearest == nullptr || fixture.path.size() > nearest->path.size();
    if (deeper && Path::literal(fixture.path).covers(path)) nearest = &fixture;
  }
  return nearest;
}

Standing passage(const Boundary& boundary, const Path& path) {
  const auto beneath = std::find_if(boundary.grants().begin(), boundary.grants().end(),
                                    [&](const Grant& grant) { return path.covers(grant.path); });
  if (beneath != boundary.grants().end()) return {Ground::Passage, &*beneath, nullptr};
  const auto* fixture = std::find_if(std::begin(kFixtures), std::end(kFixtures),
                                     [&](const Fixture& each) { return path.covers(Path::literal(each.path)); });
  if (fixture != std::end(kFixtures)) return {Ground::Passage, nullptr, fixture};
  return {};
}

}  // namespace

Standing standing_at(const Boundary& boundary, const Path& path) {
  const Grant* grant = boundary.grant_for(path);
  const Fixture* fixture = fixture_for(path);
  // Both cover the path, so the longer text is the deeper one; but what is hidden closes even a fixture beneath it.
  if (grant != nullptr &&
      (fixture == nullptr || grant->access == Access::None || grant->path.text().size() >= fixture->path.size())) {
    return {Ground::Grant, grant, nullptr};
  }
  if (fixture != nullptr) return {Ground::Fixture, nullptr, fixture};
  return passage(boundary, path);
}

Access access_at(const Boundary& boundary, const Grant& grant, const Path& path) {
  return boundary.protection_for(path) != nullptr ? Access::Read : grant.access;
}

Path host_path(const Grant& grant, const Path& path) {
  return path == grant.path ? grant.source : grant.source / grant.path.below(path);
}

bool is_staged(const Boundary& boundary, const Grant& grant) {
  return std::any_of(boundary.grants().begin(), boundary.grants().end(), [&](const Grant& staged) {
    return !staged.layers.empty() && staged.covers(grant.path) && host_path(staged, grant.path) == grant.source;
  });
}

Access access_at(const Boundary& boundary, const Fixture& fixture) {
  const Path path = Path::literal(fixture.path);
  const bool closed = std::any_of(boundary.grants().begin(), boundary.grants().end(), [&](const Grant& grant) {
    return grant.access == Access::List && path.covers(grant.path);
  });
  return closed ? Access::List : fixture.access;
}

Rule rule_of(const Grant& grant) {
  const std::string_view verb = grant.access == Access::None ? "hidden" : to_text(grant.access);
  const std::string_view held =
      grant.access == Access::Write && grant.removal == Removal::Denied ? ", removing and renaming nothing" : "";
  return {std::string(verb) + " " + grant.path.text() + std::string(held), grant.origin};
}

Rule rule_of(const Protection& protection) { return {"protected " + protection.path.text(), protection.origin}; }

Rule rule_of(const Fixture& fixture) { return {"fixture " + std::string(fixture.path), "fixture"}; }

Rule rule_of(const Standing& standing) {
  if (standing.ground == Ground::Nothing) return {"outside: nothing grants it", "default"};
  Rule rule = standing.grant != nullptr ? rule_of(*standing.grant) : rule_of(*standing.fixture);
  if (standing.ground == Ground::Passage) rule.text = "on the way to " + rule.text;
  return rule;
}

}  // namespace pale
