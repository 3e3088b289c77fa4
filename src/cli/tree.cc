#include "cli/tree.h"

#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "boundary/json.h"

namespace pale::cli {
namespace {

struct Row {
  Path path;
  std::string what;
  std::string origin;
  std::string_view colour;
};

std::vector<Row> rows_of(const Boundary& boundary, const Palette& colours) {
  std::vector<Row> rows;
  for (const Grant& grant : boundary.grants()) {
    const bool write = grant.access == Access::Write;
    rows.push_back({grant.path, grant.access == Access::None ? "hidden" : std::string(to_text(grant.access)), grant.origin,
                    write ? colours.good : grant.access == Access::None ? colours.bad : colours.plain});
    if (grant.source != grant.path) rows.back().origin += ": " + grant.source.text();
  }
  for (const Protection& protection : boundary.protections()) {
    rows.push_back({protection.path, "protected", protection.origin, colours.warn});
  }
  for (const Fixture& fixture : kFixtures) {
    rows.push_back({Path::literal(fixture.path), std::string(to_text(fixture.access)), std::string(fixture.sentence), colours.dim});
  }
  std::ranges::sort(rows, {}, &Row::path);
  return rows;
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

}  // namespace

std::string boundary_tree(const service::Prepared& prepared, const Palette& colours) {
  const Boundary& boundary = prepared.boundary;
  std::string text = "Project " + printable(prepared.root.path.text()) + "\n";
  if (prepared.root.through_link) text += "  (the path given leads there through a symbolic link)\n";
  text += "\nPaths\n" + tree_lines(rows_of(boundary, colours), colours) + "  everything else does not exist inside\n";
  text += "\nNetwork\n  " + std::string(to_text(boundary.network())) +
          (boundary.network() == Network::None ? ": loopback only\n" : ": the host's\n");
  text += "\nEnvironment\n";
  for (const Variable& variable : boundary.environment()) {
    // Values may be secrets: a name and where it came from is what can be shown.
    text += "  " + printable(variable.name) + "  " + std::string(colours.dim) + printable(variable.origin) + std::string(colours.plain) + "\n";
  }
  const Limits& limits = boundary.limits();
  const std::string lines = limit_line("memory", limits.memory) + limit_line("pids", limits.pids) + limit_line("seconds", limits.seconds);
  text += "\nLimits\n" + (lines.empty() ? "  none\n" : lines);
  text += "\nEnforced by\n  " + std::string(plan::to_text(prepared.plan.backend)) + "\n";
  for (const std::string& line : prepared.plan.weaker) text += "  weaker: " + printable(line) + "\n";
  return text;
}

std::string boundary_json(const service::Prepared& prepared) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("project", prepared.root.path.text());
  out.field("backend", plan::to_text(prepared.plan.backend)).key("boundary");
  write_json(out, prepared.boundary);
  out.key("weaker").begin_array();
  for (const std::string& line : prepared.plan.weaker) out.value(line);
  out.end_array().end_object();
  return out.text() + "\n";
}

std::string plan_lines(const service::Prepared& prepared) {
  std::string text = printable(plan::to_text(prepared.plan));
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) text.insert(at, "  ");
  return text;
}

}  // namespace pale::cli
