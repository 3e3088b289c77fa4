#include "base/json.h"
#include "keeper/tool.h"
#include "keeper/tools.h"
#include "service/tenants.h"

namespace pale::keeper {
namespace {

using boost::asio::awaitable;
using mcp::flag_schema;
using mcp::list_schema;
using mcp::object_schema;
using mcp::text_schema;

Json nullable(const char* description) { return {{"type", {"string", "null"}}, {"description", description}}; }

Json workspace_schema() {
  return answer_schema({{"id", workspace_id()},
                        {"created_at", text_schema("When it was made.")},
                        {"last_session_at", nullable("When a session was started in it last.")},
                        {"external_id", nullable("Whom it belongs to.")},
                        {"source", nullable("Where that one came from.")}});
}

Json to_json(const std::string& project, const service::ManagedWorkspace& workspace) {
  JsonWriter out;
  out.begin_object();
  service::write_members(out, workspace);
  out.end_object();
  Json json = parsed(out.text());
  json["project_id"] = project;
  return json;
}

Answer created(const std::string& project, const Result<service::MadeWorkspace>& made) {
  if (!made) return std::unexpected(made.error());
  Json json = to_json(project, made->made);
  json["copied"] = made->copied.names;
  Json left = Json::array();
  for (const tenant::LeftOut& each : made->copied.left_out)
    left.push_back({{"path", each.path}, {"reason", each.reason}});
  json["left_out"] = std::move(left);
  return json;
}

Answer list(const Keeper& keeper, const std::string& project) {
  PALE_TRY(all, service::list_workspaces(keeper.pale_home(), project));
  Json workspaces = Json::array();
  for (const service::ManagedWorkspace& workspace : all.workspaces) workspaces.push_back(to_json(project, workspace));
  Json damaged = Json::array();
  for (const Error& error : all.damaged) damaged.push_back(error.sentence());
  return Json{{"workspaces", std::move(workspaces)}, {"damaged", std::move(damaged)}};
}

Json both_ids() { return {{"project_id", project_id()}, {"workspace_id", workspace_id()}}; }

}  // namespace

void add_workspace_tools(mcp::Server& server, Keeper& keeper) {
  server.add(
      make_tool({"workspace_create", "Create a workspace",
                 "A directory of its own for one user or task. Where workspaces are isolated, the project's AGENTS.md "
                 "and .factory/ are copied into it."},
                Need::Write,
                object_schema({{"project_id", project_id()},
                               {"external_id", text_schema("Whom it belongs to, in your own words.")},
                               {"source", text_schema("Where that one came from, such as signal.")}},
                              {"project_id"}),
                workspace_schema(), [&keeper](Call& call) -> awaitable<Answer> {
                  const std::string project = call.text("project_id");
                  PALE_CO_CHECK(check_project(call, project, Need::Write));
                  const tenant::NewWorkspace wanted{call.maybe_text("external_id").value_or(""),
                                                    call.maybe_text("source").value_or("")};
                  co_return created(project, co_await call.on_pool([&] {
                    return service::create_workspace(keeper.pale_home(), project, wanted);
                  }));
                }));
  server.add(
      make_tool({"workspace_list", "List workspaces", "The workspaces of a project, the oldest first."}, Need::Read,
                object_schema({{"project_id", project_id()}}, {"project_id"}),
                answer_schema({{"workspaces", list_schema("The workspaces.", workspace_schema())},
                               {"damaged", list_schema("Those that cannot be read, and why.", text_schema("Why."))}}),
                [&keeper](Call& call) -> awaitable<Answer> {
                  const std::string project = call.text("project_id");
                  PALE_CO_CHECK(check_project(call, project, Need::Read));
                  co_return co_await call.on_pool([&] { return list(keeper, project); });
                }));
  server.add(make_tool(
      {"workspace_get", "Show a workspace", "What is known of a workspace, and whether a session lives in it."},
      Need::Read, object_schema(both_ids(), {"project_id", "workspace_id"}), workspace_schema(),
      [&keeper](Call& call) -> awaitable<Answer> {
        const std::string project = call.text("project_id");
        PALE_CO_CHECK(check_project(call, project, Need::Read));
        const auto workspace = co_await call.on_pool(
            [&] { return service::get_workspace(keeper.pale_home(), project, call.text("workspace_id")); });
        if (!workspace) co_return std::unexpected(workspace.error());
        co_return to_json(project, *workspace);
      }));
  Json to_delete = both_ids();
  to_delete["force"] = flag_schema("End its session first.");
  server.add(make_tool(
      {"workspace_delete", "Delete a workspace",
       "With all that is in it. Refused while a session lives in it, unless force is true: then that is ended "
       "first."},
      Need::Write, object_schema(std::move(to_delete), {"project_id", "workspace_id"}),
      answer_schema({{"workspace_id", workspace_id()}, {"deleted", flag_schema("true.")}}),
      [&keeper](Call& call) -> awaitable<Answer> {
        const std::string project = call.text("project_id");
        PALE_CO_CHECK(check_project(call, project, Need::Write));
        const std::string id = call.text("workspace_id");
        const bool force = call.has("force") && call.flag("force");
        const Status deleted = co_await call.on_pool([&] {
          return service::delete_workspace(keeper.pale_home(), project, id,
                                           force ? service::IfLive::EndThem : service::IfLive::Refuse);
        });
        PALE_CO_CHECK(deleted);
        co_return Json{{"workspace_id", id}, {"deleted", true}};
      }));
}

}  // namespace pale::keeper
