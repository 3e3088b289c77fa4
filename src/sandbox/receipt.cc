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
    out.begin_object().field("path", rule.path.text()).field("access", to_text(rule.access)).end_object();
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

Status check_mounts(const plan::Plan& plan, std::string_view mountinfo) {
  const std::vector<sys::MountLine> lines = sys::parse_mounts(mountinfo);
  std::vector<const sys::MountLine*> top;  // the last mount at each target is the one that is seen
  for (const sys::MountLine& line : lines) {
    std::erase_if(top, [&](const sys::MountLine* below) { return below->target == line.target; });
    top.push_back(&line);
  }
  for (const plan::ExpectedMount& expected : plan.mounts) {
    const auto found = std::ranges::find(top, expected.target.text(), &sys::MountLine::target);
    if (found == top.end()) return mismatch("not mounted:", expected.target.text());
  }
  for (const sys::MountLine* line : top) {
    const auto exact = std::ranges::find(plan.mounts, line->target,
                                         [](const auto& mount) -> const std::string& { return mount.target.text(); });
    const plan::ExpectedMount* expected = exact == plan.mounts.end() ? covering_grant(plan, line->target) : &*exact;
    if (expected == nullptr) return mismatch("mounted without being planned:", line->target);
    PALE_CHECK(check_flags(*expected, *line));
  }
  return {};
}

Status check_privileges(const plan::Plan& plan, const Observed& observed) {
  if (!observed.no_new_privileges) return mismatch("no_new_privs is", "off");
  if (observed.capabilities) return mismatch("capabilities are", "left");
  if (observed.seccomp_mode != 2) return mismatch("the system call filter is", "not in force");
  if (plan.landlock_abi != 0 && !observed.landlock_denies) return mismatch("Landlock is", "not in force");
  if (observed.inheritable_descriptors != 0)
    return mismatch("descriptors would be inherited:", std::to_string(observed.inheritable_descriptors));
  return {};
}

std::string receipt_json(const Boundary& boundary, const plan::Plan& plan, const Observed& observed,
                         const LimitGuards& limits) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("backend", plan::to_text(plan.backend));
  out.field("noNewPrivileges", observed.no_new_privileges)
      .field("capabilities", observed.capabilities ? "some" : "none");
  out.key("seccomp").begin_object().field("mode", observed.seccomp_mode).field("instructions", plan.filter.size());
  out.field("fingerprint", plan::fingerprint(plan.filter)).end_object();
  write_landlock(out, plan, observed);
  out.field("inheritableDescriptors", observed.inheritable_descriptors);
  out.key("limits").begin_object().field("memory", limits.memory).field("pids", limits.pids).end_object();
  write_mounts(out, observed);
  out.key("weaker").begin_array();
  for (const std::string& line : plan.weaker) out.value(line);
  out.end_array().key("boundary");
  write_json(out, boundary, Values::Withheld);
  out.end_object();
  return out.text() + "\n";
}

}  // namespace pale::sandbox
