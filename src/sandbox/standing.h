// sandbox/standing.h: a sandbox that stands, as its first process has it.
#pragma once

#include <algorithm>

#include "sandbox/appear.h"
#include "sandbox/init.h"
#include "sandbox/watch.h"

namespace pale::sandbox {

struct Standing {
  const Launch& launch;
  const LimitPlan& limits;
  Shared& shared;
  const sys::Fd& supervisor;  // the line to outside
  const sys::LandlockRules* rules;
  sys::Fd signals;
  Appearances appearances;

  // Before a command is there. A mount that protects or hides goes with what it stands on: when the host puts another in its place,
  // that has to be known at once. What is missing, nothing inside makes without a question. As the kernel takes long to let go of
  // what notifies, one command with nothing else to guard is spared that until it asks.
  Status prepare_guard() {
    const auto relies_on_mount = [](const plan::Step& step) {
      return step.kind == plan::StepKind::Protect || step.kind == plan::StepKind::Hide;
    };
    if (!guards()) return {};
    PALE_CHECK(sys::check_notification());
    const bool can_wait = launch.command != nullptr && std::ranges::none_of(launch.plan.steps, relies_on_mount);
    return can_wait && appearances.can_wait() ? Status{} : begin_guard();
  }
  // Before a question of the filter is answered.
  Status prepare_answer() {
    shared.asked = true;
    return !guards() || appearances.has_started() ? Status{} : begin_guard();
  }

  bool guards() const noexcept { return launch.plan.watching != plan::Watching::Nothing; }
  Status begin_guard() {
    PALE_CHECK(appearances.start());
    PALE_TRY(breach, appearances.check());  // The host may have made something since this was planned.
    shared.contained |= breach;
    return {};
  }
  Confinement confinement() const {
    return {launch.boundary,   launch.plan,         rules, shared, launch.terminal, launch.signals,
            limits.data_limit, limits.process_limit};
  }
};

// Afterwards nothing of the run is alive but this process.
void end_everyone(plan::Backend backend);

}  // namespace pale::sandbox
