#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/program.h"
#include "service/doctor.h"

namespace pale::cli {
namespace {

using service::Finding;
using service::Health;

std::string_view to_text(Health health) {
  switch (health) {
    case Health::Ok: return "ok";
    case Health::Warn: return "warn";
    case Health::Fail: return "fail";
  }
  return "fail";
}

std::string finding_lines(const Finding& finding, const Palette& colours) {
  const std::string_view colour = finding.health == Health::Ok     ? colours.good
                                  : finding.health == Health::Warn ? colours.warn
                                                                   : colours.bad;
  std::string text = std::string(colour) + padded(std::string(to_text(finding.health)), 5) +
                     std::string(colours.plain) + " " + padded(finding.name, 24) + printable(finding.found) + "\n";
  if (!finding.follows.empty()) text += "        " + printable(finding.follows) + "\n";
  if (!finding.fix.empty()) text += "        fix: " + printable(finding.fix) + "\n";
  return text;
}

std::string findings_json(const std::vector<Finding>& findings) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("version", kVersion).key("findings").begin_array();
  for (const Finding& finding : findings) {
    out.begin_object()
        .field("name", finding.name)
        .field("health", to_text(finding.health))
        .field("found", finding.found);
    out.field("follows", finding.follows).field("fix", finding.fix).end_object();
  }
  out.end_array().end_object();
  return out.text() + "\n";
}

}  // namespace

int doctor_command(const CommandLine& line) {
  const auto arguments = parse_for("doctor", line, 0, 0);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const service::Caller caller{line.argv, line.envp};
  const std::vector<Finding> findings = service::examine(caller);
  if (arguments->has("--json")) {
    print(findings_json(findings));
  } else {
    for (const Finding& finding : findings) print(finding_lines(finding, palette(!caller.has_variable("NO_COLOR"))));
  }
  const bool sound =
      std::ranges::none_of(findings, [](const Finding& finding) { return finding.health == Health::Fail; });
  return sound ? 0 : 1;
}

}  // namespace pale::cli
