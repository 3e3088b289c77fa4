// loop/schedule.h: what a loop over stories does next. A state machine: it is told what came of things, and says what to do. Pure.
//
// With stages, all stories of a round stand on the same base: as long as one of them runs, nothing is applied, since the base of a
// mounted overlay must not change. When none runs and none can begin, those that were verified are applied, in the order of their
// priority, and the next round begins on what came of that.
#pragma once

#include <optional>

#include "scope/prd.h"

namespace pale::loop {

struct Limits {
  std::size_t at_once = 1;
  std::uint64_t runs = 0;   // of the agent, in all
  std::uint64_t tries = 1;  // of one story
};
enum class Where { Project, Stages };  // each story in the project itself, one at a time; or in a stage of its own

enum class State {
  Waiting,   // for its turn, or for what it depends on
  Running,   // agent, verification, hooks
  Verified,  // all of that was well; to be applied
  Applying,
  Passed,
  Failed,   // as often as it may
  Blocked,  // by one that failed
};

enum class Outcome {
  Verified,
  Failed,
  Refused,  // to try again would help nobody
  Conflict,
  Stopped,
};

struct Action {
  enum class Kind { Run, Apply } kind = Kind::Run;
  std::size_t story = 0;
  bool operator==(const Action&) const = default;
};

class Schedule {
 public:
  // `stories` as parse_prd() gives them: without cycles.
  Schedule(std::vector<scope::Story> stories, Limits limits, Where where);

  // Nothing: there is something to wait for, or it is over.
  std::optional<Action> next();
  // What came of an action. Verified, of an apply: it is done.
  void tell(const Action& action, Outcome outcome);
  // Nothing begins any more.
  void stop() noexcept { stopped_ = true; }

  State state(std::size_t story) const { return progress_[story].state; }
  std::uint64_t tries(std::size_t story) const { return progress_[story].tries; }
  std::uint64_t runs() const noexcept { return runs_; }
  std::size_t under_way() const noexcept;
  bool is_over() const;
  bool has_runs_left() const noexcept { return runs_ < limits_.runs; }
  const std::vector<scope::Story>& stories() const noexcept { return stories_; }

 private:
  struct Progress {
    State state = State::Waiting;
    std::uint64_t tries = 0;
    std::uint64_t conflicts = 0;
  };
  std::size_t count(State state) const noexcept;
  std::optional<std::size_t> best(State state) const;
  bool may_begin(std::size_t story) const;
  void block_those_behind(std::size_t story);

  std::vector<scope::Story> stories_;
  std::vector<std::vector<std::size_t>> needs_;
  std::vector<Progress> progress_;
  Limits limits_;
  Where where_;
  std::uint64_t runs_ = 0;
  bool applies_ = false;  // the round is over
  bool stopped_ = false;
};

}  // namespace pale::loop
