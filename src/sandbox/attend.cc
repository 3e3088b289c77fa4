#include "sandbox/attend.h"

#include <csignal>
#include <utility>

#include "sandbox/recorder.h"
#include "sys/file.h"
#include "sys/terminal.h"

namespace pale::sandbox {
namespace {

struct Attendance {
  sys::Pid command;
  Standing& standing;
};

void tell(const sys::Fd& supervisor) { (void)sys::write_all(supervisor.borrow(), "!"); }

// A stopped command: the supervisor stops too, so that the user's shell sees it.
bool reap(Attendance& attendance) {
  for (;;) {
    const auto child = sys::wait_any(sys::WaitMode::Poll);
    if (!child || child->pid == 0) return false;
    if (child->pid != attendance.command) continue;
    if (sys::has_stopped(child->status)) {
      attendance.standing.shared.stopped = true;
      tell(attendance.standing.supervisor);
    } else {
      attendance.standing.shared.status = child->status;
      attendance.standing.shared.command_ended = true;
      return true;
    }
  }
}

void pass_on(Attendance& attendance, const sys::SignalInfo& signal) {
  // A terminal signals the whole group; a command that is still in it has got it already.
  const bool own_group = attendance.standing.launch.terminal != TerminalUse::None;
  if (signal.from_kernel && !own_group) return;
  if (signal.number == SIGCONT && std::exchange(attendance.standing.shared.give_terminal, false)) {
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
  while (const auto signal = sys::next_signal(attendance.standing.signals)) {
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

Status attend(Attendance& attendance, Watch& watch) {
  if (watch.listener().is_open()) sys::speed_up_listener(watch.listener());
  for (;;) {
    sys::Ready ready[] = {
        {attendance.standing.signals.borrow()}, {attendance.standing.supervisor.borrow()}, {watch.listener().borrow()}};
    PALE_CHECK(sys::wait_ready({ready, watch.listener().is_open() ? 3U : 2U}, sys::kForever));
    if (ready[2].readable) {
      PALE_CHECK(attendance.standing.prepare_answer());
      if (attendance.standing.shared.contained) return {};
      PALE_CHECK(watch.answer_next());
    }
    // The filter goes with it, which takes the kernel a while: the command takes longer to end than to let go of its filter.
    if (ready[2].closed) watch.end();
    if (ready[1].closed) return {};  // The supervisor was killed.
    if (!ready[0].readable) continue;
    const Turn turn = take_signals(attendance);
    if (turn.look) {
      PALE_TRY(breach, attendance.standing.appearances.check());
      attendance.standing.shared.contained |= breach;
    }
    if (turn.ended || attendance.standing.shared.contained) return {};
  }
}

}  // namespace

void end_everyone(plan::Backend backend) {
  if (backend == plan::Backend::Landlock) {
    sys::end_descendants();
  } else {
    sys::end_pid_namespace();
  }
}

Status attend_command(Standing& standing, const Command& command) {
  const Launch& launch = standing.launch;
  Confinement confinement = standing.confinement();
  PALE_TRY(pid, start_command(confinement, command));
  // What is sent to the supervisor's whole group comes here through the supervisor alone. Above all SIGCONT: the command
  // must not go on before it has the terminal again.
  PALE_CHECK(sys::new_process_group());
  if (launch.wants_receipt) tell(standing.supervisor);
  Attendance attendance{pid, standing};
  std::optional<Recorder> recorder;
  if (launch.sightings != nullptr)
    recorder.emplace(launch.boundary, *launch.scope, *launch.sightings, *launch.onlooker);
  Watch watch(launch.boundary, launch.plan, std::move(confinement.listener), launch.staged,
              recorder ? &*recorder : nullptr);
  const std::int64_t before = recorder ? sys::cpu_time_ns() : 0;
  PALE_CHECK(attend(attendance, watch));
  if (recorder) {
    standing.shared.watch_ns = sys::cpu_time_ns() - before;
    standing.shared.accesses = recorder->looked_at();
  }
  end_everyone(launch.plan.backend);
  standing.shared.ended = standing.shared.command_ended;
  tell(standing.supervisor);
  return {};
}

}  // namespace pale::sandbox
