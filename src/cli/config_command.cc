#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "cli/console.h"
#include "cli/program.h"
#include "cli/request.h"
#include "service/settings.h"

namespace pale::cli {
namespace {

constexpr Option kOptions[] = {
    {"--project-root", "DIR", "of the project in a directory"},
    {"-p", "ID", "of a registered project"},
};
constexpr Option kListOptions[] = {
    {"--project-root", "DIR", "what counts for the project in a directory"},
    {"-p", "ID", "what counts for a registered project; without either, for the one you stand in"},
    {"--workspace", "DIR,DIR…", "as if a run was told these folders"},
    {"--workspace-mode", "MODE", "as if a run was told this mode"},
    {"--preset", "NAME", "as if a run was narrowed by [presets.NAME]"},
    {"--prd", "FILE", "as if a loop worked through this prd.json"},
    {"--show-origin", "", "say where each value comes from"},
    {"--json", "", "print as JSON"},
};

project::Named named_by(const Arguments& arguments) {
  return {arguments.value("--project-root"), arguments.value("-p")};
}

std::string config_lines(const std::vector<service::ConfigLine>& lines, bool with_origin) {
  std::string text;
  std::string project;
  for (const service::ConfigLine& line : lines) {
    if (line.project != project) text += "\n" + printable(line.project) + "\n";
    project = line.project;
    const std::string value = printable(line.value.empty() ? "(none)" : line.value);
    text += padded((project.empty() ? "" : "  ") + line.key, 16);
    text += (with_origin ? padded(value, 28) + printable(line.origin) : value) + "\n";
  }
  return text;
}

std::string config_json(const std::vector<service::ConfigLine>& lines) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).key("settings").begin_array();
  for (const service::ConfigLine& line : lines) {
    out.begin_object().key("project");
    line.project.empty() ? out.null() : out.value(line.project);
    out.field("key", line.key).field("value", line.value).field("origin", line.origin).end_object();
  }
  out.end_array().end_object();
  return out.text() + "\n";
}

int change(const CommandLine& line, std::string_view name, project::ConfigChange what, std::size_t least,
           std::size_t most) {
  const auto arguments = parse_for(name, line, least, most);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const std::string& key = arguments->operands.front();
  const std::vector<std::string> values(arguments->operands.begin() + 1, arguments->operands.end());
  const auto done = service::set_config(what, key, values, named_by(*arguments), {line.argv, line.envp});
  return done ? 0 : fail_with(done.error(), Format::Text);
}

constexpr std::size_t kMany = 100;

}  // namespace

std::span<const Option> config_options() { return kOptions; }
std::span<const Option> config_list_options() { return kListOptions; }

int config_list_command(const CommandLine& line) {
  const auto arguments = parse_for("config list", line, 0, 0);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const Format format = arguments->has("--json") ? Format::Json : Format::Text;
  auto request = request_of(*arguments);
  if (!request) return fail_with(request.error(), format);
  const service::Wished wished{std::move(request->project), std::move(request->workspace), std::move(request->preset),
                               arguments->value("--prd")};
  const auto lines = service::list_config(wished, {line.argv, line.envp});
  if (!lines) return fail_with(lines.error(), format);
  print(format == Format::Json ? config_json(*lines) : config_lines(*lines, arguments->has("--show-origin")));
  return 0;
}

int config_get_command(const CommandLine& line) {
  const auto arguments = parse_for("config get", line, 1, 1);
  if (!arguments) return fail_with(arguments.error(), Format::Text);
  const auto values = service::get_config(arguments->operands.front(), named_by(*arguments), {line.argv, line.envp});
  if (!values) return fail_with(values.error(), Format::Text);
  for (const std::string& value : *values) print(value + "\n");
  return values->empty() ? 1 : 0;
}

int config_set_command(const CommandLine& line) {
  return change(line, "config set", project::ConfigChange::Set, 2, kMany);
}
int config_add_command(const CommandLine& line) {
  return change(line, "config add", project::ConfigChange::Add, 2, kMany);
}
int config_unset_command(const CommandLine& line) {
  return change(line, "config unset", project::ConfigChange::Unset, 1, 1);
}

}  // namespace pale::cli
