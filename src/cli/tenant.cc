#include "cli/tenant.h"

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "service/prepare.h"

namespace pale::cli {
namespace {

std::string list_of(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += (all.empty() ? "" : ", ") + printable(text);
  return all.empty() ? "none" : all;
}

std::string limits_of(const tenant::Limits& limits) {
  std::string all;
  const auto add = [&](std::string_view name, const std::optional<std::uint64_t>& value, std::string_view unit) {
    if (value) all += (all.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(*value) + std::string(unit);
  };
  add("sessions", limits.sessions, "");
  add("memory", limits.memory, " bytes");
  add("pids", limits.pids, "");
  add("disk", limits.disk, " bytes");
  add("time", limits.seconds, "s");
  return all.empty() ? "none" : all;
}

}  // namespace

Result<TenantCall> TenantCall::parse(std::string_view name, const CommandLine& line, std::size_t least,
                                     std::size_t most) {
  PALE_TRY(arguments, parse_for(name, line, least, most));
  PALE_TRY(pale_home, service::pale_home_of({line.argv, line.envp}));
  const Format format = arguments.has("--json") ? Format::Json : Format::Text;
  return TenantCall{std::move(arguments), std::move(pale_home), format};
}

Result<std::string> TenantCall::project() const {
  if (arguments.has("-p")) return arguments.value("-p");
  return fail(ErrorKind::Usage, "nothing says which managed project this is about", "", "-p ID (pale project list)");
}

Status TenantCall::may_destroy(const std::string& question, const std::string& what, const std::string& again) const {
  if (arguments.has("--yes") || confirm(question)) return {};
  return fail(ErrorKind::Refused, "this would lose", what, again + " --yes");
}

std::string shown_line(std::string_view name, const std::string& value) {
  return padded(std::string(name), 14) + value + "\n";
}

void write_managed(JsonWriter& out, const service::ManagedProject& project) {
  service::write_members(out, project);
  out.key("manifest").null().field("workspace_type", "managed").field("last_used", to_iso(project.last_used));
  out.field("registered", false).field("default", false);
}

std::string managed_json(const service::ManagedProject& project) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1);
  write_managed(out, project);
  out.end_object();
  return out.text() + "\n";
}

std::string managed_lines(const service::ManagedProject& managed, std::int64_t now) {
  const tenant::Project& project = managed.project;
  const tenant::Settings& settings = project.settings;
  std::string text = shown_line("id", project.id) + shown_line("name", printable(settings.name));
  if (!settings.description.empty()) text += shown_line("description", printable(settings.description));
  text += shown_line("root", printable(managed.root.text())) + shown_line("type", "managed") +
          shown_line("created", to_iso(project.created_at)) +
          shown_line("last used", time_ago(managed.last_used, now)) +
          shown_line("isolation", settings.workspace_isolation ? "yes" : "no") +
          shown_line("protected", list_of(settings.protected_paths)) + shown_line("limits", limits_of(settings.limits));
  if (settings.max_recursion_depth) text += shown_line("recursion", std::to_string(*settings.max_recursion_depth));
  return text + shown_line("sessions", std::to_string(managed.live_sessions) + " live");
}

void print_damaged(const std::vector<Error>& damaged) {
  for (const Error& error : damaged) print_error(error, Format::Text);
}

}  // namespace pale::cli
