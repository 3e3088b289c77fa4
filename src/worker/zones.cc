#include "worker/zones.h"

#include <algorithm>

#include "project/project.h"

namespace pale::worker {
namespace {

std::unexpected<Error> wrong(const DeclaredZone& zone, const std::string& what, std::string hint) {
  return fail(ErrorKind::Usage, zone.where + ": the zone '" + zone.name + "' " + what, "", std::move(hint));
}

// Below a folder or that folder itself, by components; nothing if it leads elsewhere, or it cannot be known.
std::optional<Path> beneath(const Path& folder, const std::string& text) {
  if (text.empty() || text.front() == '/') return std::nullopt;
  const auto path = Path::parse("x/" + text);  // so that "." is one, too
  if (!path) return std::nullopt;
  const std::string_view rest = Path::literal("x").below(*path);
  return rest.empty() ? folder : folder / rest;
}

Status check_name(const DeclaredZone& zone) {
  const std::string other = project::id_from(zone.name);
  if (!project::check_id(zone.name))
    return wrong(zone, "has a name that is not a word of letters, digits, '.', '_' and '-'", "call it " + other);
  if (is_reserved(zone.name))
    return wrong(zone, "would appear at /" + zone.name + ", which belongs to the system", "call it my-" + other);
  return {};
}

Result<Path> folder_of(const DeclaredZone& zone, const Path& base) {
  if (zone.settled) return *zone.settled;
  const std::string example = "path: ./" + zone.name;
  if (zone.path.empty()) return wrong(zone, "has an empty path", example);
  if (zone.path.find('\0') != std::string::npos) return wrong(zone, "has a path that holds NUL", example);
  if (zone.path.front() == '/')
    return wrong(zone, "has an absolute path, " + zone.path + ": zones lie in " + base.text(), example);
  const auto folder = beneath(base, zone.path);
  if (!folder) return wrong(zone, "has a path that may lead out of " + base.text() + ": " + zone.path, example);
  return *folder;
}

// Whoever has the outer one would do in the inner one what that forbids, or the other way round.
Status check_overlap(const Zone& one, const Zone& other) {
  const bool nested = one.folder.covers(other.folder) || other.folder.covers(one.folder);
  if (!nested || (one.access == other.access && one.approval == other.approval)) return {};
  const std::string how = one.folder == other.folder ? "are the same folder" : "lie in one another";
  const std::string what = one.access == other.access ? "approvals" : "modes";
  return fail(ErrorKind::Usage,
              other.where + ": the zones '" + one.name + "' (" + one.where + ") and '" + other.name + "' " + how +
                  " with different " + what,
              "", "give them the same " + what + ", or folders side by side");
}

Result<Path> base_of(const Declaration& declaration, const Overrides& overrides, SandboxMode mode, const Path& root) {
  if (mode == SandboxMode::Direct) return root;
  const std::string said = overrides.root.value_or(declaration.root.value_or(std::string(project::kSandboxRoot)));
  auto base = beneath(root, said);
  if (base) return *base;
  const std::string who = overrides.root ? "--sandbox-root" : declaration.file + ": sandbox.root";
  return fail(ErrorKind::Usage, who + " must be a folder below the project, which '" + said + "' is not", "",
              "a path relative to the project, such as " + std::string(project::kSandboxRoot));
}

}  // namespace

Result<Zones> make_zones(const Declaration& declaration, const Overrides& overrides, const Path& root) {
  Zones zones{declaration.file, overrides.mode.value_or(declaration.mode.value_or(declaration.usual_mode))};
  PALE_TRY(base, base_of(declaration, overrides, zones.mode, root));
  zones.base = std::move(base);
  zones.approval = overrides.approval.value_or(declaration.approval.value_or(zones.approval));
  zones.approval_said = overrides.approval || declaration.approval;
  zones.max_calls = declaration.max_calls.value_or(zones.max_calls);
  zones.call_seconds = declaration.call_seconds.value_or(zones.call_seconds);
  zones.max_depth = overrides.max_depth.value_or(declaration.max_depth.value_or(zones.max_depth));
  for (const DeclaredZone& declared : declaration.zones) {
    // Of an enclosing project, and not where this one's zones lie: no worker reaches it.
    if (declared.settled && !zones.base.covers(*declared.settled)) continue;
    PALE_CHECK(check_name(declared));
    PALE_TRY(folder, folder_of(declared, zones.base));
    const Zone zone{declared.name, std::move(folder), declared.access, declared.approval, declared.where, ""};
    for (const Zone& other : zones.zones) PALE_CHECK(check_overlap(other, zone));
    if (std::ranges::find(zones.zones, zone.name, &Zone::name) != zones.zones.end())
      return wrong(declared, "is declared twice", "give one of them another name");
    zones.zones.push_back(zone);
  }
  return zones;
}

void narrow_all(Zones& zones, Access most, const std::string& why) {
  zones.without_zones = std::min(zones.without_zones, most);
  for (Zone& zone : zones.zones) {
    if (zone.access <= most) continue;
    zone.access = most;
    zone.narrowed_by = why;
  }
}

void protect(Zones& zones, std::vector<Protection> protections) {
  zones.protections = std::move(protections);
  for (Zone& zone : zones.zones) {
    const Protection* protection = protection_of(zones, zone.folder);
    if (protection == nullptr || zone.access <= Access::Read) continue;
    zone.access = Access::Read;
    zone.narrowed_by = "protected: " + protection->origin;
  }
}

const Protection* protection_of(const Zones& zones, const Path& folder) noexcept {
  const auto found = std::ranges::find_if(zones.protections, [&](const auto& each) { return each.covers(folder); });
  return found == zones.protections.end() ? nullptr : &*found;
}

bool is_reserved(std::string_view name) noexcept {
  return std::ranges::find(kReservedNames, name) != std::end(kReservedNames);
}

std::string_view mode_text(Access access) noexcept {
  switch (access) {
    case Access::Write: return "rw";
    case Access::Read: return "ro";
    case Access::List: return "list";
    case Access::None: break;
  }
  return "none";
}

}  // namespace pale::worker
