#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/program.h"
#include "cli/request.h"
#include "cli/tree.h"
#include "service/explain.h"

namespace pale::cli {
namespace {

std::string verdict_lines(const service::PathExplanation& explanation, const Palette& colours) {
  std::string text = printable(explanation.path.text());
  if (explanation.leads_to != explanation.path) text += " → " + printable(explanation.leads_to.text());
  text += "\n";
  for (const auto& [operation, verdict] : explanation.verdicts) {
    text += "  " + padded(std::string(to_text(operation)), 9) +
            std::string(verdict.allowed() ? colours.good : colours.bad) +
            padded(std::string(to_text(verdict.outcome)) + " ", 24) + std::string(colours.plain) +
            printable(verdict.rule) + std::string(colours.dim) + "  (" + printable(verdict.origin) + ")" +
            std::string(colours.plain) + "\n";
  }
  return text;
}

std::string verdict_json(const service::PathExplanation& explanation) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("path", explanation.path.text());
  out.field("leads_to", explanation.leads_to.text()).key("verdicts").begin_array();
  for (const auto& [operation, verdict] : explanation.verdicts) {
    out.begin_object().field("operation", to_text(operation)).field("outcome", to_text(verdict.outcome));
    out.field("rule", verdict.rule).field("origin", verdict.origin).end_object();
  }
  out.end_array().end_object();
  return out.text() + "\n";
}

}  // namespace

std::span<const Option> explain_options() { return kBoundaryOptions; }

int explain_command(const CommandLine& line) {
  const auto arguments = parse_arguments(line.words, kBoundaryOptions, AfterDashes::Forbidden);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const Format format = arguments->has("--json") ? Format::Json : Format::Text;
  if (arguments->operands.size() > 1) {
    return fail_with({ErrorKind::Usage, 0, "one path at a time:", arguments->operands[1], "pale explain PATH"}, format);
  }
  const auto request = request_of(*arguments);
  if (!request) return fail_with(request.error(), format);
  const service::Caller caller{line.argv, line.envp};
  const auto prepared = service::prepare(*request, caller);
  if (!prepared) return fail_with(prepared.error(), format);
  const Palette colours = palette(!caller.has_variable("NO_COLOR"));
  if (arguments->operands.empty()) {
    print(format == Format::Json ? service::to_json(*prepared) : boundary_tree(*prepared, colours));
    return 0;
  }
  const auto explanation = service::explain_path(*prepared, arguments->operands.front());
  if (!explanation) return fail_with(explanation.error(), format);
  print(format == Format::Json ? verdict_json(*explanation) : verdict_lines(*explanation, colours));
  return 0;
}

}  // namespace pale::cli
