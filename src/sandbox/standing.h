// sandbox/standing.h: a sandbox that stands, as its first process has it.
#pragma once

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

  Confinement confinement() const {
    return {launch.boundary,   launch.plan,         rules, shared, launch.terminal, launch.signals,
            limits.data_limit, limits.process_limit};
  }
};

// Afterwards nothing of the run is alive but this process.
void end_everyone(plan::Backend backend);

}  // namespace pale::sandbox
