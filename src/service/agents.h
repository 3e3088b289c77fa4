// service/agents.h: the use cases of `pale agent`: which agents there are, and one of them started with a task.
#pragma once

#include "project/adapter.h"
#include "service/request.h"

namespace pale::service {

struct ListedAgent {
  project::Adapter adapter;
  std::string program;  // where it is installed; empty: it is not
};
Result<std::vector<ListedAgent>> list_agents(const Caller& caller);

struct AgentRequest {
  std::string agent;  // --agent; empty: as the environment, the manifest or the user's configuration says
  std::string task;
  Request request;  // its command is filled in
};

struct AgentRun {
  Request request;  // ready for run() and prepare()
  std::string agent;
  bool lacks_network = false;  // it reaches its model over the network, and the boundary has none
};
// Chooses the agent, finds its program, and adds what its adapter says to the request.
Result<AgentRun> equip_agent(AgentRequest wanted, const Caller& caller);

}  // namespace pale::service
