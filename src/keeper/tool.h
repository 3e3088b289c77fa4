// keeper/tool.h: how the keeper's tools are written down: what a caller needs, and a function that gives an answer or an error.
#pragma once

#include <functional>

#include "history/access.h"
#include "mcp/server.h"

namespace pale::keeper {

// PALE_CHECK in a coroutine that gives an Answer.
#define PALE_CO_CHECK(expression) \
  if (auto pale_check = (expression); !pale_check) co_return std::unexpected(std::move(pale_check).error())

using mcp::Call;
using mcp::Json;
using Answer = Result<Json>;

// What a tool asks of a token.
enum class Need { Read, Write, Manage };

struct ToolText {
  const char* name;
  const char* title;
  const char* description;
};

// Cannot fail for a principal that was let in: its scopes were checked when its token was made.
history::Access access_of(const mcp::Principal& principal);

// One that names a project that may not be seen gets the answer of one that does not exist.
Status check_project(const Call& call, const std::string& project, Need need);

Need need_of(const mcp::Tool& tool);

// `answer` is called when the arguments fit `input`.
mcp::Tool make_tool(const ToolText& text, Need need, Json input, Json output,
                    std::function<boost::asio::awaitable<Answer>(Call&)> answer);

// What Pale's own writers made.
Json parsed(const std::string& json);
std::string iso(std::int64_t milliseconds);

// Schemas that several tools share.
Json project_id();
Json workspace_id();
Json session_id();
// Of an answer: an object that has at least these members.
Json answer_schema(Json properties);

}  // namespace pale::keeper
