#include "cli/tree.h"

#include <algorithm>

#include "base/text.h"

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
    if (grant.source != grant.path) rows.back().origin += ": " + grant.source.text();
  }
  for (const Protection& protection : boundary.protections()) {
    rows.push_back({protection.path, "protected", protection.origin, colours.warn});
  }
  if (prepared.plan.backend == plan::Backend::Landlock) return sorted(std::move(rows));
  for (const Fixture& fixture : kFixtures) {
    rows.push_back({Path::literal(fixture.path), std::string(to_text(fixture.access)), std::string(fixture.sentence),
                    colours.dim});
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
    std::string line = std::string(2 + 2 * above.size(), ' ') + printable(name);
    line.resize(std::max<std::size_t>(line.size() + 2, 44), ' ');
    std::string what = row.what;
    what.resize(std::max<std::size_t>(what.size() + 1, 10), ' ');
    text += line + std::string(row.colour) + what + std::string(colours.plain) + " " + std::string(colours.dim) +
            printable(row.origin) + std::string(colours.plain) + "\n";
    above.push_back(&row);
  }
  return text;
}

std::string limit_line(std::string_view name, const std::optional<std::uint64_t>& most) {
  return most ? "  " + std::string(name) + " " + std::to_string(*most) + "\n" : std::string();
}

std::string_view network_meaning(const service::Prepared& prepared) {
  if (prepared.boundary.network() == Network::Open) return ": the host's";
  return prepared.plan.sockets == plan::Sockets::UnixOnly ? ": no internet sockets at all" : ": loopback only";
}

}  // namespace

std::string boundary_tree(const service::Prepared& prepared, const Palette& colours) {
  const Boundary& boundary = prepared.boundary;
  std::string text = "Project " + printable(prepared.root.path.text()) + "\n";
  if (prepared.root.through_link) text += "  (the path given leads there through a symbolic link)\n";
  const bool landlock = prepared.plan.backend == plan::Backend::Landlock;
  text += "\nPaths\n" + tree_lines(rows_of(prepared, colours), colours);
  text += landlock ? "  everything else cannot be opened\n" : "  everything else does not exist inside\n";
  text += "\nNetwork\n  " + std::string(to_text(boundary.network())) + std::string(network_meaning(prepared)) + "\n";
  text += "\nEnvironment\n";
  for (const Variable& variable : boundary.environment()) {
    // Values may be secrets: a name and where it came from is what can be shown.
    text += "  " + printable(variable.name) + "  " + std::string(colours.dim) + printable(variable.origin) +
            std::string(colours.plain) + "\n";
  }
  const Limits& limits = boundary.limits();
  const std::string lines =
      limit_line("memory", limits.memory) + limit_line("pids", limits.pids) + limit_line("seconds", limits.seconds);
  text += "\nLimits\n" + (lines.empty() ? "  none\n" : lines);
  text += "\nEnforced by\n  " + std::string(plan::to_text(prepared.plan.backend)) + "\n";
  for (const std::string& line : prepared.plan.weaker) text += "  weaker: " + printable(line) + "\n";
  return text;
}

std::string plan_lines(const service::Prepared& prepared) {
  std::string text = plan::to_text(prepared.plan);
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) text.insert(at, "  ");
  return text;
}

}  // namespace pale::cli
