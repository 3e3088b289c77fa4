#include "cli/help.h"

namespace pale::cli {
namespace {

constexpr std::string_view kManifest =
    R"(The manifest: .pale/project.toml

It is committed with a project and says what an agent may do there. It can only tighten what you allow: network, paths outside
the project and trust beyond "shell" must be granted by you, with a flag or pale config. Inside it is read-only.

  inherit = "../.pale/project.toml"     take over what an enclosing project says, and narrow it

  [project]
  id = "my-app"                         a word: letters, digits, '.', '_', '-'
  name = "My App"
  created = "2026-01-23T14:30:00Z"

  [workspace]
  type = "existing"                     "staged": every run is in the stage work (pale help stage)
  folders = ["lib", "src"]              what a run is about
  mode = "strict"                       outside the folders: names only. "permissive" (default): it is told (pale help watch)
  git = "commit"                        "read": .git stays as it is. "none" (default, if strict): it cannot be opened
  isolation = false                     for tenants, with protected_paths = [...]

  [agent]
  name = "claude"                       or command = ["my-agent", "{task}"]
  trust = "workspace"                   pale help trust
  protected = ["migrations", "*.lock"]  beside what is protected always; missing ones stay missing

  [network]
  mode = "none"                         "allow" with allow = ["api.example.org"], "open"; pale help network
  connections = 200   requests = 1000   traffic = "1G"   host_traffic = "100M"

  [limits]
  memory = "2G"   pids = 200   time = "10m"   disk = "10G"

  [zones.data]
  path = "./data"                       mode = "ro" keeps it as it is
  mode = "ro"                           approval = { write = "ask", delete = "blocked" }

  [sandbox]     mode = "direct" | "sandboxed"   root = ".sandbox"
  [workers]     paths = ["clerks"]      beside .pale/workers (pale help workers)
  [approval]    mode = "auto" | "manual" | "tool"
  [delegation]  max_depth = 5
  [hooks]       verify = "make test"    validate = "make check"   (pale help loop)

  [presets.api]                         chosen by --preset api; only narrows
  folders = ["packages/api"]            folders mode git trust protected network memory pids time agent

An unknown key, a wrong type or a broken file is an error with its line. pale explain shows what follows from a manifest, line
by line; what other commands ask for stands there under Declared.
)";

constexpr std::string_view kTrust =
    R"(Trust: how far an agent is trusted in a project

  discovery    the names of the project's files, not their contents
  read_only    the project can be read, not changed
  workspace    the project can be changed, but for what is protected (default)
  shell        as workspace, and tools may run commands without asking
  full         as shell, and the host's network

Whatever the level, nothing else of the machine exists inside, and protected paths stay as they are.

It is said by --trust, else by [agent] trust of the manifest, else by pale config set trust LEVEL -p ID. A manifest may ask
for no more than shell, or than you allow: pale config set trust full -p ID.
)";

constexpr std::string_view kAgents =
    R"(Agents and their adapters

pale agent run "TASK" starts a coding agent inside the project's boundary. What Pale knows of an agent is a small TOML file; those
of well-known agents come with it (pale agent list). Your own go to PALE_HOME/agents/NAME.toml:

  name = "my-agent"
  about = "what it is"
  install = "npm install -g my-agent"
  task = ["my-agent", "--yes", "{task}"]    with a task
  chat = ["my-agent"]                       without one
  network = true                            it reaches its model over the network
  environment = ["MY_AGENT_KEY"]            passed on where they are set

  [set]
  MY_AGENT_SANDBOX = "off"                  set inside

  [home]
  copy = [".my-agent/settings.json"]        copied from your HOME into the project's private one, once

The program is looked for on your PATH; where it lies outside the system, as with npm install --prefix, its package is shown
read-only. HOME inside is private to the project and kept between runs: what an agent changes there is never yours.
)";

constexpr std::string_view kConfig =
    R"(Your configuration: PALE_HOME/config.toml

It lies outside every project, so it may grant what no manifest can.

  pale config set agent claude                the agent that pale agent run starts
  pale config set trust full                  the most trust a manifest may ask for, in any project
  pale config set network open                the most network a manifest may ask for, in any project
  pale config add hosts api.example.org       the hosts that any manifest may name
  pale config set history 7d                  how long pale stage undo can take an apply back; usually 30d
  pale config set network open -p my-app      in one project: it has that network
  pale config add hosts api.example.org -p my-app
  pale config add ro /opt/toolchain -p my-app
  pale config add rw /data/models -p my-app
  pale config add env GITHUB_TOKEN -p my-app

What is granted to a project is tied to its directory, not to its id, which any repository could claim. A flag counts before the
environment (PALE_AGENT), that before the project, that before this file: pale config list --show-origin -p ID.
)";

constexpr std::string_view kNetwork =
    R"(The network: none, a list of hosts, or the host's own

  pale run --network none -- COMMAND                       loopback alone: the default
  pale run --network allow:api.example.org -- COMMAND      these hosts, through a proxy outside
  pale run --network open -- COMMAND                       the host's network

  api.example.org          that name, on ports 80 and 443
  *.example.org:8443       every name below it, on that port
  192.0.2.1:5432           an address, also of your own network

For a project, once, outside of its repository; a manifest can only narrow it:

  pale config set network allow -p my-app                  what its agent needs, as pale agent list knows it
  pale config add hosts api.example.org -p my-app          and these
  pale learn --network observe -- COMMAND                  which hosts a command needs

Programs find the proxy by HTTP_PROXY and the like; those that know none, by names that Pale answers. A name that leads to
loopback, your own network or a cloud's metadata is refused, as is TLS or HTTP that names another host. UDP does not pass.

Keys can stay outside, in PALE_HOME/config.toml. Inside there is a door on loopback, and Pale adds the key on the way out:

  [network.credentials.model]
  host = "api.anthropic.com"
  kind = "anthropic"                                       openai, git, npm, plain
  secret = { file = "/home/me/.keys/anthropic" }           or env = "NAME", or command = ["pass", "show", "x"]

What was reached and what was blocked: pale session log ID.
)";

constexpr std::string_view kTenants =
    R"(Tenants: managed projects, workspaces, sessions

A managed project lies in PALE_HOME/projects/ID and holds workspaces, one for each user of yours. A session is a sandbox in one
workspace, in which commands run one after another. An agent sees neither your files nor, if you say so, anybody else's.

  PALE_HOME/projects/ID/metadata.json      what pale project create and update say
  PALE_HOME/projects/ID/AGENTS.md          yours, copied into each workspace if workspaces are isolated
  PALE_HOME/projects/ID/.factory/          yours, copied into each workspace
  PALE_HOME/projects/ID/workspaces/UUID/   what an agent works in
  PALE_HOME/projects/ID/sessions/          what sessions did

              --isolated                                 otherwise
  /workspace  the workspace alone                        the whole project
  begins in   /workspace                                 /workspace/workspaces/UUID
  read-only   each --protected-path, there or not        metadata.json, sessions, .pale

Nothing that is in a workspace already is copied over, and no symbolic link is followed. While a session lives, isolation and
protected paths stay as they are, and its workspace cannot be deleted, unless with --force, which ends the session first.

  pale project create "Chat agents" --id chat --isolated --protected-path AGENTS.md
  cp AGENTS.md ~/.pale/projects/chat/
  pale workspace create -p chat --external-id +491701234
  pale session start -p chat --workspace UUID
)";

constexpr std::string_view kWorkers =
    R"(Zones and workers

A zone is a folder of a project with a name and a mode; a worker, which is a file NAME.worker, asks for zones by name and finds
them at /NAME. One that asks for none is a pure function: no file of the project exists for it.

In .pale/project.toml, or in a golem-forge.config.yaml beside it, but not in both:

  [sandbox]                                 sandbox:
  mode = "direct"                             mode: direct        usually sandboxed
  root = ".sandbox"                           root: .sandbox      where zones lie if it is sandboxed
  [zones.data]                                zones:
  path = "./data"                               data: {path: ./data, mode: ro}
  mode = "ro"
  [approval]                                approval:
  mode = "manual"                             mode: manual        who answers what is asked: auto, manual, tool
  [delegation]                              delegation:
  max_depth = 5                               maxDepth: 5
  [workers]
  paths = ["clerks"]                        workerPaths: [./clerks]

A worker, in .pale/workers or in one of these paths; index.worker or main.worker is the one that is called first:

  ---
  name: formatter
  sandbox:
    zones: [{name: data, mode: ro}, {name: out}]      rw, if no mode is said
  toolsets:
    workers: {allowed_workers: [validator]}           whom it may call
  locked: true                                        it is called as it is written, and no other file stands for it
  ---
  What it is told.

Whoever is called gets exactly what it asks for, if its caller has that; the first one's caller is the project. Else the call is
refused: PERMISSION_ESCALATION for a mode, ZONE_ACCESS_DENIED for a zone. pale worker check shows all of that and runs nothing.

pale worker call NAME --input JSON calls one. With run: [command…] it reads that line of JSON on standard input, without it is the
project's agent; what it writes to standard output is its answer. Inside, a worker calls those that it may call in the same way, or
by a line {"worker": "NAME", "input": any JSON} to the socket /run/pale/broker, and reads a line. [delegation] max_depth, max_calls
and timeout end that. pale session show tells of each call, and what the kernel said of its sandbox.
)";

constexpr std::string_view kFolders =
    R"(The folders that a run is about

  pale run --workspace lib,src --workspace-mode strict -- COMMAND

  permissive   what lies in the project outside of the folders can be used like the rest
  strict       of that only names are seen; the kernel answers "Permission denied" to all else

Folders and mode are said by a flag, else by a variable, else by the manifest, a prd.json, a preset; committed files only narrow:

  --workspace DIR,DIR…         WORKSPACE_FOLDERS        [workspace] folders = ["lib", "src"]
  --workspace-mode MODE        WORKSPACE_MODE           [workspace] mode = "strict"
                               WORKSPACE_ENABLED=false: no folders but those of a flag

pale config --show-origin -p ID says who decided. In .git lie the contents of all files: in strict mode it is closed, unless the
manifest says git = "read" or git = "commit".

  --file-scope PATTERN         only where such files can lie can be written: 'lib/**/*.ts', README.md, 'docs/'; a file that was
                               changed and matches none is told when the run has ended (exit code 3)
  pale scope …                 check folders and files, infer the fileScope of stories, give workers copies of folders
  pale loop init               a prd.json to begin with
)";

constexpr std::string_view kExitCodes =
    R"(Exit codes
  the command's own   what ran inside ended with it; 128+N if signal N ended it
  1                   no, or a failure that is an answer (pale doctor: something is missing)
  2                   wrong usage: an option, a path, a manifest, no project context
  3                   refused by a boundary or a guard, or a run ended because a protected path appeared
  4                   pale stage: there are changes that are not applied, or conflicts; pale scope unmount: changes
  125                 Pale itself failed, or this kernel cannot keep what was asked
  126, 127            the command cannot be executed; was not found
)";

constexpr std::string_view kWatch =
    R"(Watching: what a run does in its project, told while it does it

A run that is about folders (folders = ["lib", "src"] in the manifest) is watched. With mode = "strict", each attempt at a file
outside them is refused by the kernel and told as "BLOCKED"; with mode = "permissive" it is let and told as "WARNING". Each file and
operation once, on stderr; the end has a summary, and what would allow it.

  --watch       also without folders: what was read and changed in the project
  --no-watch    tell nothing, folders or not; what is refused stays refused
  pale learn -- COMMAND
                run it in the whole project, and print the least manifest that it needs, on stdout

Operations: read, write, create, remove, rename, link, chmod, execute. To look at a name or to list a directory is none. The system,
/tmp and the private home are not told; .git is what git = "none" | "read" | "commit" says.
While a program has the terminal for itself, messages wait for its end.
)";

constexpr Topic kTopics[] = {
    {"manifest", "what can stand in .pale/project.toml", kManifest},
    {"watch", "what a run does in its project, told while it does it", kWatch},
    {"trust", "five levels, and what each means", kTrust},
    {"network", "which hosts are reached, and keys that stay outside", kNetwork},
    {"agents", "how agents are started, and your own adapters", kAgents},
    {"tenants", "managed projects, workspaces and sessions", kTenants},
    {"workers", "zones, .worker files, and who gets what", kWorkers},
    {"folders", "what a run is about, and the files of a story", kFolders},
    {"configuration", "what you allow, and where it is kept", kConfig},
    {"exit-codes", "what the numbers mean", kExitCodes},
};

}  // namespace

std::span<const Topic> topics() { return kTopics; }

}  // namespace pale::cli
