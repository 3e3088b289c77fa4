#include "sandbox/init.h"

#include <fcntl.h>

#include "boundary/json.h"
#include "sandbox/attend.h"
#include "sandbox/gate.h"
#include "sandbox/root.h"
#include "sandbox/serve.h"
#include "sys/file.h"
#include "sys/mount.h"
#include "sys/namespaces.h"

namespace pale::sandbox {
namespace {

constexpr const char* kHostName = "pale";
constexpr int kFirstOwnDescriptor = 3;

Status read_back_mounts(const Launch& launch, Observed& observed) {
  PALE_TRY(length, sys::read_into(sys::kAbsolute, "/proc/self/mountinfo", observed.mounts));
  observed.mounts_length = static_cast<std::uint32_t>(length);
  const std::string_view mounts = {observed.mounts.data(), length};
  PALE_CHECK(check_mounts(launch.plan, mounts));
  return launch.within.mounts.empty() ? Status() : check_mounts_within(launch.plan, mounts, launch.within);
}

Status enter_sandbox(const Launch& launch, const LimitPlan& limits, const sys::Fd& to_supervisor) {
  PALE_CHECK(sys::die_with_parent());
  // If the supervisor died before that, its end of the pipe is closed by now.
  sys::Ready supervisor = {to_supervisor.borrow()};
  PALE_CHECK(sys::wait_ready({&supervisor, 1}, 0));
  if (supervisor.closed) sys::exit_now(0);
  PALE_CHECK(join_cgroups(limits));
  if (launch.plan.backend == plan::Backend::Landlock) return sys::adopt_orphans();
  return sys::map_self(launch.user, launch.group);
}

// The command could open the file that it was started from (/proc/self/exe): what it gets is seen through a mount of its own,
// which is read-only. In its old place: there is one descriptor of it.
Status shut_program(const sys::Fd& program) {
  PALE_TRY(path, sys::path_of(program));
  // Here are copies of the mounts that it was opened through.
  PALE_TRY(place, sys::mount_point(sys::kAbsolute, path.c_str()));
  PALE_TRY(there, sys::file_info(place));
  PALE_TRY(opened, sys::file_info(program));
  if (!there.same_file(opened)) {
    return fail(ErrorKind::System, "another program took the place of the one that runs:", path, "start it again");
  }
  PALE_TRY(mount, sys::clone_mount(place.borrow(), "", sys::Subtree::Only));
  PALE_CHECK(sys::restrict_mount(mount, sys::MountAccess::ReadOnly, sys::Devices::Hidden, sys::Subtree::Only));
  return sys::place_descriptor(mount.borrow(), program.borrow());
}

Status build_sandbox(const Launch& launch) {
  const unsigned umask = sys::set_umask(0);
  PALE_CHECK(
      build_root(launch.plan, launch.skeleton, {to_json(launch.boundary, Values::Withheld), launch.broker_line}));
  (void)sys::set_umask(umask);
  return sys::set_host_name(kHostName);
}

// The kernel lets the old mounts go only when no other processor is amid a long call, such as the errand's: by now that is
// nearly done, and what is left of the wait is used.
Status leave_host(const Launch& launch, Shared& shared) {
  PALE_CHECK(sys::make_ipc_namespace());
  PALE_CHECK(sys::leave_old_root());
  return read_back_mounts(launch, shared.observed);
}

Result<sys::FileInfo> own_network() { return sys::file_info(sys::kAbsolute, "/proc/self/ns/net", sys::Links::Follow); }

Status enter_network(const Launch& launch, std::optional<sys::NetworkErrand>& errand, Observed& observed) {
  PALE_TRY(before, own_network());
  if (errand) PALE_CHECK(errand->enter());
  PALE_TRY(now, own_network());
  observed.own_network = now.kind != sys::FileKind::Missing && !now.same_file(before);
  PALE_CHECK(check_network(launch.plan, observed, launch.within));
  const bool at_once = launch.plan.own_network && launch.plan.sockets != plan::Sockets::Announced;
  if (at_once) PALE_CHECK(sys::raise_loopback());
  return launch.plan.gate.listeners.empty() ? Status{} : open_gate(launch.plan.gate, launch.gate_line);
}

// Nothing that is open here goes with an exec, but what is handed to the command. It starts with these descriptors, and opens
// none but its listener, which is born that way.
Status seal_descriptors(const Command* command, Observed& observed) {
  PALE_CHECK(sys::seal_descriptors(kFirstOwnDescriptor));
  observed.handed_descriptors = 0;
  const sys::Fd* const handed[] = {command != nullptr ? command->line : nullptr,
                                   command != nullptr ? command->watch : nullptr};
  for (const sys::Fd* each : handed) {
    if (each == nullptr) continue;
    if (sys::call(SYS_fcntl, each->borrow(), F_SETFD, 0) < 0)
      return fail(ErrorKind::System, "a descriptor cannot be handed over", "");
    ++observed.handed_descriptors;
  }
  PALE_TRY(inheritable, sys::count_inheritable(kFirstOwnDescriptor));
  observed.inheritable_descriptors = inheritable;
  return {};
}

sys::LandlockAccess landlock_access(const plan::LandlockRule& rule) {
  if (rule.access == Access::Write)
    return rule.removal == Removal::Denied ? sys::LandlockAccess::WriteKeeping : sys::LandlockAccess::Write;
  return rule.access == Access::Read ? sys::LandlockAccess::Read : sys::LandlockAccess::List;
}

Result<sys::LandlockRules> landlock_rules(const plan::Plan& plan, const Command* command) {
  const auto tcp = plan.sockets == plan::Sockets::None ? sys::LandlockTcp::Denied : sys::LandlockTcp::Free;
  PALE_TRY(rules, sys::LandlockRules::make(plan.landlock_abi, tcp));
  for (const plan::LandlockRule& rule : plan.landlock) {
    PALE_CHECK(rules.allow(rule.path.c_str(), landlock_access(rule)));
  }
  if (command == nullptr) return rules;
  if (command->program != nullptr) PALE_CHECK(rules.allow(*command->program, sys::LandlockAccess::Read));
  for (int stream = 0; stream < kFirstOwnDescriptor; ++stream) PALE_CHECK(rules.allow_again(stream));
  return rules;
}

Status live(const Launch& launch, const LimitPlan& limits, Shared& shared, const sys::Fd& to_supervisor) {
  const bool namespaces = launch.plan.backend == plan::Backend::Namespaces;
  // This takes the kernel longest, so it is begun first and waited for last.
  std::optional<sys::NetworkErrand> errand;
  if (namespaces && launch.plan.own_network) {
    PALE_TRY(started, sys::NetworkErrand::start());
    errand.emplace(std::move(started));
  }
  PALE_CHECK(enter_sandbox(launch, limits, to_supervisor));
  const sys::Fd* program = launch.command != nullptr ? launch.command->program : nullptr;
  if (namespaces && program != nullptr) PALE_CHECK(shut_program(*program));
  if (namespaces) PALE_CHECK(build_sandbox(launch));
  sys::wipe_arguments(launch.argv, launch.envp);
  std::optional<sys::LandlockRules> rules;
  if (launch.plan.landlock_abi != 0) {
    PALE_TRY(made, landlock_rules(launch.plan, launch.command));
    rules = std::move(made);
  }
  PALE_TRY(signals, sys::open_signals(sys::kAllSignals));
  Standing standing{launch,
                    limits,
                    shared,
                    to_supervisor,
                    rules ? &*rules : nullptr,
                    std::move(signals),
                    Appearances(launch.boundary, launch.facts, launch.plan.backend)};
  PALE_CHECK(standing.prepare_guard());
  if (shared.contained) return {};
  if (namespaces) PALE_CHECK(leave_host(launch, shared));
  PALE_CHECK(seal_descriptors(launch.command, shared.observed));  // The errand shares them, and opens none.
  if (namespaces) PALE_CHECK(enter_network(launch, errand, shared.observed));
  // Not before: the maps of a process that hides belong to root, and its errand's network cannot be entered.
  PALE_CHECK(sys::hide_memory());
  // No pid namespace ends the command with this process: when the supervisor is killed, this one has work to do.
  if (launch.plan.backend == plan::Backend::Landlock) PALE_CHECK(sys::outlive_parent());
  return launch.command != nullptr ? attend_command(standing, *launch.command) : serve_commands(standing);
}

}  // namespace

void run_inside(const Launch& launch, const LimitPlan& limits, Shared& shared, sys::Fd to_supervisor) {
  const Status done = live(launch, limits, shared, to_supervisor);
  if (!done) {
    shared.error.put(done.error());
    shared.failed = true;
  }
  end_everyone(launch.plan.backend);
  sys::exit_now(0);
}

}  // namespace pale::sandbox
