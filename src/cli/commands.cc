#include "cli/commands.h"

#include <algorithm>
#include <array>

#include "cli/approve_table.h"
#include "cli/loop_table.h"
#include "cli/program.h"
#include "cli/scope_table.h"
#include "cli/tenant_table.h"
#include "cli/worker_table.h"

namespace pale::cli {
namespace {

constexpr Command kLocalCommands[] = {
    {"run", "-- COMMAND…", Operand::None, Group::Work, "run a command inside a boundary", run_options,
     "Inside are the system (read-only), the project (writable but for protected paths), a private HOME, and nothing "
     "else.\n"
     "The command's input, output, terminal, signals and exit code pass through as they are.\n"
     "\nExamples:\n"
     "  pale run -- make test\n"
     "  pale run -p my-app --network open --env ANTHROPIC_API_KEY -- claude\n"
     "  pale run --temporary -- python3 -c 'print(1)'\n",
     run_command},
    {"shell", "", Operand::None, Group::Work, "a shell inside the same boundary", run_options,
     "Starts $SHELL, or /bin/bash where that does not exist inside.\n"
     "\nExamples:\n"
     "  pale shell\n"
     "  pale shell --project-root . --ro /opt/toolchain\n",
     shell_command},
    {"learn", "-- COMMAND…", Operand::None, Group::Work, "run a command, and print the least manifest it needs",
     learn_options,
     "Runs it in the whole project, watches what it does there, and prints a manifest that would have sufficed. What "
     "the "
     "command\nitself prints goes to stderr. pale help watch says more.\n"
     "\nExamples:\n"
     "  pale learn -- make test\n"
     "  pale learn --project-root . --network open -- npm ci > learnt.toml\n",
     learn_command},

    {"explain", "[PATH]", Operand::File, Group::Look, "show a boundary, or what it says of a path", explain_options,
     "Without PATH: the whole boundary as a tree, each line with where it came from.\n"
     "With PATH (absolute, or relative to the project): what may be done there, and because of which rule.\n"
     "\nExamples:\n"
     "  pale explain\n"
     "  pale explain --project-root . .git/hooks/pre-commit\n",
     explain_command},
    {"doctor", "", Operand::None, Group::Look, "what this kernel offers, what is missing, what follows", json_options,
     "Exit code 0: sandboxes with full isolation work here. 1: something is missing; each line says how to fix it.\n"
     "\nExamples:\n"
     "  pale doctor\n"
     "  pale doctor --json\n",
     doctor_command},

    {"stage list", "", Operand::None, Group::Stages, "the stages of a project", stage_options,
     "A stage is a private layer over a project: pale run --stage changes nothing but that.\n"
     "Exit code 4: one of them has changes that are not applied.\n"
     "\nExamples:\n"
     "  pale stage list\n"
     "  pale stage list -p my-app --json\n",
     stage_list_command},
    {"stage show", "[STAGE] [PATH…]", Operand::None, Group::Stages, "what a stage changes", stage_options,
     "Every file that is created, changed, deleted, renamed, retyped or has another mode. Listed once more, apart: "
     "what\n"
     "something on the host would execute, what was changed in the project too, and what is protected.\n"
     "Without STAGE: the only one there is. Exit code 4: there are changes.\n"
     "\nExamples:\n"
     "  pale stage show\n"
     "  pale stage show fix-42 src --json\n",
     stage_show_command},
    {"stage diff", "[STAGE] [PATH…]", Operand::None, Group::Stages, "the same as a patch", stage_diff_options,
     "A unified diff that git apply and patch accept. Binary files are named; what is in conflict stands in comments, "
     "with\n"
     "its three versions. Exit code 4: there are changes.\n"
     "\nExamples:\n"
     "  pale stage diff --stat\n"
     "  pale stage diff fix-42 > fix.patch\n",
     stage_diff_command},
    {"stage apply", "[STAGE] [PATH…]", Operand::None, Group::Stages, "take changes over into the project",
     stage_apply_options,
     "All of them, or none: a kill or a full disk leaves the old state or the new one. A stage on another stage is "
     "applied\n"
     "to that. Exit code 3: something is protected, or would be executed on the host. 4: conflicts.\n"
     "\nExamples:\n"
     "  pale stage apply\n"
     "  pale stage apply fix-42 src README.md\n"
     "  pale stage apply --patch\n"
     "  pale stage apply --merge --allow-exec Makefile\n",
     stage_apply_command},
    {"stage discard", "[STAGE]", Operand::None, Group::Stages, "throw a stage away", stage_discard_options,
     "What was applied stays.\n"
     "\nExamples:\n"
     "  pale stage discard fix-42 --yes\n",
     stage_discard_command},
    {"stage undo", "[STAGE]", Operand::None, Group::Stages, "put back what an apply changed", stage_undo_options,
     "The last apply, or the last of a stage; refuses if its files changed since. An undo can be undone.\n"
     "\nExamples:\n"
     "  pale stage undo\n"
     "  pale stage undo --list\n"
     "  pale stage undo --apply 3\n",
     stage_undo_command},
    {"stage prune", "", Operand::None, Group::Stages, "forget applies of long ago", stage_prune_options,
     "They can no longer be undone. Each apply does the same, for what is older than your setting history (30d).\n"
     "\nExamples:\n"
     "  pale stage prune --dry-run\n"
     "  pale stage prune --older 7d\n",
     stage_prune_command},

    {"project init", "[PATH]", Operand::Directory, Group::Projects, "make a directory a project (also: pale init)",
     init_options,
     "Writes .pale/project.toml and registers the project. A manifest that is there already is registered as it is.\n"
     "\nExamples:\n"
     "  pale init\n"
     "  pale init ~/projects/my-app --id my-app --trust read_only\n",
     project_init_command},
    {"project list", "", Operand::None, Group::Projects, "your projects", project_list_options,
     "Those that are registered, used last first; then those that are managed (pale help tenants).\n"
     "\nExamples:\n"
     "  pale project list\n"
     "  pale project list --json\n",
     project_list_command},
    {"project show", "[ID]", Operand::Id, Group::Projects, "all that is known of one project", project_show_options,
     "\nExamples:\n"
     "  pale project show my-app\n"
     "  pale project show --project-root . --json\n",
     project_show_command},
    {"project default", "[ID]", Operand::Id, Group::Projects, "the project that is meant when none is named",
     project_default_options,
     "Without ID: says which it is.\n"
     "\nExamples:\n"
     "  pale project default my-app\n"
     "  pale project default --none\n",
     project_default_command},
    {"project current", "", Operand::None, Group::Projects, "which project is meant here, and why",
     project_show_options,
     "In this order: --project-root, -p, .pale/project.toml in the current directory, the default project.\n"
     "\nExamples:\n"
     "  pale project current\n"
     "  pale project current --json\n",
     project_current_command},
    {"project remove", "ID", Operand::Id, Group::Projects, "forget a project; its files stay", no_options,
     "What you granted it in your configuration is forgotten too.\n"
     "\nExamples:\n"
     "  pale project remove game-prototype\n",
     project_remove_command},
    {"project rename", "ID NEW-ID", Operand::Id, Group::Projects, "give a project another id", no_options,
     "Changes the registry and the manifest, and nothing else of either.\n"
     "\nExamples:\n"
     "  pale project rename my-app shop\n",
     project_rename_command},
    {"project move", "ID DIR", Operand::Id, Group::Projects, "say where a project lies now", no_options,
     "Moves no files: it is for a directory that was moved. The project's private HOME and what you granted it go "
     "along.\n"
     "\nExamples:\n"
     "  mv ~/app ~/work/app; pale project move app ~/work/app\n",
     project_move_command},
    {"project cleanup", "", Operand::None, Group::Projects, "forget projects whose directory is gone", cleanup_options,
     "A registry that cannot be read is kept aside under another name, and a new one begun.\n"
     "\nExamples:\n"
     "  pale project cleanup --dry-run\n"
     "  pale project cleanup\n",
     project_cleanup_command},
    {"project import", "FILE", Operand::File, Group::Projects, "take over a project from another tool", no_options,
     "FILE is Sunwell's project.toml or projects.json, or golem-forge's golem-forge.config.yaml. Says what was taken "
     "and what "
     "not.\n"
     "\nExamples:\n"
     "  pale project import .sunwell/project.toml\n"
     "  pale project import golem-forge.config.yaml\n",
     project_import_command},

    {"agent run", "[TASK]", Operand::None, Group::Agents, "start a coding agent inside a boundary", agent_run_options,
     "The agent is --agent, else $PALE_AGENT, else the manifest's, else the one of your configuration. Its adapter "
     "says how "
     "it takes\n"
     "a task, which variables are passed on, which of your files it gets a copy of, and which of its own sandboxes to "
     "switch "
     "off.\n"
     "Without TASK the agent shows its own screen.\n"
     "\nExamples:\n"
     "  pale agent run \"add user authentication\" --network open\n"
     "  pale agent run --agent codex -p my-app \"mend the failing test\"\n",
     agent_run_command},
    {"agent list", "", Operand::None, Group::Agents, "the agents Pale knows, and which are installed", json_options,
     "An adapter is a small TOML file; your own lie in PALE_HOME/agents (pale help agents).\n"
     "\nExamples:\n"
     "  pale agent list\n"
     "  pale agent list --json\n",
     agent_list_command},

    {"config list", "", Operand::None, Group::Yourself, "what you allow, beyond a project's own root",
     config_list_options,
     "\nExamples:\n"
     "  pale config list\n"
     "  pale config list --show-origin\n",
     config_list_command},
    {"config get", "KEY", Operand::Key, Group::Yourself, "one value of it", config_options,
     "Exit code 1: it is not set.\n"
     "\nExamples:\n"
     "  pale config get agent\n"
     "  pale config get network -p my-app\n",
     config_get_command},
    {"config set", "KEY VALUE…", Operand::Key, Group::Yourself, "allow something, in one project or in all",
     config_options,
     "For one project with -p or --project-root: trust, network, rw, ro, env. For all: agent, and the most trust and "
     "network "
     "that\n"
     "a manifest may ask for.\n"
     "\nExamples:\n"
     "  pale config set agent claude\n"
     "  pale config set network open -p my-app\n",
     config_set_command},
    {"config add", "KEY VALUE…", Operand::Key, Group::Yourself, "add to a list: rw, ro, env", config_options,
     "\nExamples:\n"
     "  pale config add ro /opt/toolchain -p my-app\n"
     "  pale config add env GITHUB_TOKEN -p my-app\n",
     config_add_command},
    {"config unset", "KEY", Operand::Key, Group::Yourself, "take it back", config_options,
     "\nExamples:\n"
     "  pale config unset network -p my-app\n",
     config_unset_command},
    {"completion", "bash|zsh|fish", Operand::Shell, Group::Yourself, "a completion script for your shell", no_options,
     "\nExamples:\n"
     "  pale completion bash > ~/.local/share/bash-completion/completions/pale\n"
     "  pale completion fish > ~/.config/fish/completions/pale.fish\n",
     completion_command},
    {"help", "[COMMAND | TOPIC]", Operand::Topic, Group::Yourself, "this, a command, or a topic", no_options,
     "\nExamples:\n"
     "  pale help run\n"
     "  pale help manifest\n",
     help_command},
};

constexpr auto kCommands = [] {
  std::array<Command, std::size(kLocalCommands) + std::size(kScopeCommands) + std::size(kWorkerCommands) +
                          std::size(kApproveCommands) + std::size(kLoopCommands) + std::size(kTenantCommands)>
      all = {};
  auto* end = std::ranges::copy(kLocalCommands, all.begin()).out;
  end = std::ranges::copy(kScopeCommands, end).out;
  end = std::ranges::copy(kWorkerCommands, end).out;
  end = std::ranges::copy(kApproveCommands, end).out;
  end = std::ranges::copy(kLoopCommands, end).out;
  std::ranges::copy(kTenantCommands, end);
  return all;
}();

// What people type who know other tools.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"init", "project init"}, {"project info", "project show"}, {"config", "config list"}};

constexpr Option kJson[] = {{"--json", "", "print as JSON"}};

// What a script leaves empty must not mean something else.
Status check_not_empty(const Arguments& arguments) {
  for (const auto& [name, value] : arguments.options) {
    if (value.empty() && (name == "-p" || name == "--project-root" || name == "--agent"))
      return fail(ErrorKind::Usage, "nothing stands behind", std::string(name),
                  std::string(name) + " with something behind it");
  }
  if (std::ranges::find(arguments.operands, "") != arguments.operands.end())
    return fail(ErrorKind::Usage, "not a value here:", "''", "pale help");
  return {};
}

}  // namespace

std::span<const Option> json_options() { return kJson; }
std::span<const Option> no_options() { return {}; }

std::span<const Command> commands() { return kCommands; }

const Command* find_command(std::string_view name) {
  for (const auto& [other, own] : kOtherNames) {
    if (name == other) name = own;
  }
  const auto* found = std::ranges::find(kCommands, name, &Command::name);
  return found == kCommands.end() ? nullptr : found;
}

Result<Arguments> parse_for(std::string_view name, const CommandLine& line, std::size_t least, std::size_t most,
                            AfterDashes after) {
  const Command& command = *find_command(name);
  PALE_TRY(arguments, parse_arguments(line.words, command.options(), after));
  PALE_CHECK(check_not_empty(arguments));
  const std::string usage =
      "pale " + std::string(name) + (command.operands.empty() ? "" : " ") + std::string(command.operands);
  if (arguments.operands.size() > most)
    return fail(ErrorKind::Usage, "unexpected word", arguments.operands[most], usage);
  if (arguments.operands.size() < least)
    return fail(ErrorKind::Usage, "something is missing after", "pale " + std::string(name), usage);
  return arguments;
}

}  // namespace pale::cli
