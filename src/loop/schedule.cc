#include "loop/schedule.h"

#include <algorithm>

namespace pale::loop {
namespace {

// The first one to be applied never meets a conflict of the loop's own making: more of them are somebody else's.
constexpr std::uint64_t kMostConflicts = 20;

}  // namespace

Schedule::Schedule(std::vector<scope::Story> stories, Limits limits, Where where)
    : stories_(std::move(stories)), progress_(stories_.size()), limits_(limits), where_(where) {
  if (where_ == Where::Project) limits_.at_once = 1;
  std::vector<std::pair<std::string_view, std::size_t>> by_id;
  for (std::size_t at = 0; at < stories_.size(); ++at) {
    by_id.emplace_back(stories_[at].id, at);
    if (stories_[at].passes) progress_[at].state = State::Passed;
  }
  std::ranges::sort(by_id);
  for (const scope::Story& story : stories_) {
    std::vector<std::size_t>& needs = needs_.emplace_back();
    for (const std::string& id : story.dependencies) {
      const auto found = std::ranges::lower_bound(by_id, id, {}, &std::pair<std::string_view, std::size_t>::first);
      if (found != by_id.end() && found->first == id) needs.push_back(found->second);
    }
  }
}

std::size_t Schedule::count(State state) const noexcept {
  return static_cast<std::size_t>(std::ranges::count(progress_, state, &Progress::state));
}

std::size_t Schedule::under_way() const noexcept { return count(State::Running) + count(State::Applying); }

bool Schedule::may_begin(std::size_t story) const {
  return progress_[story].state == State::Waiting &&
         std::ranges::all_of(needs_[story], [&](std::size_t need) { return progress_[need].state == State::Passed; });
}

// By priority, then as they stand in the file.
std::optional<std::size_t> Schedule::best(State state) const {
  std::optional<std::size_t> found;
  for (std::size_t at = 0; at < stories_.size(); ++at) {
    if (state == State::Waiting ? !may_begin(at) : progress_[at].state != state) continue;
    if (!found || stories_[at].priority < stories_[*found].priority) found = at;
  }
  return found;
}

std::optional<Action> Schedule::next() {
  if (count(State::Applying) > 0) return std::nullopt;
  const std::size_t running = count(State::Running);
  if (count(State::Verified) == 0) applies_ = false;
  if (!stopped_ && !applies_ && running < limits_.at_once && runs_ < limits_.runs) {
    if (const auto story = best(State::Waiting)) {
      progress_[*story].state = State::Running;
      ++progress_[*story].tries;
      ++runs_;
      return Action{Action::Kind::Run, *story};
    }
  }
  // What was verified is not lost because somebody wants to stop.
  if (running > 0) return std::nullopt;
  const auto story = best(State::Verified);
  if (!story) return std::nullopt;
  applies_ = true;
  progress_[*story].state = State::Applying;
  return Action{Action::Kind::Apply, *story};
}

void Schedule::tell(const Action& action, Outcome outcome) {
  Progress& progress = progress_[action.story];
  switch (outcome) {
    case Outcome::Verified:
      progress.state = action.kind == Action::Kind::Run && where_ == Where::Stages ? State::Verified : State::Passed;
      return;
    case Outcome::Stopped: progress.state = State::Waiting; return;
    case Outcome::Conflict:
      // It is not the story's fault.
      --progress.tries;
      progress.state = ++progress.conflicts < kMostConflicts ? State::Waiting : State::Failed;
      break;
    case Outcome::Refused: progress.state = State::Failed; break;
    case Outcome::Failed: progress.state = progress.tries < limits_.tries ? State::Waiting : State::Failed; break;
  }
  if (progress.state == State::Failed) block_those_behind(action.story);
}

void Schedule::block_those_behind(std::size_t story) {
  std::vector<std::size_t> way = {story};
  while (!way.empty()) {
    const std::size_t failed = way.back();
    way.pop_back();
    for (std::size_t at = 0; at < stories_.size(); ++at) {
      if (progress_[at].state != State::Waiting || std::ranges::find(needs_[at], failed) == needs_[at].end()) continue;
      progress_[at].state = State::Blocked;
      way.push_back(at);
    }
  }
}

bool Schedule::is_over() const {
  if (under_way() > 0 || count(State::Verified) > 0) return false;
  return stopped_ || runs_ >= limits_.runs || !best(State::Waiting);
}

}  // namespace pale::loop
