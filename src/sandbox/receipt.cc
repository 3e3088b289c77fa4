#include "sandbox/receipt.h"

#include <algorithm>

#include "base/json.h"
#include "boundary/json.h"
#include "sys/mount.h"

namespace pale::sandbox {
namespace {

std::unexpected<Error> mismatch(const std::string& what, const std::string& where) {
  return fail(ErrorKind::Mismatch, "what the kernel did differs from the plan: " + what, where,
              "nothing was run; please report this with the output of: pale doctor --json");
}

// Submounts that came along with a grant are fine if they are as tight as the grant itself.
const plan::ExpectedMount* covering_grant(const plan::Plan& plan, const std::string& text) {
  const auto target = Path::parse(text);
  if (!target) return nullptr;
  const bool granted = std::ranges::any_of(plan.steps, [&](const plan::Step& step) {
    return step.kind == plan::StepKind::Bind && step.target.covers(*target);
  });
  const plan::ExpectedMount* best = nullptr;
  for (const plan::ExpectedMount& mount : plan.mounts) {
    const bool closer = best == nullptr || best->target.depth() <= mount.target.depth();
    if (granted && closer && mount.target.covers(*target)) best = &mount;
  }
  return best;
}

std::vector<sys::MountLine> seen_in(std::string_view mountinfo) {
  std::vector<sys::MountLine> lines = sys::parse_mounts(mountinfo);
  std::vector<sys::MountLine> top;  // the last mount at each target is the one that is seen
  top.reserve(lines.size());
  for (sys::MountLine& line : lines) {
    std::erase_if(top, [&](const sys::MountLine& below) { return below.target == line.target; });
    top.push_back(std::move(line));
  }
  return top;
}

// The step that decides what is seen at a path.
const plan::Step* step_for(const plan::Plan& plan, const Path& target) {
  const plan::Step* innermost = nullptr;
  for (const plan::Step& step : plan.steps) {
    const bool mounts = step.kind == plan::StepKind::Bind || step.kind == plan::StepKind::Overlay ||
                        step.kind == plan::StepKind::Device || step.kind == plan::StepKind::Scratch ||
                        step.kind == plan::StepKind::Private || step.kind == plan::StepKind::Terminals ||
                        step.kind == plan::StepKind::Processes || step.kind == plan::StepKind::Hide;
    const bool closer = innermost == nullptr || innermost->target.depth() <= step.target.depth();
    if (mounts && closer && step.target.covers(target)) innermost = &step;
  }
  return innermost;
}

// Whether a mount shows something of the host: not the bare root, and nothing that was made for this sandbox alone.
bool is_of_host(const plan::Plan& plan, const sys::MountLine& line) {
  const auto target = Path::parse(line.target);
  if (!target || target->is_root()) return false;
  const plan::Step* innermost = step_for(plan, *target);
  return innermost == nullptr || innermost->kind == plan::StepKind::Bind ||
         innermost->kind == plan::StepKind::Overlay || innermost->kind == plan::StepKind::Device;
}

// Whether `wide` shows all of the host that `narrow` shows.
bool shows(const sys::MountLine& wide, const sys::MountLine& narrow) {
  if (wide.device != narrow.device) return false;
  const auto outer = Path::parse(wide.root);
  const auto inner = Path::parse(narrow.root);
  return outer && inner ? outer->covers(*inner) : wide.root == narrow.root;
}

// A part of a filesystem of the host.
struct Spot {
  std::string device;
  Path path;
};

Path moved(const Path& from, const Path& to, const Path& path) { return path == from ? to : to / from.below(path); }

const sys::MountLine* innermost_at(const std::vector<sys::MountLine>& mounts, const Path& path, const Path* but) {
  const sys::MountLine* innermost = nullptr;
  std::size_t deepest = 0;
  for (const sys::MountLine& line : mounts) {
    const auto target = Path::parse(line.target);
    if (!target || !target->covers(path) || (but != nullptr && *target == *but)) continue;
    if (innermost != nullptr && target->depth() < deepest) continue;
    innermost = &line;
    deepest = target->depth();
  }
  return innermost;
}

// Whether the spot is seen through this mount: nothing else is mounted over it there.
bool is_seen_through(const sys::MountLine& line, const std::vector<sys::MountLine>& mounts, const Spot& spot) {
  if (line.device != spot.device) return false;
  const auto root = Path::parse(line.root);
  const auto target = Path::parse(line.target);
  if (!root || !target || !root->covers(spot.path)) return false;
  return innermost_at(mounts, moved(*root, *target, spot.path), nullptr) == &line;
}

bool is_seen(const std::vector<sys::MountLine>& mounts, const Spot& spot) {
  return std::ranges::any_of(mounts, [&](const auto& line) { return is_seen_through(line, mounts, spot); });
}

// Of what these show, all over which something else is mounted, such as what hides it.
std::vector<Spot> covered_spots(const std::vector<sys::MountLine>& mounts) {
  std::vector<Spot> spots;
  for (const sys::MountLine& cover : mounts) {
    const auto target = Path::parse(cover.target);
    if (!target || target->is_root()) continue;
    const sys::MountLine* beneath = innermost_at(mounts, *target, &*target);
    if (beneath == nullptr) continue;
    const auto below = Path::parse(beneath->target);
    const auto root = Path::parse(beneath->root);
    if (!below || !root || below->is_root()) continue;
    Spot spot{beneath->device, moved(*below, *root, *target)};
    if (!is_seen(mounts, spot)) spots.push_back(std::move(spot));
  }
  return spots;
}

// What a mount shows is seen in the other sandbox, too, and may be changed there if it may be here.
bool is_allowed(const sys::MountLine& line, const std::vector<sys::MountLine>& above) {
  const auto root = Path::parse(line.root);
  return std::ranges::any_of(above, [&](const sys::MountLine& wide) {
    if (!shows(wide, line) || (wide.read_only && !line.read_only)) return false;
    return !root || is_seen_through(wide, above, {line.device, *root});
  });
}

bool is_beside(const plan::Plan& plan, const sys::MountLine& line, const std::vector<Path>& beside) {
  const auto target = Path::parse(line.target);
  const plan::Step* step = target ? step_for(plan, *target) : nullptr;
  return step != nullptr && line.read_only && std::ranges::find(beside, step->target) != beside.end();
}

Status check_flags(const plan::ExpectedMount& expected, const sys::MountLine& line) {
  if (expected.overlay && line.type != "overlay") return mismatch("no stage lies over", line.target);
  if (expected.read_only && !line.read_only) return mismatch("not read-only:", line.target);
  if (expected.no_devices && !line.no_devices) return mismatch("shows devices:", line.target);
  // A device cannot be executed.
  if (expected.no_devices && !line.no_setuid) return mismatch("honours setuid:", line.target);
  return {};
}

void write_landlock(JsonWriter& out, const plan::Plan& plan, const Observed& observed) {
  out.key("landlock").begin_object().field("abi", plan.landlock_abi).field("denies", observed.landlock_denies);
  out.key("rules").begin_array();
  for (const plan::LandlockRule& rule : plan.landlock) {
    out.begin_object().field("path", rule.path.text()).field("access", to_text(rule.access));
    out.field("removal", to_text(rule.removal)).end_object();
  }
  out.end_array().end_object();
}

void write_mounts(JsonWriter& out, const Observed& observed) {
  out.key("mounts").begin_array();
  for (const sys::MountLine& line : sys::parse_mounts({observed.mounts.data(), observed.mounts_length})) {
    out.begin_object().field("target", line.target).field("type", line.type).field("root", line.root);
    out.field("readOnly", line.read_only).field("nosuid", line.no_setuid).field("nodev", line.no_devices).end_object();
  }
  out.end_array();
}

}  // namespace

Within as_outer(const Observed& observed) {
  return {{observed.mounts.data(), observed.mounts_length}, observed.own_network, {}};
}

Status check_mounts(const plan::Plan& plan, std::string_view mountinfo) {
  const std::vector<sys::MountLine> top = seen_in(mountinfo);
  for (const plan::ExpectedMount& expected : plan.mounts) {
    const auto found = std::ranges::find(top, expected.target.text(), &sys::MountLine::target);
    if (found == top.end()) return mismatch("not mounted:", expected.target.text());
  }
  for (const sys::MountLine& line : top) {
    const auto exact = std::ranges::find(plan.mounts, line.target,
                                         [](const auto& mount) -> const std::string& { return mount.target.text(); });
    const plan::ExpectedMount* expected = exact == plan.mounts.end() ? covering_grant(plan, line.target) : &*exact;
    if (expected == nullptr) return mismatch("mounted without being planned:", line.target);
    PALE_CHECK(check_flags(*expected, line));
  }
  return {};
}

Status check_mounts_within(const plan::Plan& plan, std::string_view mountinfo, const Within& within) {
  const std::vector<sys::MountLine> own = seen_in(mountinfo);
  const std::vector<sys::MountLine> above = seen_in(within.mounts);
  for (const Spot& spot : covered_spots(above)) {
    for (const sys::MountLine& line : own)
      if (is_seen_through(line, own, spot)) return mismatch("hidden from its caller, and seen in", line.target);
  }
  for (const sys::MountLine& line : own) {
    if (!is_of_host(plan, line) || is_beside(plan, line, within.beside)) continue;
    if (!is_allowed(line, above)) return mismatch("the caller's sandbox does not show", line.target);
    if (line.read_only) continue;
    for (const sys::MountLine& closed : above) {
      if (!closed.read_only || !shows(line, closed)) continue;
      const auto keeps = [&](const sys::MountLine& inner) { return inner.read_only && shows(inner, closed); };
      if (std::ranges::none_of(own, keeps)) return mismatch("read-only for its caller:", line.target);
    }
  }
  return {};
}

Status check_network(const plan::Plan& plan, const Observed& observed, const Within& within) {
  if (plan.own_network && !observed.own_network) return mismatch("the network is", "the host's");
  if (within.own_network && !observed.own_network)
    return mismatch("its caller's sandbox does not reach", "the network");
  return {};
}

Status check_privileges(const plan::Plan& plan, const Observed& observed) {
  if (!observed.no_new_privileges) return mismatch("no_new_privs is", "off");
  if (observed.capabilities) return mismatch("capabilities are", "left");
  if (observed.seccomp_mode != 2) return mismatch("the system call filter is", "not in force");
  if (plan.landlock_abi != 0 && !observed.landlock_denies) return mismatch("Landlock is", "not in force");
  if (observed.inheritable_descriptors != observed.handed_descriptors)
    return mismatch("descriptors would be inherited:", std::to_string(observed.inheritable_descriptors));
  return {};
}

std::string receipt_json(const Boundary& boundary, const plan::Plan& plan, const Observed& observed,
                         const LimitGuards& limits, std::optional<std::uint64_t> within) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("backend", plan::to_text(plan.backend));
  if (within) out.field("within", *within);
  out.field("noNewPrivileges", observed.no_new_privileges)
      .field("capabilities", observed.capabilities ? "some" : "none")
      .field("ownNetwork", observed.own_network);
  out.key("seccomp").begin_object().field("mode", observed.seccomp_mode).field("instructions", plan.filter.size());
  out.field("fingerprint", plan::fingerprint(plan.filter)).end_object();
  write_landlock(out, plan, observed);
  out.field("inheritableDescriptors", observed.inheritable_descriptors);
  if (observed.handed_descriptors != 0) out.field("handedDescriptors", observed.handed_descriptors);
  out.key("limits").begin_object().field("memory", limits.memory).field("pids", limits.pids).end_object();
  write_mounts(out, observed);
  out.key("refused").begin_array();
  for (const std::string_view line : plan.refused) out.value(line);
  out.end_array().key("weaker").begin_array();
  for (const std::string& line : plan.weaker) out.value(line);
  out.end_array().key("boundary");
  write_json(out, boundary, Values::Withheld);
  out.end_object();
  return out.text() + "\n";
}

}  // namespace pale::sandbox
