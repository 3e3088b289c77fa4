// keeper/tools.h: what can be asked of the keeper by MCP: projects, workspaces, sessions, stages.
#pragma once

#include "keeper/keeper.h"
#include "mcp/server.h"

namespace pale::keeper {

void add_project_tools(mcp::Server& server, Keeper& keeper);
void add_workspace_tools(mcp::Server& server, Keeper& keeper);
void add_session_tools(mcp::Server& server, Keeper& keeper);
void add_stage_tools(mcp::Server& server, Keeper& keeper);

// All of them, each seen by those alone whose token lets them call it.
void add_tools(mcp::Server& server, Keeper& keeper);

}  // namespace pale::keeper
