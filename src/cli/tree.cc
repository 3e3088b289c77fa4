#include "cli/tree.h"

#include <algorithm>

#include "base/text.h"
#include "service/explain.h"

namespace pale::cli {
namespace {

struct Row {
  Path path;
  std::string what;
  std::string origin;
  std::string_view colour;
};

std::vector<Row> sorted(std::vector<Row> rows) {
  std::ranges::sort(rows, {}, &Row::path);
  return rows;
}

std::vector<Row> rows_of(const service::Prepared& prepared, const Palette& colours) {
  const Boundary& boundary = prepared.boundary;
  std::vector<Row> rows;
  for (const Grant& grant : boundary.grants()) {
    const bool write = grant.access == Access::Write;
    rows.push_back({grant.path, grant.access == Access::None ? "hidden" : std::string(to_text(grant.access)),
                    grant.origin,
                    write                          ? colours.good
                    : grant.access == Access::None ? colours.bad
                                                   : colours.plain});
    if (!grant.layers.empty()) rows.back().origin += ", in stage " + std::string(grant.layers.front().parent().name());
    if (grant.source != grant.path) rows.back().origin += ": " + grant.source.text();
  }
  for (const Protection& protection : boundary.protections()) {
    rows.push_back({protection.path, "protected", protection.origin, colours.warn});
  }
  if (prepared.plan.backend == plan::Backend::Landlock) return sorted(std::move(rows));
  for (const Fixture& fixture : kFixtures) {
    rows.push_back({Path::literal(fixture.path), std::string(to_text(access_at(boundary, fixture))),
                    std::string(fixture.sentence), colours.dim});
  }
  return sorted(std::move(rows));
}

// Indented below the nearest row above it, and named from there.
std::string tree_lines(const std::vector<Row>& rows, const Palette& colours) {
  std::string text;
  std::vector<const Row*> above;
  for (const Row& row : rows) {
    while (!above.empty() && (!above.back()->path.covers(row.path) || above.back()->path == row.path)) above.pop_back();
    const std::string name(above.empty() ? row.path.text() : std::string(above.back()->path.below(row.path)));
    text += padded(std::string(2 + 2 * above.size(), ' ') + printable(name) + " ", 44) + std::string(row.colour) +
            padded(row.what, 10) + std::string(colours.plain) + " " + std::string(colours.dim) + printable(row.origin) +
            std::string(colours.plain) + "\n";
    above.push_back(&row);
  }
  return text;
}

std::string from(std::string_view origin, const Palette& colours) {
  return "  " + std::string(colours.dim) + printable(origin) + std::string(colours.plain) + "\n";
}

std::string limit_line(std::string_view name, std::string_view flag, const std::optional<std::uint64_t>& most,
                       const std::optional<project::Said<std::uint64_t>>& said, const Palette& colours) {
  if (!most) return {};
  const bool by_manifest = said && said->value == *most;
  return "  " + std::string(name) + " " + std::to_string(*most) + from(by_manifest ? said->where : flag, colours);
}

std::string limit_lines(const service::Prepared& prepared, const Palette& colours) {
  const Limits& limits = prepared.boundary.limits();
  const project::Settings& settings = prepared.terms.settings;
  const std::string lines = limit_line("memory", "--memory", limits.memory, settings.memory, colours) +
                            limit_line("pids", "--pids", limits.pids, settings.pids, colours) +
                            limit_line("seconds", "--timeout", limits.seconds, settings.seconds, colours);
  return lines.empty() ? "  none\n" : lines;
}

std::string host_lines(const service::Prepared& prepared, const Palette& colours) {
  std::string text;
  for (const HostRule& rule : prepared.boundary.hosts()) text += "    " + to_text(rule) + from(rule.origin, colours);
  for (const Credential& credential : prepared.boundary.credentials())
    text += "    key " + printable(credential.name) + " for " + credential.host +
            ", at 127.0.0.1:" + std::to_string(credential.door) + from("config.toml", colours);
  const Limits& limits = prepared.boundary.limits();
  const auto add = [&](const char* name, const std::optional<std::uint64_t>& most) {
    if (most) text += "    at most " + std::to_string(*most) + " " + name + "\n";
  };
  add("connections", limits.connections);
  add("requests", limits.requests);
  add("bytes", limits.traffic);
  add("bytes with each host", limits.host_traffic);
  return text;
}

std::string network_line(const service::Prepared& prepared, const Palette& colours) {
  const project::Said<project::NetworkMode>& network = prepared.terms.network;
  std::string text = "  " + std::string(to_text(prepared.boundary.network()));
  if (prepared.boundary.network() == Network::Open) {
    text += ": the host's";
  } else if (prepared.boundary.network() == Network::Allow) {
    text += prepared.terms.observe ? ": every public host, through a proxy that writes them down"
                                   : ": these hosts, through a proxy";
    return text + from(network.where, colours) + host_lines(prepared, colours);
  } else {
    text += prepared.plan.sockets == plan::Sockets::None ? ": no sockets at all" : ": loopback only";
  }
  return text + from(network.where, colours);
}

std::string project_lines(const service::Prepared& prepared, const Palette& colours) {
  const project::Project& project = prepared.resolved.project;
  std::string text = "Project " + printable(project.id()) + "\n  " + printable(project.root().text()) +
                     from(to_text(prepared.resolved.reason), colours);
  if (prepared.resolved.through_link) text += "  (the path given leads there through a symbolic link)\n";
  const project::TrustLevel& level = project::level_of(prepared.terms.trust.value);
  return text + "\nTrust\n  " + std::string(level.name) + ": " + std::string(level.meaning) +
         from(prepared.terms.trust.where, colours);
}

// What a manifest says and another command keeps.
std::string declared_lines(const project::Settings& settings, const Palette& colours) {
  std::string text;
  for (const project::Declared& word : settings.declared)
    text += "  " + printable(word.key) + " = " + printable(word.value) + from(word.where, colours);
  return text.empty() ? text : "\nDeclared, for whoever asks\n" + text;
}

}  // namespace

std::string boundary_tree(const service::Prepared& prepared, const Palette& colours) {
  const Boundary& boundary = prepared.boundary;
  std::string text = project_lines(prepared, colours);
  const bool landlock = prepared.plan.backend == plan::Backend::Landlock;
  text += "\nPaths\n" + tree_lines(rows_of(prepared, colours), colours);
  text += landlock ? "  everything else cannot be opened\n" : "  everything else does not exist inside\n";
  text += "\nNetwork\n" + network_line(prepared, colours);
  text += "\nEnvironment\n";
  // Values may be secrets: a name and where it came from is what can be shown.
  for (const Variable& variable : boundary.environment())
    text += "  " + printable(variable.name) + from(variable.origin, colours);
  text += "\nLimits\n" + limit_lines(prepared, colours);
  text += declared_lines(prepared.terms.settings, colours);
  text += "\nEnforced by\n  " + std::string(plan::to_text(prepared.plan.backend)) + "\n";
  for (const std::string_view line : prepared.plan.refused) text += "  refused: " + std::string(line) + "\n";
  for (const std::string& line : prepared.plan.weaker) text += "  weaker: " + printable(line) + "\n";
  return text;
}

std::string plan_lines(const service::Prepared& prepared) {
  std::string text = plan::to_text(prepared.plan);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) text.insert(at, "  ");
  return text;
}

}  // namespace pale::cli
