#include "base/amount.h"
#include "base/json.h"
#include "history/tokens.h"
#include "keeper/tool.h"
#include "keeper/tools.h"
#include "service/tenants.h"

namespace pale::keeper {
namespace {

using boost::asio::awaitable;
using mcp::flag_schema;
using mcp::list_schema;
using mcp::number_schema;
using mcp::object_schema;
using mcp::text_schema;

struct LimitArgument {
  const char* name;
  std::optional<std::uint64_t> tenant::Limits::* member;
  const char* description;
  Measure measure;
};
constexpr LimitArgument kLimits[] = {
    {"sessions", &tenant::Limits::sessions, "Sessions that may live at a time.", measure::kTasks},
    {"memory", &tenant::Limits::memory, "Bytes of memory of all its sessions together.", measure::kBytes},
    {"pids", &tenant::Limits::pids, "Processes and threads of all its sessions together.", measure::kTasks},
    {"disk", &tenant::Limits::disk, "Bytes on disk of all its workspaces together.", measure::kBytes},
    {"seconds", &tenant::Limits::seconds, "The longest life of a session.", measure::kSeconds},
};

Json limits_schema() {
  Json properties = Json::object();
  for (const LimitArgument& limit : kLimits)
    properties[limit.name] = {{"type", {"integer", "null"}},
                              {"minimum", 1},
                              {"maximum", limit.measure.most},
                              {"description", limit.description}};
  Json schema = object_schema(std::move(properties));
  schema["description"] =
      "What all sessions of the project may use together; what is left out stays, null takes a limit away.";
  return schema;
}

Json settings_schema() {
  Json depth = number_schema("How deep sessions may start sessions.");
  depth["minimum"] = 0;
  return {
      {"name", text_schema("What people call it.")},
      {"description", text_schema("What it is for.")},
      {"workspace_isolation",
       flag_schema("true: a session sees its own workspace alone, at /workspace. false (usual): it sees the whole "
                   "project there.")},
      {"protected_paths", list_schema("Paths below a workspace that stay as they are, such as AGENTS.md or .factory/. "
                                      "They count only with workspace_isolation.",
                                      text_schema("A path relative to the workspace."))},
      {"limits", limits_schema()},
      {"max_recursion_depth", depth}};
}

Json project_schema() {
  return answer_schema({{"id", text_schema("Its id.")},
                        {"name", text_schema("Its name.")},
                        {"workspace_isolation", flag_schema("Whether sessions see their own workspace alone.")},
                        {"protected_paths", list_schema("What stays as it is.", text_schema("A path."))}});
}

tenant::SettingsChange change_of(const Call& call) {
  tenant::SettingsChange change;
  change.name = call.maybe_text("name");
  change.description = call.maybe_text("description");
  if (call.has("workspace_isolation")) change.workspace_isolation = call.flag("workspace_isolation");
  if (call.has("protected_paths")) change.protected_paths = call.texts("protected_paths");
  if (call.has("max_recursion_depth"))
    change.max_recursion_depth = std::optional(static_cast<std::uint64_t>(call.number("max_recursion_depth")));
  if (!call.has("limits")) return change;
  for (const LimitArgument& limit : kLimits) {
    const Json& limits = call.arguments().at("limits");
    if (!limits.contains(limit.name)) continue;
    const Json& value = limits.at(limit.name);
    change.limits.push_back({limit.member, value.is_null() ? std::nullopt : std::optional(value.get<std::uint64_t>())});
  }
  return change;
}

Json to_json(const service::ManagedProject& project) {
  JsonWriter out;
  out.begin_object();
  service::write_members(out, project);
  out.end_object();
  return parsed(out.text());
}

Answer shown(const Result<service::ManagedProject>& project) {
  if (!project) return std::unexpected(project.error());
  return to_json(*project);
}

// Those that may be seen, and of the others nothing, not even that they are damaged.
Answer list(const Keeper& keeper, const history::Access& access) {
  Json projects = Json::array();
  if (access.may_read_all()) {
    PALE_TRY(all, service::list_managed_projects(keeper.pale_home()));
    for (const service::ManagedProject& project : all.projects) projects.push_back(to_json(project));
    Json damaged = Json::array();
    for (const Error& error : all.damaged) damaged.push_back(error.sentence());
    return Json{{"projects", std::move(projects)}, {"damaged", std::move(damaged)}};
  }
  Json damaged = Json::array();
  for (const std::string& id : access.projects()) {
    const auto project = service::get_managed_project(keeper.pale_home(), id);
    if (project) projects.push_back(to_json(*project));
    if (!project && project.error().kind != ErrorKind::NotFound) damaged.push_back(project.error().sentence());
  }
  return Json{{"projects", std::move(projects)}, {"damaged", std::move(damaged)}};
}

Json update_schema() {
  Json properties = {{"project_id", project_id()}};
  properties.update(settings_schema());
  return object_schema(std::move(properties), {"project_id"});
}

Json create_schema() {
  Json properties = settings_schema();
  properties["id"] =
      text_schema("An id of your choice: lower-case letters, digits and '-'. Usually made from the name.");
  return object_schema(std::move(properties), {"name"});
}

}  // namespace

void add_project_tools(mcp::Server& server, Keeper& keeper) {
  server.add(make_tool({"project_create", "Create a project",
                        "A managed project: a place for workspaces, with settings that count for all of them."},
                       Need::Manage, create_schema(), project_schema(), [&keeper](Call& call) -> awaitable<Answer> {
                         co_return shown(co_await call.on_pool([&] {
                           return service::create_managed_project(keeper.pale_home(),
                                                                  call.maybe_text("id").value_or(""), change_of(call));
                         }));
                       }));
  server.add(make_tool(
      {"project_get", "Show a project", "A project's settings, where it lies, and how many sessions live in it."},
      Need::Read, object_schema({{"project_id", project_id()}}, {"project_id"}), project_schema(),
      [&keeper](Call& call) -> awaitable<Answer> {
        const std::string id = call.text("project_id");
        PALE_CO_CHECK(check_project(call, id, Need::Read));
        co_return shown(co_await call.on_pool([&] { return service::get_managed_project(keeper.pale_home(), id); }));
      }));
  server.add(make_tool(
      {"project_list", "List projects", "The projects that you may see."}, Need::Read, object_schema(Json::object()),
      answer_schema({{"projects", list_schema("The projects.", project_schema())},
                     {"damaged", list_schema("Those that cannot be read, and why.", text_schema("Why."))}}),
      [&keeper](Call& call) -> awaitable<Answer> {
        const history::Access access = access_of(call.principal());
        co_return co_await call.on_pool([&] { return list(keeper, access); });
      }));
  server.add(make_tool({"project_update", "Change a project's settings",
                        "Changes what is given and leaves the rest. workspace_isolation and protected_paths cannot be "
                        "changed while sessions of the project live."},
                       Need::Write, update_schema(), project_schema(), [&keeper](Call& call) -> awaitable<Answer> {
                         const std::string id = call.text("project_id");
                         PALE_CO_CHECK(check_project(call, id, Need::Write));
                         co_return shown(co_await call.on_pool(
                             [&] { return service::update_managed_project(keeper.pale_home(), id, change_of(call)); }));
                       }));
  server.add(make_tool(
      {"project_delete", "Delete a project",
       "With all its workspaces and what is on record of it; tokens are good for it no more. Refused while a session "
       "lives, unless force is true: then sessions are ended first."},
      Need::Manage,
      object_schema({{"project_id", project_id()}, {"force", flag_schema("End its sessions first.")}}, {"project_id"}),
      answer_schema({{"project_id", project_id()},
                     {"deleted", flag_schema("true.")},
                     {"tokens_revoked", number_schema("How many tokens were for it alone, and are none any more.")},
                     {"tokens_narrowed", number_schema("How many go on with what else they are for.")}}),
      [&keeper](Call& call) -> awaitable<Answer> {
        const std::string id = call.text("project_id");
        PALE_CO_CHECK(check_project(call, id, Need::Write));
        const bool force = call.has("force") && call.flag("force");
        auto tokens = history::Tokens::open(keeper.pale_home());
        if (!tokens) co_return std::unexpected(tokens.error());
        const Status deleted = co_await call.on_pool([&] {
          return service::delete_managed_project(keeper.pale_home(), id,
                                                 force ? service::IfLive::EndThem : service::IfLive::Refuse);
        });
        PALE_CO_CHECK(deleted);
        PALE_CO_CHECK(keeper.history().forget_project(id));
        const auto freed = tokens->free_project(id);
        if (!freed) co_return std::unexpected(freed.error());
        co_return Json{{"project_id", id},
                       {"deleted", true},
                       {"tokens_revoked", freed->revoked},
                       {"tokens_narrowed", freed->narrowed}};
      }));
}

}  // namespace pale::keeper
