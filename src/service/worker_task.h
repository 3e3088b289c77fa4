// service/worker_task.h: what is executed for a worker, and what it reads: the command of its file with the input on its standard
// input, or the project's agent, with its instructions and the input as a task.
#pragma once

#include "sandbox/command.h"
#include "service/agents.h"
#include "service/workers.h"
#include "worker/call.h"

namespace pale::service {

// What those workers need that are an agent.
struct WorkerCrew {
  Result<AgentKit> agent;  // or why there is none
  sys::Fd program;         // this one
  const Path& user_home;
  const Caller& caller;
};

struct CallSubject {
  const worker::WorkerFile& file;
  const worker::CallRequest& request;
  const std::vector<worker::Held>& folders;
};

struct WorkerTask {
  sandbox::Command command;
  std::string input;
  std::vector<std::string> words;  // of the command, as people know it
};
Result<WorkerTask> task_of(const CallSubject& subject, const WorkerCrew& crew);

}  // namespace pale::service
