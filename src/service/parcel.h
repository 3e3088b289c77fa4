// service/parcel.h: what an agent is started with in the sandbox of a worker: its command, and of the user's what its adapter names,
// variables and files of his home. It is handed in on standard input and unpacked inside, into a home that lies in memory: no two
// workers share one, and none has what another left.
#pragma once

#include <string>
#include <string_view>

#include "service/agents.h"

namespace pale::service {

// Not a command for people: what this program does inside, before it becomes the agent.
inline constexpr std::string_view kParcelCommand = "parcel";

Result<std::string> pack_agent(const AgentKit& kit, const std::string& task, const Path& user_home,
                               const Caller& caller);

// Inside: returns only if that cannot be done.
Error unpack_and_become(char** envp);

}  // namespace pale::service
