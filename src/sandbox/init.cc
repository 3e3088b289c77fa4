#include "sandbox/init.h"

#include <csignal>
#include <cstring>
#include <utility>

#include "boundary/json.h"
#include "sandbox/appear.h"
#include "sandbox/root.h"
#include "sandbox/watch.h"
#include "sys/file.h"
#include "sys/mount.h"
#include "sys/namespaces.h"
#include "sys/terminal.h"

namespace pale::sandbox {
namespace {

constexpr const char* kHostName = "pale";
constexpr int kFirstOwnDescriptor = 3;

// The loop of the first process, while the command lives.
struct Attendance {
  sys::Pid command;
  const Launch& launch;
  Shared& shared;
  const sys::Fd& signals;
  const sys::Fd& to_supervisor;
};

Status read_back_mounts(const plan::Plan& plan, Observed& observed) {
  PALE_TRY(length, sys::read_into(sys::kAbsolute, "/proc/self/mountinfo", observed.mounts));
  observed.mounts_length = static_cast<std::uint32_t>(length);
  return check_mounts(plan, {observed.mounts.data(), length});
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

Status build_sandbox(const Launch& launch) {
  const unsigned umask = sys::set_umask(0);
  PALE_CHECK(build_root(launch.plan, launch.skeleton, to_json(launch.boundary, Values::Withheld)));
  (void)sys::set_umask(umask);
  return sys::set_host_name(kHostName);
}

// The kernel lets the old mounts go only when no other processor is amid a long call, such as the errand's: by now that is
// nearly done.
Status leave_host(const Launch& launch, Shared& shared) {
  PALE_CHECK(sys::leave_old_root());
  return read_back_mounts(launch.plan, shared.observed);
}

Status enter_namespaces(const Launch& launch, sys::NamespaceErrand& errand) {
  PALE_CHECK(errand.enter());
  const bool at_once = launch.plan.own_network && launch.plan.sockets != plan::Sockets::Announced;
  return at_once ? sys::raise_loopback() : Status{};
}

// Nothing that is open here goes with an exec. The command starts with these descriptors, and opens none but its listener,
// which is born that way.
Status seal_descriptors(Observed& observed) {
  PALE_CHECK(sys::seal_descriptors(kFirstOwnDescriptor));
  PALE_TRY(inheritable, sys::count_inheritable(kFirstOwnDescriptor));
  observed.inheritable_descriptors = inheritable;
  return {};
}

sys::LandlockAccess landlock_access(Access access) {
  if (access == Access::Write) return sys::LandlockAccess::Write;
  return access == Access::Read ? sys::LandlockAccess::Read : sys::LandlockAccess::List;
}

Result<sys::LandlockRules> landlock_rules(const plan::Plan& plan) {
  const auto tcp = plan.sockets == plan::Sockets::UnixOnly ? sys::LandlockTcp::Denied : sys::LandlockTcp::Free;
  PALE_TRY(rules, sys::LandlockRules::make(plan.landlock_abi, tcp));
  for (const plan::LandlockRule& rule : plan.landlock) {
    PALE_CHECK(rules.allow(rule.path.c_str(), landlock_access(rule.access)));
  }
  return rules;
}

void tell(const sys::Fd& supervisor) { (void)sys::write_all(supervisor.borrow(), "!"); }

// A stopped command: the supervisor stops too, so that the user's shell sees it.
bool reap(Attendance& attendance) {
  for (;;) {
    const auto child = sys::wait_any(sys::WaitMode::Poll);
    if (!child || child->pid == 0) return false;
    if (child->pid != attendance.command) continue;
    if (sys::has_stopped(child->status)) {
      attendance.shared.stopped = true;
      tell(attendance.to_supervisor);
    } else {
      attendance.shared.status = child->status;
      attendance.shared.command_ended = true;
      return true;
    }
  }
}

void pass_on(Attendance& attendance, const sys::SignalInfo& signal) {
  // A terminal signals the whole group; a command that is still in it has got it already.
  const bool own_group = attendance.launch.terminal != TerminalUse::None;
  if (signal.from_kernel && !own_group) return;
  if (signal.number == SIGCONT && std::exchange(attendance.shared.give_terminal, false)) {
    (void)sys::give_terminal(0, attendance.command);
  }
  (void)sys::send_signal(signal.number == SIGCONT && own_group ? -attendance.command : attendance.command,
                         signal.number);
}

struct Turn {
  bool ended = false;
  bool look = false;  // a directory changed
};

Turn take_signals(Attendance& attendance) {
  Turn turn;
  while (const auto signal = sys::next_signal(attendance.signals)) {
    if (signal->number == SIGCHLD) {
      turn.ended |= reap(attendance);
    } else if (signal->number == sys::kDirectorySignal || signal->number == SIGIO) {
      turn.look = true;
    } else {
      pass_on(attendance, *signal);
    }
  }
  return turn;
}

// Afterwards nothing of the run is alive but this process.
void end_everyone(plan::Backend backend) {
  if (backend == plan::Backend::Landlock) {
    sys::end_descendants();
  } else {
    sys::end_pid_namespace();
  }
}

Status attend(Attendance& attendance, Watch& watch, Appearances& appearances) {
  if (watch.listener().is_open()) sys::speed_up_listener(watch.listener());
  for (;;) {
    sys::Ready ready[] = {
        {attendance.signals.borrow()}, {attendance.to_supervisor.borrow()}, {watch.listener().borrow()}};
    PALE_CHECK(sys::wait_ready({ready, watch.listener().is_open() ? 3U : 2U}, sys::kForever));
    if (ready[2].readable) PALE_CHECK(watch.answer_next());
    // The filter goes with it, which takes the kernel a while: the command takes longer to end than to let go of its filter.
    if (ready[2].closed) watch.end();
    if (ready[1].closed) return {};  // The supervisor was killed.
    if (!ready[0].readable) continue;
    const Turn turn = take_signals(attendance);
    if (turn.look) {
      PALE_TRY(breach, appearances.check());
      attendance.shared.contained |= breach;
    }
    if (turn.ended || attendance.shared.contained) return {};
  }
}

Status live(const Launch& launch, const LimitPlan& limits, Shared& shared, const sys::Fd& to_supervisor) {
  const bool namespaces = launch.plan.backend == plan::Backend::Namespaces;
  // This takes the kernel longest, so it is begun first and waited for last.
  std::optional<sys::NamespaceErrand> errand;
  if (namespaces) {
    PALE_TRY(started, sys::NamespaceErrand::start(launch.plan.own_network ? sys::Network::Own : sys::Network::Shared));
    errand.emplace(std::move(started));
  }
  PALE_CHECK(enter_sandbox(launch, limits, to_supervisor));
  if (namespaces) PALE_CHECK(build_sandbox(launch));
  sys::wipe_arguments(launch.argv, launch.envp);
  std::optional<sys::LandlockRules> rules;
  if (launch.plan.landlock_abi != 0) {
    PALE_TRY(made, landlock_rules(launch.plan));
    rules = std::move(made);
  }
  PALE_TRY(signals, sys::open_signals(sys::kAllSignals));
  Confinement confinement{launch.boundary, launch.plan,    launch.command,    rules ? &*rules : nullptr, shared,
                          launch.terminal, launch.signals, limits.data_limit, limits.process_limit};
  // Before the command is there: what it makes is told from what was there, and a kernel that cannot watch is refused.
  Appearances appearances(launch.boundary, launch.plan.backend);
  if (launch.plan.watching != plan::Watching::Nothing) PALE_CHECK(appearances.start());
  if (namespaces) PALE_CHECK(leave_host(launch, shared));
  PALE_CHECK(seal_descriptors(shared.observed));  // The errand shares them, and opens none.
  if (errand) PALE_CHECK(enter_namespaces(launch, *errand));
  // Not before: the maps of a process that hides belong to root, and its errand's namespaces cannot be entered.
  PALE_CHECK(sys::hide_memory());
  // No pid namespace ends the command with this process: when the supervisor is killed, this one has work to do.
  if (launch.plan.backend == plan::Backend::Landlock) PALE_CHECK(sys::outlive_parent());
  PALE_TRY(command, start_command(confinement));
  // What is sent to the supervisor's whole group comes here through the supervisor alone. Above all SIGCONT: the command
  // must not go on before it has the terminal again.
  PALE_CHECK(sys::new_process_group());
  if (launch.wants_receipt) tell(to_supervisor);
  Attendance attendance{command, launch, shared, signals, to_supervisor};
  Watch watch(launch.boundary, std::move(confinement.listener), launch.staged);
  PALE_CHECK(attend(attendance, watch, appearances));
  end_everyone(launch.plan.backend);
  shared.ended = shared.command_ended;
  tell(to_supervisor);
  return {};
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
