#include "boundary/attenuate.h"

#include <algorithm>
#include <utility>

#include "boundary/rule.h"

namespace pale {
namespace {

std::unexpected<Error> too_much(const std::string& asked, const std::string& allowed) {
  return fail(ErrorKind::Refused, "the parent boundary does not allow", asked + "; there it has " + allowed,
              "ask for less, or give the parent more first");
}

std::string said(const Rule& rule) { return rule.text + " (" + rule.origin + ")"; }

std::string said(const Rule& rule, const Path& rule_path, const Path& at) {
  return rule_path == at ? said(rule) : said(rule) + " at " + at.text();
}

// The rule that decides what may be done, which inside something writable may be a protection.
std::string deciding(const Boundary& boundary, const Standing& standing, const Path& path) {
  const Protection* protection = standing.ground == Ground::Grant ? boundary.protection_for(path) : nullptr;
  return said(protection != nullptr ? rule_of(*protection) : rule_of(standing));
}

Status check_granted(const Boundary& parent, const Boundary& child, const Grant& grant, const Path& path) {
  const Standing above = standing_at(parent, path);
  const std::string asked = said(rule_of(grant), grant.path, path);
  // A fixture is made fresh for each sandbox: what the host has at that path, the parent does not have.
  if (above.ground != Ground::Grant) return too_much(asked, said(rule_of(above)));
  const Access access = access_at(child, grant, path);
  if (access > access_at(parent, *above.grant, path)) return too_much(asked, deciding(parent, above, path));
  if (access == Access::Write && grant.removal < above.grant->removal)
    return too_much(asked, deciding(parent, above, path));
  // What is hidden shows nothing of its source; still nobody may name a source that is not theirs.
  if (access == Access::None && path != grant.path) return {};
  const Path source = host_path(grant, path);
  const Path expected = host_path(*above.grant, path);
  if (source == expected && grant.layers == above.grant->layers) return {};
  return too_much(asked + " from " + source.text(), said(rule_of(*above.grant)) + " from " + expected.text());
}

// Fixtures are nobody's, so a child's own ones are never more than its parent has.
Status check_place(const Boundary& parent, const Boundary& child, const Path& path) {
  const Standing standing = standing_at(child, path);
  if (standing.ground == Ground::Grant) return check_granted(parent, child, *standing.grant, path);
  if (standing.ground != Ground::Passage) return {};
  // A bare directory can be listed; one that the parent hides must stay closed.
  const Standing above = standing_at(parent, path);
  if (above.ground != Ground::Grant || above.grant->access != Access::None) return {};
  return too_much(said(rule_of(standing)) + " at " + path.text(), said(rule_of(above)));
}

// Between these paths nothing changes, so they stand for all.
Status check_places(const Boundary& parent, const Boundary& child) {
  for (const Grant& grant : child.grants()) {
    PALE_CHECK(check_place(parent, child, grant.path));
    for (Path above = grant.path; !above.is_root();) {
      above = above.parent();
      PALE_CHECK(check_place(parent, child, above));
    }
  }
  for (const Grant& grant : parent.grants()) PALE_CHECK(check_place(parent, child, grant.path));
  return {};
}

// Whether `wide` protects everything that `narrow` does. Of two different patterns only "*" is known to match all names.
bool includes(const Protection& wide, const Protection& narrow) {
  if (narrow.match == Match::Exact) return wide.covers(narrow.path);
  if (wide.path == narrow.path && wide.match == narrow.match) return true;
  if (wide.covers(narrow.path.parent())) return true;
  return wide.match == Match::Glob && wide.path == narrow.path.parent() / "*";
}

// Only the place itself: a grant beneath it is a place of its own.
Status check_protected(const Boundary& child, const Protection& protection) {
  // Names that match a pattern are without number; the directory stands for those that no grant names.
  const Path place = protection.match == Match::Exact ? protection.path : protection.path.parent();
  const Standing standing = standing_at(child, place);
  if (standing.ground != Ground::Grant || access_at(child, *standing.grant, place) != Access::Write) return {};
  const auto kept = [&](const Protection& own) { return includes(own, protection); };
  if (std::any_of(child.protections().begin(), child.protections().end(), kept)) return {};
  return too_much(said(rule_of(standing), standing.grant->path, protection.path), said(rule_of(protection)));
}

std::string said_network(const Boundary& boundary) {
  std::string text = "network " + std::string(to_text(boundary.network()));
  if (boundary.network() == Network::Allow) text += " (" + listed(boundary.hosts()) + ")";
  return text;
}

Status check_network(const Boundary& parent, const Boundary& child) {
  if (child.network() > parent.network()) return too_much(said_network(child), said_network(parent));
  if (child.network() != Network::Allow || parent.network() == Network::Open) return {};
  for (const HostRule& rule : child.hosts()) {
    if (!covered(parent.hosts(), rule))
      return too_much("network to " + to_text(rule) + " (" + rule.origin + ")", said_network(parent));
  }
  for (const Credential& credential : child.credentials()) {
    if (std::ranges::find(parent.credentials(), credential) == parent.credentials().end())
      return too_much("the credential " + credential.name + " for " + credential.host, "no such credential");
  }
  return {};
}

struct NamedLimit {
  std::string_view name;
  std::optional<std::uint64_t> Limits::* value;
};
constexpr NamedLimit kLimits[] = {{"memory", &Limits::memory},
                                  {"pids", &Limits::pids},
                                  {"seconds", &Limits::seconds},
                                  {"connections", &Limits::connections},
                                  {"requests", &Limits::requests},
                                  {"traffic", &Limits::traffic},
                                  {"traffic per host", &Limits::host_traffic}};

Status check_limits(const Limits& parent, const Limits& child) {
  for (const NamedLimit& limit : kLimits) {
    const auto& most = parent.*limit.value;
    const auto& asked = child.*limit.value;
    if (!most || (asked && *asked <= *most)) continue;
    const std::string name(limit.name);
    return too_much(asked ? name + " " + std::to_string(*asked) : "unlimited " + name,
                    name + " " + std::to_string(*most));
  }
  return {};
}

Status check_environment(const Boundary& parent, const Boundary& child) {
  for (const Variable& variable : child.environment()) {
    const auto same_name = [&](const Variable& other) { return other.name == variable.name; };
    const auto found = std::find_if(parent.environment().begin(), parent.environment().end(), same_name);
    const std::string asked = "the variable " + variable.name + " (" + variable.origin + ")";
    // A value may be a secret, so neither is said.
    if (found == parent.environment().end()) return too_much(asked, "no such variable");
    if (found->value != variable.value) return too_much(asked, "another value for it (" + found->origin + ")");
  }
  return {};
}

Limits smaller(const Limits& parent, Limits request) {
  for (const NamedLimit& limit : kLimits) {
    const auto& most = parent.*limit.value;
    auto& asked = request.*limit.value;
    if (most) asked = asked ? std::min(*asked, *most) : *most;
  }
  return request;
}

// By its own words, too: a grant that the request itself protects is still one to write, and would be carried further so.
Status check_asked(const Boundary& parent, const Boundary& request, const Grant& grant) {
  PALE_CHECK(check_place(parent, request, grant.path));
  const Grant* above = parent.grant_for(grant.path);
  const bool less = grant.access < Access::Write || grant.removal >= above->removal;
  return grant.access <= above->access && less ? Status() : too_much(said(rule_of(grant)), said(rule_of(*above)));
}

// The parent's grants and protections inside the request come first: of two grants for one path the request's counts,
// which is known to be no more; of two equal protections the parent's.
BoundaryParts carry_over(const Boundary& parent, const Boundary& request) {
  BoundaryParts parts = request.parts();
  std::vector<Grant> grants;
  for (Grant grant : parent.grants()) {
    const Grant* asked = request.grant_for(grant.path);
    if (asked == nullptr) continue;
    grant.access = std::min(grant.access, asked->access);
    grant.removal = std::max(grant.removal, asked->removal);
    grants.push_back(std::move(grant));
  }
  grants.insert(grants.end(), parts.grants.begin(), parts.grants.end());
  parts.grants = std::move(grants);
  std::vector<Protection> protections;
  for (const Protection& protection : parent.protections()) {
    if (request.grant_for(protection.path) != nullptr) protections.push_back(protection);
  }
  protections.insert(protections.end(), parts.protections.begin(), parts.protections.end());
  parts.protections = std::move(protections);
  parts.limits = smaller(parent.limits(), parts.limits);
  return parts;
}

// Where inside a folder of the host is seen, by the grant that is closest to it.
struct Sight {
  const Grant* grant;
  Path path;
};
std::optional<Sight> sight_of(const Boundary& boundary, const Path& folder) {
  std::optional<Sight> found;
  for (const Grant& grant : boundary.grants()) {
    if (!grant.source.covers(folder) || !grant.layers.empty()) continue;
    const std::string_view rest = grant.source.below(folder);
    Path path = rest.empty() ? grant.path : grant.path / rest;
    const bool seen = boundary.grant_for(path) == &grant;
    if (seen && (!found || found->grant->source.depth() < grant.source.depth())) found = {&grant, std::move(path)};
  }
  return found;
}

Path moved(const Path& path, const Path& from, const Path& to) {
  const std::string_view rest = from.below(path);
  return rest.empty() ? to : to / rest;
}

}  // namespace

Result<Boundary> with_alias(const Boundary& boundary, const Path& folder, const Path& place) {
  const std::optional<Sight> sight = sight_of(boundary, folder);
  if (!sight) return too_much(folder.text() + " at " + place.text(), "nothing of it");
  if (sight->path == place) return boundary;
  BoundaryParts parts = boundary.parts();
  std::erase_if(parts.grants, [&](const Grant& grant) { return place.covers(grant.path); });
  std::erase_if(parts.protections, [&](const Protection& protection) { return place.covers(protection.path); });
  const Access access = access_at(boundary, *sight->grant, sight->path);
  parts.grants.push_back({place, access, folder, sight->grant->origin, {}, sight->grant->removal});
  for (const Grant& inner : boundary.grants()) {
    if (inner.path == sight->path || !sight->path.covers(inner.path)) continue;
    parts.grants.push_back(inner);
    parts.grants.back().path = moved(inner.path, sight->path, place);
  }
  for (const Protection& inner : boundary.protections()) {
    if (inner.path == sight->path || !sight->path.covers(inner.path)) continue;
    parts.protections.push_back({moved(inner.path, sight->path, place), inner.match, inner.origin});
  }
  return Boundary::make(std::move(parts));
}

Status check_within(const Boundary& parent, const Boundary& child) {
  PALE_CHECK(check_places(parent, child));
  for (const Protection& protection : parent.protections()) PALE_CHECK(check_protected(child, protection));
  PALE_CHECK(check_network(parent, child));
  PALE_CHECK(check_limits(parent.limits(), child.limits()));
  return check_environment(parent, child);
}

Result<Boundary> attenuate(const Boundary& parent, const Boundary& request) {
  // First as asked: carrying over would only ever narrow, and hide that more was asked for.
  for (const Grant& grant : request.grants()) PALE_CHECK(check_asked(parent, request, grant));
  PALE_TRY(child, Boundary::make(carry_over(parent, request)));
  PALE_CHECK(check_within(parent, child));
  return child;
}

}  // namespace pale
