#include "service/story_steps.h"

#include "base/text.h"
#include "scope/file_scope.h"
#include "service/run.h"
#include "service/stages.h"
#include "service/story_watch.h"
#include "sys/event.h"
#include "sys/file.h"

namespace pale::service {
namespace {

constexpr int kOwnFailure = 125;
constexpr int kTimedOut = 124;
constexpr int kRefused = 3;
constexpr std::size_t kShown = 5;
constexpr std::int64_t kPauseMs = 50, kDyingMs = 10'000;

// Into the story's log, where the agent's own output is.
void say(const std::string& text) { (void)sys::write_all(2, "pale: " + text + "\n"); }

ForkedResult failed(const Error& error) {
  say(error.sentence());
  return {kOwnFailure, error.sentence()};
}

std::string listed(const std::vector<std::string>& paths) {
  std::string text;
  for (std::size_t at = 0; at < paths.size() && at < kShown; ++at) text += (at == 0 ? "" : ", ") + printable(paths[at]);
  return paths.size() > kShown ? text + " and " + std::to_string(paths.size() - kShown) + " more" : text;
}

std::string listed(const stage::ChangeSet& changes) {
  std::vector<std::string> paths;
  for (const stage::Change& change : changes) paths.push_back(change.path);
  return listed(paths);
}

ForkedResult result_of(RunOutcome& outcome, bool staged) {
  for (const Path& path : outcome.result.appeared) say(path.text() + " appeared at a protected path");
  std::string refused;
  for (RefReport& report : outcome.refs) {
    // In a stage that goes nothing is kept.
    for (RefFinding& found : report.refs) {
      if (staged) found.kept.clear();
    }
    for (const std::string& line : lines_of(report)) {
      say(line);
      if (report.strict && refused.empty()) refused = line;
    }
  }
  if (!refused.empty()) return {kRefused, refused};
  if (!outcome.outside_file_scope.empty())
    return {kRefused, "outside its fileScope: " + listed(outcome.outside_file_scope)};
  if (outcome.result.exec_error != 0) return {127, "it could not be started: " + errno_text(outcome.result.exec_error)};
  switch (outcome.result.ending) {
    case sandbox::Ending::TimedOut: return {kTimedOut, "the time limit was reached"};
    case sandbox::Ending::Contained:
      if (outcome.result.unswept) return {kRefused, outcome.result.unswept->sentence()};
      return {kRefused, "it made something at a protected path, and was ended"};
    case sandbox::Ending::Killed: return {kOwnFailure, "its sandbox was killed"};
    case sandbox::Ending::Exited: break;
  }
  const int code = outcome.result.exit_code;
  return {code, code == 0 ? "" : "it ended with the code " + std::to_string(code)};
}

struct Opened {
  Stages stages;
  stage::Stage stage;
};
Result<Opened> open_stage(const StageStep& step, const Caller& caller) {
  PALE_TRY(stages, Stages::open({step.project, {}}, caller));
  PALE_TRY(stage, stages.find(step.stage));
  return Opened{std::move(stages), std::move(stage)};
}

// Files that the story was not to change; directories are what their files are.
Result<std::vector<std::string>> outside_scope(const StageStep& step, const stage::ChangeSet& changes) {
  if (!step.scoped) return std::vector<std::string>();
  PALE_TRY(file_scope, scope::FileScope::parse(step.file_scope));
  std::vector<std::string> paths;
  for (const stage::Change& change : changes) {
    using Kind = stage::EntryKind;
    const bool directory = (change.after.kind == Kind::Directory || change.after.kind == Kind::Missing) &&
                           (change.before.kind == Kind::Directory || change.before.kind == Kind::Missing);
    const bool of_git = change.path == ".git" || change.path.starts_with(".git/");
    if (directory || of_git) continue;
    paths.push_back(change.path);
    if (!change.from.empty()) paths.push_back(change.from);
  }
  return file_scope.violations(paths);
}

Result<ForkedResult> apply(const StageStep& step, const Caller& caller) {
  PALE_TRY(opened, open_stage(step, caller));
  PALE_TRY(locks, lock_for_apply(opened.stages, opened.stage));
  PALE_TRY(changes, opened.stages.changes(opened.stage, nullptr));
  PALE_TRY(outside, outside_scope(step, changes));
  if (!outside.empty()) return ForkedResult{kApplyRefused, "outside its fileScope: " + listed(outside)};
  ApplyRequest request;
  request.allow_all = step.allow_exec;
  PALE_TRY(proposal, propose(opened.stages, opened.stage, changes, request));
  const stage::Selection& selection = proposal.selection;
  if (!selection.protections.empty())
    return ForkedResult{kApplyRefused, "these are protected: " + listed(selection.protections)};
  if (!selection.executes.empty())
    return ForkedResult{kApplyRefused, "something on the host would execute " + listed(selection.executes)};
  if (!selection.conflicts.empty())
    return ForkedResult{kApplyConflict, "changed by others meanwhile: " + listed(selection.conflicts)};
  PALE_CHECK(apply_items(opened.stages, opened.stage, selection.items, nullptr));
  PALE_CHECK(stage::Store::remove(opened.stage));
  const std::size_t count = selection.items.size();
  return ForkedResult{0, std::to_string(count) + (count == 1 ? " change" : " changes")};
}

Status drop(const StageStep& step, const Caller& caller) {
  PALE_TRY(stages, Stages::open({step.project, {}}, caller));
  // One in which nothing was changed is gone already.
  if (!stages.is_stage(step.stage)) return {};
  PALE_TRY(stage, stages.find(step.stage));
  // What was killed inside dies a moment later, and has the stage until then.
  for (std::int64_t waited = 0;; waited += kPauseMs) {
    Status dropped = discard_stage(stages, stage);
    if (dropped || dropped.error().kind != ErrorKind::Refused || waited >= kDyingMs) return dropped;
    PALE_CHECK(sys::wait_ready({}, kPauseMs));
  }
}

Result<bool> was_applied(const StageStep& step, const Caller& caller) {
  PALE_TRY(stages, Stages::open({step.project, {}}, caller));
  PALE_TRY(history, stage::read_history(stages.store()));
  for (const stage::Journal& journal : history) {
    if (journal.stage == step.stage && journal.undone_by == 0) return true;
  }
  return false;
}

}  // namespace

ForkedResult run_step(const Request& request, const Caller& caller) {
  StoryWatch watch;
  auto outcome = run(request, caller, &watch);
  if (!outcome) return failed(outcome.error());
  ForkedResult result = result_of(*outcome, request.stage.has_value());
  watch.conclude(*outcome, result);
  result.times = outcome->times;
  return result;
}

ForkedResult apply_step(const StageStep& step, const Caller& caller) {
  auto applied = apply(step, caller);
  if (!applied) return failed(applied.error());
  if (applied->code != 0) say("it cannot be applied: " + applied->text);
  return std::move(*applied);
}

ForkedResult drop_step(const StageStep& step, const Caller& caller) {
  const Status dropped = drop(step, caller);
  return dropped ? ForkedResult{} : failed(dropped.error());
}

ForkedResult was_applied_step(const StageStep& step, const Caller& caller) {
  const auto applied = was_applied(step, caller);
  return {applied && *applied ? 0 : 1, {}};
}

}  // namespace pale::service
