// service/story_steps.h: the steps of one story, each for a process of its own (service/forked.h): a command in a boundary, and what
// becomes of its stage.
#pragma once

#include "service/forked.h"
#include "service/request.h"

namespace pale::service {

// The code of a command that succeeded is 0; the text says why another one did not.
ForkedResult run_step(const Request& request, const Caller& caller);

inline constexpr int kApplyConflict = 4;
inline constexpr int kApplyRefused = 3;

struct StageStep {
  project::Named project;
  std::string stage;
  std::vector<std::string> file_scope;  // patterns; nothing else may be changed, if there are any
  bool scoped = false;                  // there are
  bool allow_exec = false;              // also what something on the host would execute
};
// All that the stage changes goes into the project, and the stage goes. The text: what was applied, or what stands in the way.
ForkedResult apply_step(const StageStep& step, const Caller& caller);
ForkedResult drop_step(const StageStep& step, const Caller& caller);
// Whether an apply of the stage is in the project's history, finished.
ForkedResult was_applied_step(const StageStep& step, const Caller& caller);

}  // namespace pale::service
