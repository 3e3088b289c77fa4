#include "keeper/tool.h"

#include "base/time.h"

namespace pale::keeper {
namespace {

mcp::Annotations annotations_of(std::string_view name, Need need) {
  const bool destroys = name.ends_with("_delete") || name.ends_with("_discard") || name.ends_with("_run") ||
                        name.ends_with("_apply") || name.ends_with("_end") || name.ends_with("_input");
  return {.read_only = need == Need::Read,
          .destructive = destroys,
          .idempotent = need == Need::Read || name.ends_with("_update"),
          .open_world = false};
}

}  // namespace

history::Access access_of(const mcp::Principal& principal) {
  return history::Access::from_scopes(principal.scopes).value_or(history::Access());
}

Status check_project(const Call& call, const std::string& project, Need need) {
  const history::Access access = access_of(call.principal());
  // First: whether it exists is nobody's business who may not see it.
  if (!access.may_read(project)) return fail(ErrorKind::NotFound, "there is no project", project, "project_list");
  if (need == Need::Read || access.may_write(project)) return {};
  return fail(ErrorKind::Refused, "this token may look at the project, and change nothing:", project,
              "a token with the scope project:" + project);
}

Need need_of(const mcp::Tool& tool) {
  if (tool.name == "project_create" || tool.name == "project_delete") return Need::Manage;
  return tool.annotations.read_only ? Need::Read : Need::Write;
}

mcp::Tool make_tool(const ToolText& text, Need need, Json input, Json output,
                    std::function<boost::asio::awaitable<Answer>(Call&)> answer) {
  return {.name = text.name,
          .title = text.title,
          .description = text.description,
          .input_schema = std::move(input),
          .output_schema = std::move(output),
          .annotations = annotations_of(text.name, need),
          .handler = [answer = std::move(answer)](Call& call) -> boost::asio::awaitable<mcp::ToolResult> {
            const Answer given = co_await answer(call);
            co_return given ? mcp::ToolResult::structured(*given) : mcp::ToolResult::error(given.error());
          }};
}

Json parsed(const std::string& json) { return Json::parse(json, nullptr, false); }

std::string iso(std::int64_t milliseconds) { return to_iso(milliseconds / 1000); }

Json project_id() { return mcp::text_schema("The project's id, as project_list shows it."); }
Json workspace_id() { return mcp::text_schema("The workspace's id, a UUID."); }
Json session_id() { return mcp::text_schema("The session's id, a UUID."); }

Json answer_schema(Json properties) {
  Json names = Json::array();
  for (const auto& [name, schema] : properties.items()) names.push_back(name);
  return {{"type", "object"}, {"properties", std::move(properties)}, {"required", std::move(names)}};
}

}  // namespace pale::keeper
