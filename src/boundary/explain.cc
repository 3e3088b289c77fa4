#include "boundary/explain.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "boundary/rule.h"

namespace pale {
namespace {

// What happens, and what decides it: a protection, or else a grant, or else what the path stands on.
struct Ruling {
  Outcome outcome;
  Standing standing = {};
  const Grant* grant = nullptr;
  const Protection* protection = nullptr;
};

Rule rule_of(const Ruling& ruling) {
  if (ruling.protection != nullptr) return pale::rule_of(*ruling.protection);
  return ruling.grant != nullptr ? pale::rule_of(*ruling.grant) : pale::rule_of(ruling.standing);
}

bool only_looks(Operation operation) { return operation == Operation::Read || operation == Operation::Execute; }

Outcome on_read_only_mount(Operation operation) { return only_looks(operation) ? Outcome::Allowed : Outcome::ReadOnly; }

// A new name in a bare directory meets the read-only tmpfs that is the sandbox's root; elsewhere there is no directory.
Outcome outside(const Boundary& boundary, const Path& path, Operation operation) {
  if (operation != Operation::Create) return Outcome::NotFound;
  return standing_at(boundary, path.parent()).ground == Ground::Passage ? Outcome::ReadOnly : Outcome::NotFound;
}

// What leads to a grant is held in its place.
Outcome on_fixture(const Boundary& boundary, const Fixture& fixture, const Path& path, Operation operation) {
  if (operation == Operation::Write && std::ranges::find(kWritableDevices, path.text()) != std::end(kWritableDevices)) {
    return Outcome::Allowed;
  }
  if (fixture.access != Access::Write) return on_read_only_mount(operation);
  const bool itself = path.text() == fixture.path;
  const bool moves = operation == Operation::Remove || operation == Operation::Rename;
  if (access_at(boundary, fixture) == Access::List && operation != Operation::Chmod && !(itself && moves))
    return operation == Operation::Read ? Outcome::Listed : Outcome::Denied;
  if (!moves) return Outcome::Allowed;
  const bool held = itself || std::any_of(boundary.grants().begin(), boundary.grants().end(),
                                          [&](const Grant& grant) { return path.covers(grant.path); });
  return held ? Outcome::ReadOnly : Outcome::Allowed;
}

// The mask is an empty read-only mount with mode 000: the path itself has an owner who may try chmod, what lies beneath
// is behind it.
Outcome on_hidden(const Grant& grant, const Path& path, Operation operation) {
  return operation == Operation::Chmod && path == grant.path ? Outcome::ReadOnly : Outcome::Denied;
}

// Its mount is read-only; but whoever tries is told that he may not, rather than that nobody can.
Outcome on_listed(Operation operation) {
  if (operation == Operation::Read) return Outcome::Listed;
  return operation == Operation::Chmod ? Outcome::ReadOnly : Outcome::Denied;
}

// Removing or renaming a path takes what is mounted or watched there, or beneath it, along. What is it that holds it? Nothing: it
// may go.
std::optional<Ruling> pin_at(const Boundary& boundary, const Grant& grant, const Path& path) {
  if (path == grant.path) return Ruling{Outcome::ReadOnly, {}, &grant};
  for (const Protection& protection : boundary.protections()) {
    if (protection.is_below(path)) return Ruling{Outcome::ReadOnly, {}, nullptr, &protection};
  }
  for (const Grant& other : boundary.grants()) {
    if (other.path != path && path.covers(other.path)) return Ruling{Outcome::ReadOnly, {}, &other};
  }
  return std::nullopt;
}

Ruling on_writable(const Boundary& boundary, const Grant& grant, const Path& path, Operation operation) {
  if (const Protection* protection = boundary.protection_for(path); protection != nullptr)
    return {on_read_only_mount(operation), {}, nullptr, protection};
  if (operation == Operation::Remove || operation == Operation::Rename) {
    if (const auto pinned = pin_at(boundary, grant, path)) return *pinned;
    if (grant.removal == Removal::Denied) return {Outcome::Denied, {}, &grant};
  }
  return {Outcome::Allowed, {}, &grant};
}

Ruling on_grant(const Boundary& boundary, const Grant& grant, const Path& path, Operation operation) {
  switch (grant.access) {
    case Access::None: return {on_hidden(grant, path, operation), {}, &grant};
    case Access::List: return {on_listed(operation), {}, &grant};
    case Access::Read: return {on_read_only_mount(operation), {}, &grant};
    case Access::Write: break;
  }
  return on_writable(boundary, grant, path, operation);
}

Ruling rule_on(const Boundary& boundary, const Path& path, Operation operation) {
  const Standing standing = standing_at(boundary, path);
  switch (standing.ground) {
    case Ground::Nothing: return {outside(boundary, path, operation), standing};
    case Ground::Passage: return {on_read_only_mount(operation), standing};
    case Ground::Fixture: return {on_fixture(boundary, *standing.fixture, path, operation), standing};
    case Ground::Grant: break;
  }
  return on_grant(boundary, *standing.grant, path, operation);
}

}  // namespace

Verdict explain(const Boundary& boundary, const Path& path, Operation operation) {
  const Ruling ruling = rule_on(boundary, path, operation);
  Rule rule = rule_of(ruling);
  return {ruling.outcome, std::move(rule.text), std::move(rule.origin)};
}

Outcome outcome_of(const Boundary& boundary, const Path& path, Operation operation) {
  return rule_on(boundary, path, operation).outcome;
}

std::string_view to_text(Operation operation) noexcept {
  switch (operation) {
    case Operation::Read: return "read";
    case Operation::Write: return "write";
    case Operation::Create: return "create";
    case Operation::Remove: return "remove";
    case Operation::Rename: return "rename";
    case Operation::Chmod: return "chmod";
    case Operation::Execute: return "execute";
  }
  return {};
}

std::string_view to_text(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::Allowed: return "allowed";
    case Outcome::NotFound: return "not found";
    case Outcome::Denied: return "denied";
    case Outcome::Listed: return "names only";
    case Outcome::ReadOnly: return "read-only";
  }
  return {};
}

}  // namespace pale
