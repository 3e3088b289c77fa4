#include "service/loop_run.h"

#include <fcntl.h>

#include <algorithm>
#include <csignal>

#include "base/text.h"
#include "loop/task.h"
#include "service/watch_report.h"
#include "sys/file.h"

namespace pale::service {
namespace {

constexpr std::int64_t kGraceMs = 5000;
constexpr std::int64_t kTickMs = 500;  // for the times on the screen
constexpr sys::SignalSet kEnding = sys::signal_bit(SIGINT) | sys::signal_bit(SIGTERM) | sys::signal_bit(SIGHUP);

using loop::Action;
using loop::Outcome;

Status note_in_session(CallRecord& record, std::uint64_t run, const ForkedResult& result) {
  for (const WatchNote& note : result.notes) PALE_CHECK(record.note(run, note));
  return {};
}

}  // namespace

LoopRun::LoopRun(const LoopGround& ground, loop::Schedule schedule, LoopLog& log, CallRecord& record,
                 LoopScreen& screen)
    : ground_(ground),
      schedule_(std::move(schedule)),
      log_(log),
      record_(record),
      screen_(screen),
      last_(schedule_.stories().size()) {}

Status LoopRun::run() {
  const std::int64_t began = sys::monotonic_ms();
  const sys::SignalSet before = sys::block_signals(kEnding);
  PALE_TRY(signals, sys::open_signals(kEnding));
  signals_ = std::move(signals);
  Status done;
  while (done && (!schedule_.is_over() || !works_.empty())) {
    done = begin_all();
    screen_.show(views());
    if (done && !works_.empty()) done = wait();
  }
  works_.clear();
  (void)sys::block_signals(before);
  figures_.whole_ms = sys::monotonic_ms() - began;
  return done;
}

// --- beginning --------------------------------------------------------------------------------------------------------

Status LoopRun::begin_all() {
  while (const auto action = schedule_.next())
    PALE_CHECK(action->kind == Action::Kind::Run ? begin_run(*action) : begin_apply(*action));
  return {};
}

Status LoopRun::begin_run(const Action& action) {
  auto work = std::make_unique<Work>();
  work->action = action;
  work->run = schedule_.runs();
  work->began_ms = sys::monotonic_ms();
  if (ground_.request.parallel) work->stage = "loop-" + ground_.name + "-" + std::to_string(work->run);
  Path file = Path::root();
  PALE_TRY(output, log_.open_output(ground_.name, work->run, story(*work).id, file));
  work->output = std::move(output);
  work->output_file = file.text();
  last_[action.story] = {work->stage, work->run, 0, {}, work->output_file};
  PALE_CHECK(log_.append({"run", 0, story(*work).id, work->run, work->stage, 0, 0, file.text()}));
  PALE_CHECK(start(*work, Step::Agent));
  tell(*work, "begins" + (schedule_.tries(action.story) > 1 ? ", try " + std::to_string(schedule_.tries(action.story))
                                                            : std::string()));
  works_.push_back(std::move(work));
  return {};
}

Status LoopRun::begin_apply(const Action& action) {
  auto work = std::make_unique<Work>();
  work->action = action;
  const Last& last = last_[action.story];
  work->run = last.run;
  work->stage = last.stage;
  work->began_ms = sys::monotonic_ms();
  work->output_file = last.output_file;
  PALE_TRY(output, sys::open_at(sys::kAbsolute, last.output_file.c_str(), O_WRONLY | O_APPEND));
  work->output = std::move(output);
  PALE_CHECK(start(*work, Step::Apply));
  works_.push_back(std::move(work));
  return {};
}

Status LoopRun::start(Work& work, Step step) {
  work.step = step;
  work.since_ms = sys::monotonic_ms();
  const auto begin = [&]() -> Result<Forked> {
    const StageStep stage = stage_step(work);
    switch (step) {
      case Step::Agent: return start_agent(work);
      case Step::Verify: return start_command(work, verify_of(work));
      case Step::Validate: return start_command(work, ground_.validate);
      case Step::Apply: return Forked::start(work.output, [&] { return apply_step(stage, ground_.caller); });
      case Step::Drop: break;
    }
    return Forked::start(work.output, [&] { return drop_step(stage, ground_.caller); });
  };
  PALE_TRY(process, begin());
  work.process.emplace(std::move(process));
  return {};
}

Request LoopRun::request_for(const Work& work) const {
  Request request = ground_.request.agent.request;
  if (!work.stage.empty()) request.stage = StageRequest{work.stage, {}};
  request.environment.push_back({"PALE_STORY=" + story(work).id, "pale loop"});
  return request;
}

Result<Forked> LoopRun::start_agent(const Work& work) {
  AgentRequest wanted = ground_.request.agent;
  const auto kind = ground_.scopes.is_inferred(story(work)) ? loop::FileScopeIs::Inferred : loop::FileScopeIs::Own;
  wanted.task =
      prompt_for(ground_.stories.prd(), story(work), ground_.stories.task(work.action.story), kind, ground_.workspace);
  wanted.request = request_for(work);
  if (const auto* patterns = file_scope_of(work))
    wanted.request.file_scope = {*patterns, "fileScope of " + story(work).id};
  PALE_TRY(agent, equip_agent(std::move(wanted), ground_.caller));
  PALE_CHECK(record_.run(work.run, story(work).id, agent.request.command));
  return Forked::start(work.output, [&] { return run_step(agent.request, ground_.caller); });
}

Result<Forked> LoopRun::start_command(const Work& work, const std::vector<std::string>& command) {
  Request request = request_for(work);
  request.command = command;
  return Forked::start(work.output, [&] { return run_step(request, ground_.caller); });
}

StageStep LoopRun::stage_step(const Work& work) const {
  StageStep step{ground_.project, work.stage, {}, false, ground_.request.allow_exec};
  if (const auto* patterns = file_scope_of(work)) {
    step.file_scope = *patterns;
    step.scoped = true;
  }
  return step;
}

// An inferred one says which files are meant; the folders are what holds.
const std::vector<std::string>* LoopRun::file_scope_of(const Work& work) const {
  const auto& patterns = story(work).file_scope;
  return patterns && !ground_.scopes.is_inferred(story(work)) ? &*patterns : nullptr;
}

const std::vector<std::string>& LoopRun::verify_of(const Work& work) const {
  const std::vector<std::string>& own = ground_.stories.task(work.action.story).verify;
  return own.empty() ? ground_.verify : own;
}

// --- ending -----------------------------------------------------------------------------------------------------------

Status LoopRun::wait() {
  std::vector<sys::Ready> ready = {{signals_.borrow()}};
  for (const auto& work : works_) ready.push_back({work->process->over().borrow()});
  std::int64_t most = kTickMs;
  if (kill_at_ms_) most = std::clamp<std::int64_t>(*kill_at_ms_ - sys::monotonic_ms(), 0, kTickMs);
  PALE_CHECK(sys::wait_ready(ready, most));
  while (sys::next_signal(signals_)) stop();
  if (kill_at_ms_ && sys::monotonic_ms() >= *kill_at_ms_) {
    for (const auto& work : works_) {
      if (work->step != Step::Apply && work->step != Step::Drop) work->process->end();
    }
    kill_at_ms_.reset();
  }
  for (std::size_t at = 0; at < works_.size(); ++at) {
    if (!ready[at + 1].readable) continue;
    Work& work = *works_[at];
    const ForkedResult result = work.process->finish();
    work.process.reset();
    PALE_CHECK(take(work, result));
  }
  std::erase_if(works_, [](const std::unique_ptr<Work>& work) { return !work->process; });
  return {};
}

// What was verified is applied; what is applied is marked. The rest begins anew the next time.
void LoopRun::stop() {
  schedule_.stop();
  const std::int64_t now = sys::monotonic_ms();
  // Who asks twice does not want to wait.
  kill_at_ms_ = stopped_ ? now : now + kGraceMs;
  if (stopped_) return;
  stopped_ = true;
  screen_.tell("stopping; once more to end at once");
  for (const auto& work : works_) {
    if (work->step != Step::Apply && work->step != Step::Drop) work->process->ask_to_end();
  }
}

Status LoopRun::take(Work& work, const ForkedResult& result) {
  switch (work.step) {
    case Step::Apply: return take_apply(work, result);
    case Step::Drop:
      if (result.code == 0) PALE_CHECK(note("dropped", story(work).id, work.stage, ""));
      return finish(work);
    default: return take_command(work, result);
  }
}

Status LoopRun::take_command(Work& work, const ForkedResult& result) {
  const std::int64_t now = sys::monotonic_ms();
  const std::int64_t took = now - work.since_ms;
  last_[work.action.story].milliseconds = now - work.began_ms;
  std::string step = "agent";
  switch (work.step) {
    case Step::Verify:
      step = "verify";
      figures_.verify_ms += took;
      break;
    case Step::Validate:
      step = "validate";
      figures_.validate_ms += took;
      break;
    default:
      figures_.agent_ms += took;
      PALE_CHECK(record_.receipt(work.run, to_json(result.times)));
      PALE_CHECK(note_in_session(record_, work.run, result));
      figures_.validation_us += result.times.validation_us;
      figures_.start_us += result.times.start_us;
      figures_.watch_us += result.times.watch_us;
      PALE_CHECK(record_.exit(work.run, result.code,
                              stopped_           ? "cancelled"
                              : result.code == 0 ? "exited"
                                                 : "failed",
                              took));
  }
  PALE_CHECK(note(work, step, result, took));
  PALE_CHECK(note_watched(work, result));
  if (stopped_) return give_up(work, Outcome::Stopped, "stopped");
  if (result.code != 0) return give_up(work, Outcome::Failed, step + ": " + result.text);
  return go_on(work);
}

Status LoopRun::go_on(Work& work) {
  if (work.step == Step::Agent && !verify_of(work).empty()) return start(work, Step::Verify);
  if (work.step != Step::Validate && !ground_.validate.empty()) return start(work, Step::Validate);
  PALE_CHECK(note("verified", story(work).id, work.stage, ""));
  work.outcome = Outcome::Verified;
  const bool staged = !work.stage.empty();
  tell(work, staged ? "is done, and waits to be applied" : "is done");
  if (!staged) PALE_CHECK(note("applied", story(work).id, "", ""));
  PALE_CHECK(finish(work));
  return staged ? Status() : pass(work.action.story);
}

Status LoopRun::take_apply(Work& work, const ForkedResult& result) {
  figures_.apply_ms += sys::monotonic_ms() - work.since_ms;
  if (result.code == kApplyConflict) return give_up(work, Outcome::Conflict, result.text);
  if (result.code == kApplyRefused) return keep_for_review(work, result.text);
  if (result.code != 0) return give_up(work, Outcome::Failed, "apply: " + result.text);
  PALE_CHECK(note("applied", story(work).id, work.stage, result.text));
  tell(work, "passes: " + result.text);
  PALE_CHECK(finish(work));
  return pass(work.action.story);
}

Status LoopRun::give_up(Work& work, Outcome outcome, const std::string& why) {
  work.outcome = outcome;
  last_[work.action.story].why = why;
  const bool conflict = outcome == Outcome::Conflict;
  PALE_CHECK(note(conflict                      ? "conflict"
                  : outcome == Outcome::Stopped ? "stopped"
                                                : "failed",
                  story(work).id, work.stage, why));
  tell(work, conflict ? "is run again: " + why : outcome == Outcome::Stopped ? "was stopped" : "failed: " + why);
  if (work.stage.empty()) return finish(work);
  return start(work, Step::Drop);
}

// It was done, and only the user can allow what it did.
Status LoopRun::keep_for_review(Work& work, const std::string& why) {
  work.outcome = Outcome::Refused;
  last_[work.action.story].why = why;
  PALE_CHECK(note("failed", story(work).id, work.stage, why));
  PALE_CHECK(note("kept", story(work).id, work.stage, why));
  tell(work, "is not applied: " + why + "; look at it with: pale stage show " + work.stage);
  return finish(work);
}

Status LoopRun::finish(Work& work) {
  schedule_.tell(work.action, work.outcome);
  if (schedule_.state(work.action.story) != loop::State::Failed) return {};
  for (std::size_t at = 0; at < last_.size(); ++at) {
    if (schedule_.state(at) == loop::State::Blocked && last_[at].why.empty())
      last_[at].why = "depends on " + story(work).id;
  }
  return {};
}

Status LoopRun::pass(std::size_t at) {
  const std::string& id = schedule_.stories()[at].id;
  last_[at].why.clear();
  const Status marked = ground_.stories.mark(id);
  // What it made may be of a type that no file had before.
  if (const Status inferred = ground_.scopes.infer_again(screen_); !inferred) screen_.tell(inferred.error().sentence());
  if (marked) return note("passed", id, "", "");
  screen_.tell(id + " is done, but could not be marked: " + marked.error().sentence());
  return {};
}

// --- telling ----------------------------------------------------------------------------------------------------------

Status LoopRun::note(const Work& work, std::string event, const ForkedResult& result, std::int64_t milliseconds) {
  return log_.append({std::move(event), 0, story(work).id, work.run, "", result.code, milliseconds, result.text});
}

Status LoopRun::note(std::string event, const std::string& id, const std::string& stage, const std::string& text) {
  return log_.append({std::move(event), 0, id, 0, stage, 0, 0, text});
}

// What it tried outside the folders, and what it did there.
Status LoopRun::note_watched(const Work& work, const ForkedResult& result) {
  constexpr std::pair<WatchNote::Kind, std::string_view> kEvents[] = {{WatchNote::Kind::Refused, "blocked"},
                                                                      {WatchNote::Kind::Outside, "outside"}};
  const Path root = Path::literal(ground_.project.root);
  for (const auto& [kind, event] : kEvents) {
    std::string text;
    for (const WatchNote& each : result.notes) {
      if (each.kind == kind) text += (text.empty() ? "" : ", ") + each.operation + " " + relative_to(root, each.path);
    }
    if (text.empty()) continue;
    if (result.more_notes > 0) text += " and " + std::to_string(result.more_notes) + " more";
    PALE_CHECK(log_.append({std::string(event), 0, story(work).id, work.run, "", 0, 0, text}));
    tell(work, (kind == WatchNote::Kind::Refused ? "was refused: " : "changed outside the folders: ") + text);
  }
  return {};
}

void LoopRun::tell(const Work& work, const std::string& text) {
  screen_.tell(printable(story(work).id) + " " + printable(text));
}

std::vector<StoryView> LoopRun::views() const {
  constexpr std::string_view kSteps[] = {"agent", "verify", "validate", "apply", "clear away"};
  std::vector<StoryView> views;
  for (std::size_t at = 0; at < schedule_.stories().size(); ++at) {
    const scope::Story& each = schedule_.stories()[at];
    views.push_back(
        {each.id, each.title, schedule_.state(at), {}, schedule_.tries(at), last_[at].milliseconds, last_[at].why});
  }
  for (const auto& work : works_) {
    StoryView& view = views[work->action.story];
    view.step = kSteps[static_cast<std::size_t>(work->step)];
    view.milliseconds = sys::monotonic_ms() - work->began_ms;
  }
  return views;
}

}  // namespace pale::service
