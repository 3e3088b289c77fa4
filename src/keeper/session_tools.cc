#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <functional>
#include <iterator>

#include "base/amount.h"
#include "keeper/conversation.h"
#include "keeper/run_in_session.h"
#include "keeper/session_json.h"
#include "keeper/tools.h"
#include "service/sessions.h"

namespace pale::keeper {
namespace {

using boost::asio::awaitable;
using mcp::choice_schema;
using mcp::flag_schema;
using mcp::list_schema;
using mcp::number_schema;
using mcp::object_schema;
using mcp::text_schema;

constexpr std::size_t kMostReply = 1UL << 16U;
constexpr std::int64_t kMostLogged = 1000;
constexpr std::int64_t kUsuallyListed = 100;
constexpr std::int64_t kMostListed = 5000;
static_assert(kMostListed < static_cast<std::int64_t>(history::kMostSessions));
constexpr std::int64_t kMostNumber = (1LL << 53U) - 1;  // that every client can say

Json from(std::int64_t least, const char* description, std::uint64_t most = kMostNumber) {
  Json schema = number_schema(description);
  schema["minimum"] = least;
  schema["maximum"] = most;
  return schema;
}

Json at_most(const Measure& measure, const char* description) { return from(1, description, measure.most); }

std::optional<std::uint64_t> amount(const Call& call, const char* name) {
  const auto number = call.maybe_number(name);
  return number ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
}

Json start_schema() {
  return object_schema(
      {{"project_id", project_id()},
       {"workspace_id", workspace_id()},
       {"stage",
        text_schema("Work on a private layer over the workspace, to be looked at before it is applied: a name, or an "
                    "empty text for a new one.")},
       {"memory", at_most(measure::kBytes, "Most bytes of memory.")},
       {"pids", at_most(measure::kTasks, "Most processes and threads at a time.")},
       {"disk", at_most(measure::kBytes, "Most bytes on disk, of the workspace and its home.")},
       {"seconds", at_most(measure::kSeconds, "End the session after this time.")},
       {"idle_seconds",
        at_most(measure::kSeconds, "End it when nothing was asked of it for this time; usually 3600.")}},
      {"project_id", "workspace_id"});
}

awaitable<Answer> start(Keeper& keeper, Call& call) {
  const std::string project = call.text("project_id");
  PALE_CO_CHECK(check_project(call, project, Need::Write));
  service::SessionRequest request{{project, call.text("workspace_id")}, {}};
  if (call.has("stage")) request.stage = {call.text("stage"), {}};
  request.limits = {amount(call, "memory"), amount(call, "pids"), amount(call, "disk"), amount(call, "seconds")};
  request.idle_seconds = amount(call, "idle_seconds");
  auto begun = service::begin_session(std::move(request), keeper.program(), keeper.caller());
  if (!begun) co_return std::unexpected(begun.error());
  const std::string reply = co_await read_to_end(std::move(begun->reply), kMostReply);
  const auto notes = service::read_reply(reply);
  if (!notes) co_return std::unexpected(notes.error());
  const Status taken = co_await keeper.take_in(begun->name);
  PALE_CO_CHECK(taken);
  const auto session = keeper.history().session(begun->name.session);
  if (!session) co_return std::unexpected(session.error());
  Json json = to_json(session->session);
  if (!notes->empty()) json["notes"] = *notes;
  co_return json;
}

// What the tools for one session begin with: it exists for the caller, and what it did is on record.
Result<session::Name> find(Keeper& keeper, const Call& call, Need need) {
  PALE_TRY(name, keeper.find_session(access_of(call.principal()), call.text("session_id")));
  PALE_CHECK(check_project(call, name.project, need));
  return name;
}

awaitable<Answer> get(Keeper& keeper, Call& call) {
  const auto name = find(keeper, call, Need::Read);
  if (!name) co_return std::unexpected(name.error());
  const Status taken = co_await keeper.take_in(*name);
  PALE_CO_CHECK(taken);
  const auto found = keeper.history().session(name->session);
  if (!found) co_return std::unexpected(found.error());
  Json json = to_json(found->session);
  json["recent_runs"] = Json::array();
  for (const history::Run& run : found->runs) json["recent_runs"].push_back(to_json(run));
  json["receipt"] = found->receipt.empty() ? Json(nullptr) : parsed(found->receipt);
  co_return json;
}

// One more than is wanted says that there is more.
Json page_of(std::vector<history::Session> sessions, std::size_t limit) {
  std::ranges::stable_sort(sessions, std::greater(),
                           [](const history::Session& each) { return each.about.created_ms; });
  const bool more = sessions.size() > limit;
  if (more) sessions.resize(limit);
  Json listed = Json::array();
  for (const history::Session& session : sessions) listed.push_back(to_json(session));
  return {{"sessions", std::move(listed)}, {"more", more}};
}

awaitable<Answer> list(Keeper& keeper, Call& call) {
  const history::Access access = access_of(call.principal());
  history::SessionFilter filter;
  filter.project = call.maybe_text("project_id");
  filter.workspace = call.maybe_text("workspace_id");
  if (filter.project) PALE_CO_CHECK(check_project(call, *filter.project, Need::Read));
  const std::string state = call.maybe_text("state").value_or("any");
  filter.life = state == "running" ? history::Life::Live : state == "ended" ? history::Life::Ended : history::Life::Any;
  std::vector<std::optional<std::string>> projects = {filter.project};
  if (!filter.project && !access.may_read_all()) {
    projects.clear();
    for (std::string& project : access.projects()) projects.emplace_back(std::move(project));
  }
  // Of those that live nobody must be missed.
  const std::int64_t usual = filter.life == history::Life::Live ? kMostListed : kUsuallyListed;
  const auto limit = static_cast<std::size_t>(std::min(call.maybe_number("limit").value_or(usual), kMostListed));
  filter.limit = limit + 1;
  std::vector<history::Session> sessions;
  for (const auto& project : projects) {
    filter.project = project;
    // One session that cannot be read hides no other; and of those of others, who may not see them must not hear.
    (void)co_await keeper.take_in_all(project.value_or(""));
    auto found = keeper.history().sessions(filter);
    if (!found) co_return std::unexpected(found.error());
    std::ranges::move(*found, std::back_inserter(sessions));
  }
  co_return page_of(std::move(sessions), limit);
}

awaitable<Answer> log(Keeper& keeper, Call& call) {
  const auto name = find(keeper, call, Need::Read);
  if (!name) co_return std::unexpected(name.error());
  const Status taken = co_await keeper.take_in(*name);
  PALE_CO_CHECK(taken);
  history::EventFilter filter;
  filter.after = amount(call, "after").value_or(0);
  filter.run = amount(call, "run");
  filter.limit = static_cast<std::size_t>(std::min(call.maybe_number("limit").value_or(200), kMostLogged));
  filter.bytes = 1UL << 20U;
  const auto page = keeper.history().events(name->session, filter);
  if (!page) co_return std::unexpected(page.error());
  Json events = Json::array();
  for (const session::Event& event : page->events) events.push_back(to_json(event));
  co_return Json{{"events", std::move(events)}, {"last", page->last}, {"more", page->more}};
}

// One question to the host, and its answer.
awaitable<Answer> ask_host(Keeper& keeper, Call& call, session::Ask ask) {
  const auto name = find(keeper, call, Need::Write);
  if (!name) co_return std::unexpected(name.error());
  auto line = service::SessionLine::connect(keeper.pale_home(), *name);
  if (!line) co_return std::unexpected(line.error());
  Conversation conversation(co_await boost::asio::this_coro::executor, std::move(*line));
  PALE_CO_CHECK(conversation.ask(ask));
  const auto told = co_await conversation.next();
  if (!told) co_return std::unexpected(told.error());
  if (told->kind == session::Tell::Kind::Failed) co_return std::unexpected(told->error);
  co_return Json{{"session_id", name->session}, {"run", told->run}};
}

awaitable<Answer> end(Keeper& keeper, Call& call) {
  const auto name = find(keeper, call, Need::Write);
  if (!name) co_return std::unexpected(name.error());
  const Status ended = co_await call.on_pool([&] { return service::end_session(keeper.pale_home(), *name); });
  PALE_CO_CHECK(ended);
  const Status taken = co_await keeper.take_in(*name);
  PALE_CO_CHECK(taken);
  co_return Json{{"session_id", name->session}, {"state", "ended"}};
}

awaitable<Answer> run(Keeper& keeper, Call& call) {
  const auto name = find(keeper, call, Need::Write);
  if (!name) co_return std::unexpected(name.error());
  co_return co_await run_in_session(keeper, call, *name);
}

void add_looking(mcp::Server& server, Keeper& keeper) {
  const Json one = object_schema({{"session_id", session_id()}}, {"session_id"});
  server.add(make_tool({"session_get", "Show a session",
                        "Its state, its last commands with their exit codes, and the receipt of "
                        "what the kernel keeps."},
                       Need::Read, one, session_schema(), [&keeper](Call& call) { return get(keeper, call); }));
  server.add(
      make_tool({"session_list", "List sessions", "Those that you may see, the newest first."}, Need::Read,
                object_schema({{"project_id", project_id()},
                               {"workspace_id", workspace_id()},
                               {"state", choice_schema("Usually any.", {"any", "running", "ended"})},
                               {"limit", from(1, "At most this many; usually 100, or all that run.", kMostListed)}}),
                answer_schema({{"sessions", list_schema("The sessions.", session_schema())},
                               {"more", flag_schema("Whether there are older ones: ask with a higher limit, or "
                                                    "for one project or state.")}}),
                [&keeper](Call& call) { return list(keeper, call); }));
  server.add(make_tool({"session_log", "Read a session's log",
                        "Everything that happened, in order: commands, what they wrote, what was refused, what was "
                        "changed, exit codes. Ask again "
                        "with after = last for what came since."},
                       Need::Read,
                       object_schema({{"session_id", session_id()},
                                      {"after", from(0, "Only what has a higher number.")},
                                      {"run", from(1, "Only of this command.")},
                                      {"limit", from(1, "At most this many; usually 200, 1000 at most.")}},
                                     {"session_id"}),
                       answer_schema({{"events", list_schema("What happened.", Json{{"type", "object"}})},
                                      {"last", number_schema("The number of the last one.")},
                                      {"more", flag_schema("Whether there is more already.")}}),
                       [&keeper](Call& call) { return log(keeper, call); }));
}

}  // namespace

void add_session_tools(mcp::Server& server, Keeper& keeper) {
  server.add(make_tool(
      {"session_start", "Start a session",
       "A sandbox for a workspace. It stays until it is ended, also when you disconnect; run commands in it with "
       "session_run."},
      Need::Write, start_schema(), session_schema(), [&keeper](Call& call) { return start(keeper, call); }));
  server.add(make_tool(
      {"session_run", "Run a command in a session",
       "Runs it in the session's sandbox and waits for it; what it writes comes as progress meanwhile. One at a "
       "time. What it leaves running in the background stays. Cancelling the call ends the command."},
      Need::Write, run_input_schema(), run_output_schema(), [&keeper](Call& call) { return run(keeper, call); }));
  const Json done = answer_schema({{"session_id", session_id()}, {"run", number_schema("The command.")}});
  server.add(make_tool({"session_input", "Write to a command's input", "For the command that runs in the session now."},
                       Need::Write,
                       object_schema({{"session_id", session_id()},
                                      {"text", text_schema("What to write; end a line with a newline.")},
                                      {"end", flag_schema("Nothing follows: the command sees the end of its input.")}},
                                     {"session_id", "text"}),
                       done, [&keeper](Call& call) {
                         return ask_host(keeper, call,
                                         {.kind = session::Ask::Kind::Input,
                                          .data = call.text("text"),
                                          .last = call.has("end") && call.flag("end")});
                       }));
  add_looking(server, keeper);
  server.add(make_tool(
      {"session_end", "End a session", "Ends whatever runs in it. What it changed, and what is on record, stays."},
      Need::Write, object_schema({{"session_id", session_id()}}, {"session_id"}),
      answer_schema({{"session_id", session_id()}, {"state", text_schema("ended")}}),
      [&keeper](Call& call) { return end(keeper, call); }));
}

void add_tools(mcp::Server& server, Keeper& keeper) {
  add_project_tools(server, keeper);
  add_workspace_tools(server, keeper);
  add_session_tools(server, keeper);
  add_stage_tools(server, keeper);
  server.visible = [](const mcp::Principal& principal, const mcp::Tool& tool) {
    const history::Access access = access_of(principal);
    switch (need_of(tool)) {
      case Need::Manage: return access.may_manage();
      case Need::Write:
        return access.may_manage() || std::ranges::any_of(access.projects(), [&](const std::string& project) {
                 return access.may_write(project);
               });
      case Need::Read: return true;
    }
    return false;
  };
}

}  // namespace pale::keeper
