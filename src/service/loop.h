// service/loop.h: the use case of `pale loop`: an agent works through the stories of a prd.json, each inside a boundary.
#pragma once

#include "loop/schedule.h"
#include "service/agents.h"

namespace pale::service {

struct LoopRequest {
  std::string prd;                        // as it was typed; empty: prd.json of the project
  AgentRequest agent;                     // without a task
  std::optional<std::uint64_t> parallel;  // stories at a time, each in a stage; nothing: one, in the project itself
  std::optional<std::uint64_t> runs;      // of the agent, at most
  std::uint64_t tries = 3;                // of one story
  bool allow_exec = false;                // stages may change what something on the host would execute
};

// One story, for whoever watches.
struct StoryView {
  std::string id;
  std::string title;
  loop::State state = loop::State::Waiting;
  std::string step;  // "agent", "verify"; empty: none
  std::uint64_t tries = 0;
  std::int64_t milliseconds = 0;  // of its last run
  std::string why;                // it failed, the last time
};

// How long things took, together.
struct LoopFigures {
  std::int64_t read_us = 0;        // the file read and its stories checked
  std::int64_t validation_us = 0;  // of the agent's runs: what they may do decided
  std::int64_t start_us = 0;       // until they began, with that
  std::int64_t watch_us = 0;       // looking at what they do
  std::int64_t agent_ms = 0;
  std::int64_t verify_ms = 0;
  std::int64_t validate_ms = 0;
  std::int64_t apply_ms = 0;
  std::int64_t whole_ms = 0;
};

// Whoever shows it; called from the loop itself.
class LoopScreen {
 public:
  virtual ~LoopScreen() = default;
  // Whole lines that are known by their beginning.
  virtual void print(const std::string& lines) = 0;
  // Something happened to a story, in a line.
  virtual void tell(const std::string& line) = 0;
  // As they are now; also from time to time when nothing happens.
  virtual void show(const std::vector<StoryView>& stories) = 0;
};

struct LoopEnd {
  std::vector<StoryView> stories;
  std::uint64_t runs = 0;
  bool stopped = false;    // by a signal
  bool exhausted = false;  // no more runs were allowed
  LoopFigures figures;
  std::string log;
  std::string session;
};

Result<LoopEnd> run_loop(const LoopRequest& given, const Caller& caller, LoopScreen& screen);

}  // namespace pale::service
