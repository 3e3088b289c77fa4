#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/program.h"
#include "cli/request.h"
#include "cli/start.h"
#include "service/agents.h"

namespace pale::cli {
namespace {

constexpr Option kAgentOnly[] = {{"--agent", "NAME", "which agent (pale agent list)"}};

constexpr auto kAgentOptions = [] {
  std::array<Option, std::size(kAgentOnly) + std::size(kRunOptions)> options = {};
  std::ranges::copy(kRunOptions, std::ranges::copy(kAgentOnly, options.begin()).out);
  return options;
}();

std::string agent_lines(const std::vector<service::ListedAgent>& agents) {
  std::string text;
  for (const service::ListedAgent& agent : agents) {
    const bool installed = !agent.program.empty();
    text += padded(agent.adapter.name, 10) + padded(printable(agent.adapter.about), 24) +
            (installed ? printable(agent.program) : "not installed: " + printable(agent.adapter.install));
    if (agent.adapter.origin != "built in") text += "  (" + printable(agent.adapter.origin) + ")";
    text += "\n";
  }
  return text;
}

std::string agents_json(const std::vector<service::ListedAgent>& agents) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).key("agents").begin_array();
  for (const service::ListedAgent& agent : agents) {
    out.begin_object().field("name", agent.adapter.name).field("about", agent.adapter.about);
    out.field("installed", !agent.program.empty()).key("program");
    agent.program.empty() ? out.null() : out.value(agent.program);
    out.field("install", agent.adapter.install).field("origin", agent.adapter.origin).end_object();
  }
  out.end_array().end_object();
  return out.text() + "\n";
}

// Which hosts it needs, its adapter may say.
void hint_at_network(const service::AgentRun& agent) {
  print_note(agent.agent + " reaches its model over the network, and this boundary has none");
  const std::string hosts = listed(agent.request.agent_hosts);
  if (hosts.empty()) {
    print_hint("--network allow:HOST,… for the hosts that it needs, or --network open, for this run only");
    return;
  }
  print_hint("--network allow, for this run only: it needs " + hosts);
  print_hint("pale config set network allow, with -p ID or --project-root DIR, once for all");
}

}  // namespace

std::span<const Option> agent_run_options() { return kAgentOptions; }

int agent_list_command(const CommandLine& line) {
  const auto arguments = parse_for("agent list", line, 0, 0);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const Format format = arguments->has("--json") ? Format::Json : Format::Text;
  const auto agents = service::list_agents({line.argv, line.envp});
  if (!agents) return fail_with(agents.error(), format);
  print(format == Format::Json ? agents_json(*agents) : agent_lines(*agents));
  return 0;
}

int agent_run_command(const CommandLine& line) {
  const auto arguments = parse_for("agent run", line, 0, 1);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  auto request = request_of(*arguments);
  if (!request) return fail_with(request.error(), Format::Text);
  service::AgentRequest wanted{arguments->value("--agent"), "", std::move(*request)};
  if (!arguments->operands.empty()) wanted.task = arguments->operands.front();
  auto agent = service::equip_agent(std::move(wanted), {line.argv, line.envp});
  if (!agent) return fail_with(agent.error(), Format::Text);
  if (arguments->has("--dry-run")) agent->request.home_files.clear();  // Nothing is copied to show what would be done.
  if (agent->lacks_network && !arguments->has("--dry-run")) hint_at_network(*agent);
  return start(agent->request, *arguments, line);
}

}  // namespace pale::cli
