#include "service/agents.h"

#include <algorithm>

#include "base/text.h"
#include "service/compose.h"
#include "service/prepare.h"
#include "service/program.h"
#include "service/workspace.h"

namespace pale::service {
namespace {

using project::Adapter;

std::unexpected<Error> unknown_agent(const std::string& name, const std::vector<Adapter>& adapters) {
  std::vector<std::string_view> names;
  for (const Adapter& adapter : adapters) names.push_back(adapter.name);
  const auto close = nearest(name, names);
  return fail(ErrorKind::NotFound, "there is no adapter for the agent", "'" + name + "'",
              close ? "--agent " + std::string(*close) : "pale agent list");
}

Result<Adapter> choose(const std::string& flag, const project::Settings& settings, const project::UserConfig& config,
                       const Caller& caller, const Path& pale_home) {
  std::string name = flag.empty() ? caller.variable("PALE_AGENT") : flag;
  if (name.empty() && !settings.command.empty()) {
    std::vector<std::string> command;
    for (const auto& word : settings.command) command.push_back(word.value);
    return project::adapter_of(std::move(command), settings.command.front().where);
  }
  if (name.empty() && settings.agent) name = settings.agent->value;
  if (name.empty() && config.agent) name = config.agent->value;
  if (name.empty())
    return fail(Error{ErrorKind::Usage, 0, "which agent? Neither a flag, the manifest nor your configuration",
                      "names one", "pale agent list"}
                    .or_hint("pale agent run --agent claude \"TASK\"")
                    .or_hint("pale config set agent claude"));
  PALE_TRY(adapters, project::read_adapters(pale_home));
  const auto found = std::ranges::find(adapters, name, &Adapter::name);
  if (found == adapters.end()) return unknown_agent(name, adapters);
  return std::move(*found);
}

// Where an agent of this run may write.
std::vector<Path> writable_places(const Request& request, const Terms& terms, const Path& root) {
  std::vector<Path> places = {root};
  const auto add = [&](const std::string& text) {
    if (const auto path = Path::parse(text.starts_with('/') ? text : root.text() + "/" + text)) places.push_back(*path);
  };
  for (const auto& place : terms.grants.rw) add(place.value);
  for (const PathRequest& wanted : request.paths) {
    if (wanted.rule == PathRule::ReadWrite) add(wanted.path);
  }
  return places;
}

}  // namespace

Result<std::vector<ListedAgent>> list_agents(const Caller& caller) {
  PALE_TRY(pale_home, pale_home_of(caller));
  PALE_TRY(adapters, project::read_adapters(pale_home));
  std::vector<ListedAgent> agents;
  for (Adapter& adapter : adapters) {
    auto program = find_program(adapter.task.front(), caller);
    agents.push_back({std::move(adapter), program ? std::move(*program) : std::string()});
  }
  return agents;
}

Result<AgentKit> find_agent(const std::string& flag, const Terms& terms, std::span<const Path> writable,
                            const project::Surroundings& around, const Caller& caller) {
  PALE_TRY(config, project::read_config(around.pale_home));
  PALE_TRY(adapter, choose(flag, terms.settings, config, caller, around.pale_home));
  AgentKit kit{std::move(adapter), {}, {}, {}};
  if (kit.adapter.committed) return kit;
  auto found = find_program(kit.adapter.task.front(), caller);
  if (!found) {
    Error error = std::move(found).error();
    if (!kit.adapter.install.empty()) error.hint = kit.adapter.install;
    return fail(std::move(error));
  }
  PALE_TRY(program, look_into_program(*found, caller, around, writable));
  kit.program = std::move(program.path);
  kit.places = std::move(program.places);
  for (const Path& directory : program.directories) kit.search += directory.text() + ":";
  return kit;
}

Result<AgentRun> equip_agent(AgentRequest wanted, const Caller& caller) {
  Request& request = wanted.request;
  PALE_TRY(around, surroundings_of(caller));
  PALE_TRY(config, project::read_config(around.pale_home));
  Terms terms;
  std::vector<Path> writable;
  std::string root;
  if (!request.temporary) {
    PALE_TRY(workspace, with_variables(request.workspace, caller));
    request.workspace = std::move(workspace);
    PALE_TRY(resolved, project::resolve(request.project, around));
    PALE_TRY(agreed, agree_terms(request, resolved, config));
    terms = std::move(agreed);
    writable = writable_places(request, terms, resolved.project.root());
    root = resolved.project.root().text();
  }
  PALE_TRY(kit, find_agent(wanted.agent, terms, writable, around, caller));
  const Adapter& adapter = kit.adapter;
  const std::string origin = "agent " + adapter.name;
  PALE_TRY(command, project::command_for(adapter, wanted.task));
  request.command = std::move(command);
  for (const Path& place : kit.places) request.paths.push_back({PathRule::ReadOnly, place.text(), origin});
  if (!kit.search.empty())
    request.environment.insert(request.environment.begin(), {"PATH=" + kit.search + std::string(kSearchPath), origin});
  if (!kit.program.empty()) {
    request.command.front() = kit.program;
  } else if (std::string& program = request.command.front(); program.contains('/') && !program.starts_with('/')) {
    // It is looked for inside, where nothing is shown because of it.
    program = root + "/" + program;
  }
  using IfUnset = VariableRequest::IfUnset;
  std::vector<VariableRequest> environment;
  for (const std::string& name : adapter.environment) environment.push_back({name, origin, IfUnset::LeaveOut});
  for (const auto& [name, value] : adapter.set) environment.push_back({name + "=" + value, origin});
  // What the user says himself comes last, and counts.
  request.environment.insert(request.environment.begin(), environment.begin(), environment.end());
  request.home_files = adapter.home;
  for (const std::string& host : adapter.hosts) {
    PALE_TRY(rule, parse_host_rule(host, origin));
    request.agent_hosts.push_back(std::move(rule));
  }
  const Network network = request.network.value_or(Network::None);
  const bool online = network != Network::None || terms.network.value != project::NetworkMode::None;
  return AgentRun{std::move(request), adapter.name, adapter.network && !online};
}

}  // namespace pale::service
