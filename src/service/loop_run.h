// service/loop_run.h: one loop under way: processes that work on stories, and what is done as each of them ends.
#pragma once

#include <memory>

#include "service/call_record.h"
#include "service/forked.h"
#include "service/loop.h"
#include "service/loop_log.h"
#include "service/loop_scopes.h"
#include "service/loop_stories.h"
#include "service/story_steps.h"
#include "sys/event.h"

namespace pale::service {

struct LoopGround {
  const LoopRequest& request;
  const Caller& caller;
  const LoopStories& stories;
  const LoopScopes& scopes;
  project::Named project;
  std::string workspace;              // the section of the prompt; empty: the run is about no folders
  std::vector<std::string> verify;    // of the manifest; empty: none
  std::vector<std::string> validate;  // the same
  std::string name;                   // of this loop: the beginning of its session's
};

class LoopRun {
 public:
  LoopRun(const LoopGround& ground, loop::Schedule schedule, LoopLog& log, CallRecord& record, LoopScreen& screen);

  // Until nothing is left to do, or somebody wants it to end.
  Status run();

  const loop::Schedule& schedule() const noexcept { return schedule_; }
  bool was_stopped() const noexcept { return stopped_; }
  const LoopFigures& figures() const noexcept { return figures_; }
  std::vector<StoryView> views() const;

 private:
  enum class Step { Agent, Verify, Validate, Apply, Drop };
  struct Work {
    loop::Action action;
    std::uint64_t run = 0;
    std::string stage;  // empty: none
    sys::Fd output;
    std::string output_file;
    Step step = Step::Agent;
    std::optional<Forked> process;
    std::int64_t since_ms = 0;  // this step
    std::int64_t began_ms = 0;
    loop::Outcome outcome = loop::Outcome::Verified;  // to be told once the stage is gone
  };
  struct Last {
    std::string stage;
    std::uint64_t run = 0;
    std::int64_t milliseconds = 0;
    std::string why;
    std::string output_file;
  };

  Status begin_all();
  Status begin_run(const loop::Action& action);
  Status begin_apply(const loop::Action& action);
  Status start(Work& work, Step step);
  Result<Forked> start_agent(const Work& work);
  Result<Forked> start_command(const Work& work, const std::vector<std::string>& command);
  Request request_for(const Work& work) const;
  StageStep stage_step(const Work& work) const;

  Status wait();
  Status take(Work& work, const ForkedResult& result);
  Status take_command(Work& work, const ForkedResult& result);
  Status take_apply(Work& work, const ForkedResult& result);
  Status give_up(Work& work, loop::Outcome outcome, const std::string& why);
  Status keep_for_review(Work& work, const std::string& why);
  Status go_on(Work& work);  // with the next step of what was well so far
  Status finish(Work& work);
  Status pass(std::size_t at);
  void stop();

  const scope::Story& story(const Work& work) const { return schedule_.stories()[work.action.story]; }
  // Somebody's own; null: there is none.
  const std::vector<std::string>* file_scope_of(const Work& work) const;
  const std::vector<std::string>& verify_of(const Work& work) const;
  Status note(const Work& work, std::string event, const ForkedResult& result, std::int64_t milliseconds);
  Status note(std::string event, const std::string& id, const std::string& stage, const std::string& text);
  Status note_watched(const Work& work, const ForkedResult& result);
  void tell(const Work& work, const std::string& text);

  const LoopGround& ground_;
  loop::Schedule schedule_;
  LoopLog& log_;
  CallRecord& record_;
  LoopScreen& screen_;
  sys::Fd signals_;
  std::vector<std::unique_ptr<Work>> works_;
  std::vector<Last> last_;
  LoopFigures figures_;
  bool stopped_ = false;
  std::optional<std::int64_t> kill_at_ms_;
};

}  // namespace pale::service
