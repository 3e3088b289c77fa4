// cli/tenant_table.h: the commands of managed projects, sessions and serving; part of the table in cli/commands.cc.
#pragma once

#include "cli/keeper_options.h"
#include "cli/program.h"

namespace pale::cli {

inline constexpr Command kTenantCommands[] = {
    {"project create", "NAME", Operand::None, Group::Tenants, "make a managed project, for workspaces and sessions",
     project_create_options,
     "It lies in PALE_HOME/projects/ID, where you may put AGENTS.md and .factory/ for its workspaces to begin with.\n"
     "A limit is for all its sessions together, --time for each; none takes it off (pale help tenants).\n"
     "\nExamples:\n"
     "  pale project create \"Chat agents\" --isolated --protected-path AGENTS.md --protected-path .factory/\n"
     "  pale project create lab --sessions 20 --memory 8G --time 2h --json\n",
     project_create_command},
    {"project update", "ID", Operand::Id, Group::Tenants, "change what a managed project says", project_update_options,
     "Only what is named changes; --protected-path replaces the whole list. While a session lives, its isolation and\n"
     "protected paths stay as they are.\n"
     "\nExamples:\n"
     "  pale project update chat --isolated --protected-path AGENTS.md\n"
     "  pale project update chat --memory none --sessions 50\n",
     project_update_command},
    {"project delete", "ID", Operand::Id, Group::Tenants, "delete a managed project with its workspaces",
     project_delete_options,
     "Refused while a session lives. Tokens lose it, and those that were for it alone are revoked. For a directory of\n"
     "yours that is registered: pale project remove.\n"
     "\nExamples:\n"
     "  pale project delete chat\n"
     "  pale project delete chat --force --yes\n",
     keeper_command},

    {"workspace create", "", Operand::None, Group::Tenants, "make a workspace in a managed project",
     workspace_create_options,
     "It gets a copy of the project's .factory/ and, if workspaces are isolated, of its AGENTS.md.\n"
     "\nExamples:\n"
     "  pale workspace create -p chat\n"
     "  pale workspace create -p chat --external-id +491701234 --source signal --json\n",
     workspace_create_command},
    {"workspace list", "", Operand::None, Group::Tenants, "the workspaces of a managed project", workspace_list_options,
     "The oldest comes first.\n"
     "\nExamples:\n"
     "  pale workspace list -p chat\n"
     "  pale workspace list -p chat --json\n",
     workspace_list_command},
    {"workspace show", "UUID", Operand::None, Group::Tenants, "all that is known of a workspace",
     workspace_show_options,
     "\nExamples:\n"
     "  pale workspace show -p chat 3f0c8a52-9d1b-4c7e-8a55-0d6f2b1c9e47\n",
     workspace_show_command},
    {"workspace delete", "UUID", Operand::None, Group::Tenants, "delete a workspace with all that is in it",
     workspace_delete_options,
     "Refused while a session of it lives.\n"
     "\nExamples:\n"
     "  pale workspace delete -p chat 3f0c8a52-9d1b-4c7e-8a55-0d6f2b1c9e47\n"
     "  pale workspace delete -p chat 3f0c8a52-9d1b-4c7e-8a55-0d6f2b1c9e47 --force --yes\n",
     workspace_delete_command},

    {"session start", "", Operand::None, Group::Tenants, "start a session in a workspace", session_start_options,
     "A sandbox that stays, in which commands run one after another. Prints its id. It lives on without you, until it\n"
     "is ended or its time is over.\n"
     "\nExamples:\n"
     "  pale session start -p chat --workspace 3f0c8a52-9d1b-4c7e-8a55-0d6f2b1c9e47\n"
     "  pale session start -p chat --workspace 3f0c8a52-9d1b-4c7e-8a55-0d6f2b1c9e47 --memory 1G --time 30m\n",
     session_start_command},
    {"session run", "SID -- COMMAND…", Operand::None, Group::Tenants, "run a command in a session", session_run_options,
     "Its input, output and exit code pass through as they are.\n"
     "\nExamples:\n"
     "  pale session run 9b2e4c1d-5a7f-4e08-b3c6-1d2f4a6b8c0e -- make test\n"
     "  pale session run 9b2e4c1d-5a7f-4e08-b3c6-1d2f4a6b8c0e -- sh -c 'ls | wc -l'\n",
     session_run_command},
    {"session end", "SID", Operand::None, Group::Tenants, "end a session", session_end_options,
     "What still runs in it is ended; what it did stays recorded.\n"
     "\nExamples:\n"
     "  pale session end 9b2e4c1d-5a7f-4e08-b3c6-1d2f4a6b8c0e\n",
     session_end_command},
    {"session kill", "SID", Operand::None, Group::Tenants, "end a session at once", session_kill_options,
     "For one that does not answer: nothing in it is asked, everything is gone.\n"
     "\nExamples:\n"
     "  pale session kill 9b2e4c1d-5a7f-4e08-b3c6-1d2f4a6b8c0e\n",
     session_kill_command},
    {"session list", "", Operand::None, Group::Tenants, "sessions, those that live and those that ended",
     session_list_options,
     "The newest comes first.\n"
     "\nExamples:\n"
     "  pale session list --live\n"
     "  pale session list -p chat --json\n",
     keeper_command},
    {"session show", "SID", Operand::None, Group::Tenants, "what is known of a session", session_show_options,
     "What ran in it, how that ended, what was denied. The first letters of an id are enough, if no other begins so.\n"
     "\nExamples:\n"
     "  pale session show 9b2e4c1d\n"
     "  pale session show 9b2e4c1d --json\n",
     keeper_command},
    {"session log", "SID", Operand::None, Group::Tenants, "all that happened in a session", session_log_options,
     "Commands, what they wrote, denials, ends, in their order.\n"
     "\nExamples:\n"
     "  pale session log 9b2e4c1d --follow\n"
     "  pale session log 9b2e4c1d --json\n",
     keeper_command},

    {"studio", "", Operand::None, Group::Serving, "the page: see the boundary, review the work", studio_options,
     "Serves it as pale serve does, prints a link that works once, and opens the browser. If a server runs already, "
     "only "
     "the\nlink is made.\n"
     "\nExamples:\n"
     "  pale studio\n"
     "  pale studio --no-browser --port 8080\n",
     keeper_command},
    {"serve", "", Operand::None, Group::Serving, "serve Studio, and projects and sessions over HTTP (MCP)",
     serve_options,
     "Studio is opened by the link that is printed (pale studio makes another). Whoever calls otherwise needs a token: "
     "pale\ntoken create. SIGTERM ends it; sessions live on.\n"
     "\nExamples:\n"
     "  pale serve\n"
     "  pale serve --port 8080 --bind 127.0.0.1\n",
     keeper_command},
    {"mcp", "", Operand::None, Group::Serving, "a project's tools for an agent: MCP on standard input and output",
     mcp_options,
     "Read, write, edit, list, run: served from inside the project's boundary, so they can do what pale run could.\n"
     "The level of trust decides which there are (pale help trust). Where a zone or --approval says so, you are asked "
     "before\n"
     "something is changed: by the client, or by pale approve; and before each command, unless trust is shell or full. "
     "With\n"
     "--manage: projects, workspaces and sessions, with all that you may do.\n"
     "\nExamples:\n"
     "  claude mcp add pale -- pale mcp -p my-app\n"
     "  pale mcp --project-root . --trust shell\n"
     "  pale mcp --project-root . --approval manual --approval-timeout 10m\n"
     "  claude mcp add pale -- pale mcp --manage\n",
     mcp_command},
    {"token create", "", Operand::None, Group::Serving, "a token for pale serve, shown once", token_create_options,
     "Scopes: admin (everything), admin:ro (look at everything), project:ID, project:ID:ro.\n"
     "\nExamples:\n"
     "  pale token create --scope project:chat --name \"signal bridge\"\n"
     "  pale token create --scope admin:ro --expires 12h\n",
     keeper_command},
    {"token list", "", Operand::None, Group::Serving, "the tokens there are, but for what they are", token_list_options,
     "\nExamples:\n"
     "  pale token list\n"
     "  pale token list --json\n",
     keeper_command},
    {"token revoke", "ID", Operand::None, Group::Serving, "make a token worthless", token_revoke_options,
     "\nExamples:\n"
     "  pale token revoke 3\n"
     "  pale token revoke 3 --yes\n",
     keeper_command},
};

}  // namespace pale::cli
