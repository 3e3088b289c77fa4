#include <algorithm>

#include "base/json.h"
#include "base/text.h"
#include "base/time.h"
#include "cli/program.h"
#include "cli/tenant.h"
#include "sys/event.h"

namespace pale::cli {
namespace {

constexpr Option kProject = {"-p", "ID", "the managed project (pale project list)"};
constexpr Option kJson = {"--json", "", "print as JSON"};

constexpr Option kCreate[] = {kProject,
                              {"--external-id", "TEXT", "whom it belongs to, in your own words"},
                              {"--source", "TEXT", "where that one came from, such as signal"},
                              kJson};
constexpr Option kList[] = {kProject, {"--ids", "", "print the ids, one a line"}, kJson};
constexpr Option kShow[] = {kProject, kJson};
constexpr Option kDelete[] = {kProject, {"--force", "", "end its session first"}, {"--yes", "", "do not ask"}, kJson};

std::string last_session(const tenant::Workspace& workspace, std::int64_t now) {
  return workspace.last_session_at == 0 ? "never" : time_ago(workspace.last_session_at, now);
}

std::string list_lines(const std::vector<service::ManagedWorkspace>& workspaces, std::int64_t now) {
  std::size_t width = 11;
  for (const auto& each : workspaces) width = std::max(width, printable(each.workspace.external_id).size());
  std::string text = padded("ID", 38) + padded("EXTERNAL ID", width + 2) + padded("CREATED", 18) + "LAST SESSION\n";
  for (const auto& [workspace, directory, live] : workspaces) {
    text += padded(workspace.id, 38) + padded(printable(workspace.external_id), width + 2) +
            padded(time_ago(workspace.created_at, now), 18) + last_session(workspace, now) +
            (live == 0 ? "" : "  (live)") + "\n";
  }
  return text;
}

std::string list_json(const std::string& project, const std::vector<service::ManagedWorkspace>& workspaces) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("project", project).key("workspaces").begin_array();
  for (const auto& workspace : workspaces) {
    out.begin_object();
    service::write_members(out, workspace);
    out.end_object();
  }
  out.end_array().end_object();
  return out.text() + "\n";
}

void write_copied(JsonWriter& out, const tenant::Copied& copied) {
  out.key("copied").begin_array();
  for (const std::string& name : copied.names) out.value(name);
  out.end_array().key("left_out").begin_array();
  for (const auto& [path, reason] : copied.left_out)
    out.begin_object().field("path", path).field("reason", reason).end_object();
  out.end_array();
}

std::string one_json(const std::string& project, const service::ManagedWorkspace& workspace,
                     const tenant::Copied* copied) {
  JsonWriter out;
  out.begin_object().field("schemaVersion", 1).field("project", project);
  service::write_members(out, workspace);
  if (copied != nullptr) write_copied(out, *copied);
  out.end_object();
  return out.text() + "\n";
}

std::string show_lines(const std::string& project, const service::ManagedWorkspace& shown, std::int64_t now) {
  const tenant::Workspace& workspace = shown.workspace;
  std::string text = shown_line("id", workspace.id) + shown_line("project", project) +
                     shown_line("directory", printable(shown.directory.text())) +
                     shown_line("created", to_iso(workspace.created_at)) +
                     shown_line("last session", last_session(workspace, now));
  if (!workspace.external_id.empty()) text += shown_line("external id", printable(workspace.external_id));
  if (!workspace.source.empty()) text += shown_line("source", printable(workspace.source));
  return text + shown_line("sessions", std::to_string(shown.live_sessions) + " live");
}

void print_left_out(const tenant::Copied& copied) {
  for (const auto& [path, reason] : copied.left_out) print_note("not copied: " + path + ", " + reason);
}

Status check_delete(const TenantCall& call, const std::string& project, const std::string& id,
                    service::IfLive if_live) {
  const auto shown = service::get_workspace(call.pale_home, project, id);
  // One that is damaged can be deleted; one that is not there cannot.
  if (!shown && (shown.error().kind == ErrorKind::NotFound || shown.error().kind == ErrorKind::Usage))
    return std::unexpected(shown.error());
  if (shown && shown->live_sessions != 0 && if_live == service::IfLive::Refuse) return {};
  const std::string what = "workspace " + id + " with all that is in it";
  return call.may_destroy(
      "Delete " + what + "?", what,
      "pale workspace delete -p " + project + " " + id + (if_live == service::IfLive::EndThem ? " --force" : ""));
}

}  // namespace

std::span<const Option> workspace_create_options() { return kCreate; }
std::span<const Option> workspace_list_options() { return kList; }
std::span<const Option> workspace_show_options() { return kShow; }
std::span<const Option> workspace_delete_options() { return kDelete; }

int workspace_create_command(const CommandLine& line) {
  const auto call = TenantCall::parse("workspace create", line, 0, 0);
  if (!call) return fail_with(call.error(), Format::Text);
  const auto project = call->project();
  if (!project) return fail_with(project.error(), call->format);
  const auto made = service::create_workspace(
      call->pale_home, *project, {call->arguments.value("--external-id"), call->arguments.value("--source")});
  if (!made) return fail_with(made.error(), call->format);
  if (call->format == Format::Json) {
    print(one_json(*project, made->made, &made->copied));
    return 0;
  }
  print("Made workspace " + made->made.workspace.id + " in " + printable(made->made.directory.text()) + "\n");
  for (const std::string& name : made->copied.names) print("  copied " + name + "\n");
  print_left_out(made->copied);
  return 0;
}

int workspace_list_command(const CommandLine& line) {
  const auto call = TenantCall::parse("workspace list", line, 0, 0);
  if (!call) return fail_with(call.error(), Format::Text);
  const auto project = call->project();
  if (!project) return fail_with(project.error(), call->format);
  const auto all = service::list_workspaces(call->pale_home, *project);
  if (!all) return fail_with(all.error(), call->format);
  print_damaged(all->damaged);
  if (call->format == Format::Json) {
    print(list_json(*project, all->workspaces));
  } else if (call->arguments.has("--ids")) {
    for (const auto& each : all->workspaces) print(each.workspace.id + "\n");
  } else if (all->workspaces.empty()) {
    print_note("no workspaces yet; pale workspace create -p " + *project + " makes one");
  } else {
    print(list_lines(all->workspaces, sys::wall_clock_seconds()));
  }
  return 0;
}

int workspace_show_command(const CommandLine& line) {
  const auto call = TenantCall::parse("workspace show", line, 1, 1);
  if (!call) return fail_with(call.error(), Format::Text);
  const auto project = call->project();
  if (!project) return fail_with(project.error(), call->format);
  const auto shown = service::get_workspace(call->pale_home, *project, call->arguments.operands.front());
  if (!shown) return fail_with(shown.error(), call->format);
  print(call->format == Format::Json ? one_json(*project, *shown, nullptr)
                                     : show_lines(*project, *shown, sys::wall_clock_seconds()));
  return 0;
}

int workspace_delete_command(const CommandLine& line) {
  const auto call = TenantCall::parse("workspace delete", line, 1, 1);
  if (!call) return fail_with(call.error(), Format::Text);
  const auto project = call->project();
  if (!project) return fail_with(project.error(), call->format);
  const std::string& id = call->arguments.operands.front();
  const auto if_live = call->arguments.has("--force") ? service::IfLive::EndThem : service::IfLive::Refuse;
  const auto allowed = check_delete(*call, *project, id, if_live);
  if (!allowed) return fail_with(allowed.error(), call->format);
  const auto done = service::delete_workspace(call->pale_home, *project, id, if_live);
  if (!done) return fail_with(done.error(), call->format);
  if (call->format == Format::Json) {
    JsonWriter out;
    out.begin_object().field("schemaVersion", 1).field("project", *project).field("id", id).field("deleted", true);
    print(out.end_object().text() + "\n");
  } else {
    print("Deleted workspace " + id + "\n");
  }
  return 0;
}

}  // namespace pale::cli
