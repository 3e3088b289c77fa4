// service/agents.h: the use cases of `pale agent`: which agents there are, and one of them started with a task.
#pragma once

#include <span>

#include "project/adapter.h"
#include "service/terms.h"

namespace pale::service {

struct ListedAgent {
  project::Adapter adapter;
  std::string program;  // where it is installed; empty: it is not
};
Result<std::vector<ListedAgent>> list_agents(const Caller& caller);

// An agent that was chosen, and what must be shown for it to start.
struct AgentKit {
  project::Adapter adapter;
  std::string program;       // what is executed; empty: as its command says, looked for inside
  std::vector<Path> places;  // outside the system
  std::string search;        // to stand before PATH
};
// The flag, the environment, the manifest, the user's configuration: whoever speaks first. `writable`: where agents may write,
// and leave something that passes for a program.
Result<AgentKit> find_agent(const std::string& flag, const Terms& terms, std::span<const Path> writable,
                            const project::Surroundings& around, const Caller& caller);

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
