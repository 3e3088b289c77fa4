#include <fcntl.h>

#include "keeper/conversation.h"
#include "keeper/tool.h"
#include "keeper/tools.h"
#include "sys/event.h"
#include "sys/file.h"
#include "sys/process.h"

namespace pale::keeper {
namespace {

using boost::asio::awaitable;
using mcp::flag_schema;
using mcp::list_schema;
using mcp::object_schema;
using mcp::text_schema;

constexpr std::size_t kMostAnswer = 16UL << 20U;

// `pale stage …` in a process of its own: it may enter a user namespace, which a process of several threads cannot.
struct Started {
  sys::Pid process;
  sys::Fd output;
  sys::Fd errors;
};
Result<Started> start_command(const Keeper& keeper, std::vector<std::string> words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  PALE_TRY(null, sys::open_at(sys::kAbsolute, "/dev/null", O_RDWR));
  PALE_TRY(output, sys::open_pipe());
  PALE_TRY(errors, sys::open_pipe());
  const sys::ProgramStart start{keeper.program(),          argv.data(),
                                keeper.caller().envp,      null.borrow(),
                                output.write_end.borrow(), errors.write_end.borrow()};
  PALE_TRY(process, sys::start_program(start));
  return Started{process, std::move(output.read_end), std::move(errors.read_end)};
}

// Its JSON; or the error that it printed as JSON.
awaitable<Answer> run_command(Keeper& keeper, Call& call, std::vector<std::string> words) {
  auto started = start_command(keeper, std::move(words));
  if (!started) co_return std::unexpected(started.error());
  // It writes an answer or an error, and never much of both.
  const std::string output = co_await read_to_end(std::move(started->output), kMostAnswer);
  const std::string errors = co_await read_to_end(std::move(started->errors), kMostAnswer);
  (void)co_await call.on_pool([&] { return sys::wait_for(started->process); });
  Json answer = parsed(output);
  if (answer.is_object()) co_return answer;
  const Json error = parsed(errors);
  if (!error.is_object() || !error.contains("error"))
    co_return fail(ErrorKind::System, "pale stage gave no answer", errors.substr(0, 1000));
  const Json& said = error.at("error");
  co_return fail(ErrorKind::Refused, said.value("message", ""), "", said.value("hint", ""));
}

std::vector<std::string> words_for(const Call& call, const char* command) {
  std::vector<std::string> words = {
      "pale", "stage", command, "-p", call.text("project_id"), "--workspace", call.text("workspace_id"), "--json"};
  return words;
}

void add_operands(std::vector<std::string>& words, const Call& call) {
  if (const auto stage = call.maybe_text("stage")) words.push_back(*stage);
  if (!call.has("paths")) return;
  for (const std::string& path : call.texts("paths")) words.push_back(path);
}

Json stage_properties() {
  return {{"project_id", project_id()},
          {"workspace_id", workspace_id()},
          {"stage", text_schema("The stage's name, as session_start gave it. Without one: the only one there is.")}};
}

// A word that begins with '-' would be taken for an option.
Status check_words(const Call& call) {
  for (const char* name : {"stage", "paths", "allow_exec"}) {
    if (!call.has(name)) continue;
    const Json& given = call.arguments().at(name);
    for (const Json& word : given.is_array() ? given : Json::array({given})) {
      const auto text = word.get<std::string>();
      if (text.empty() || text.front() == '-')
        return fail(ErrorKind::Usage, std::string("not a value for ") + name + ":", text);
    }
  }
  return {};
}

awaitable<Answer> diff(Keeper& keeper, Call& call) {
  PALE_CO_CHECK(check_project(call, call.text("project_id"), Need::Read));
  PALE_CO_CHECK(check_words(call));
  std::vector<std::string> words = words_for(call, "diff");
  add_operands(words, call);
  co_return co_await run_command(keeper, call, std::move(words));
}

awaitable<Answer> apply(Keeper& keeper, Call& call) {
  PALE_CO_CHECK(check_project(call, call.text("project_id"), Need::Write));
  PALE_CO_CHECK(check_words(call));
  std::vector<std::string> words = words_for(call, "apply");
  if (const auto on_conflict = call.maybe_text("on_conflict"); on_conflict && *on_conflict != "refuse")
    words.push_back("--" + *on_conflict);
  if (call.has("allow_exec")) {
    for (const std::string& path : call.texts("allow_exec")) words.push_back("--allow-exec=" + path);
  }
  add_operands(words, call);
  co_return co_await run_command(keeper, call, std::move(words));
}

awaitable<Answer> discard(Keeper& keeper, Call& call) {
  PALE_CO_CHECK(check_project(call, call.text("project_id"), Need::Write));
  PALE_CO_CHECK(check_words(call));
  std::vector<std::string> words = words_for(call, "discard");
  words.emplace_back("--yes");
  add_operands(words, call);
  co_return co_await run_command(keeper, call, std::move(words));
}

}  // namespace

void add_stage_tools(mcp::Server& server, Keeper& keeper) {
  const Json paths =
      list_schema("Only these, and what lies below them.", text_schema("A path relative to the workspace."));
  Json looking = stage_properties();
  looking["paths"] = paths;
  server.add(make_tool({"stage_diff", "Show what a stage changes",
                        "Each changed file as a patch, and whether the workspace was changed "
                        "there too."},
                       Need::Read, object_schema(looking, {"project_id", "workspace_id"}),
                       answer_schema({{"stage", text_schema("Its name.")},
                                      {"files", list_schema("The changes.", Json{{"type", "object"}})}}),
                       [&keeper](Call& call) { return diff(keeper, call); }));
  Json applying = looking;
  applying["on_conflict"] =
      mcp::choice_schema("Where the workspace was changed too; usually refuse.", {"refuse", "merge", "ours", "theirs"});
  applying["allow_exec"] =
      list_schema("Paths to apply although something outside would execute them.", text_schema("A path."));
  server.add(make_tool(
      {"stage_apply", "Apply what a stage changes",
       "All of it or nothing. applied is false if there are conflicts, or changes that something outside would "
       "execute: they are listed."},
      Need::Write, object_schema(std::move(applying), {"project_id", "workspace_id"}),
      answer_schema({{"stage", text_schema("Its name.")}, {"applied", flag_schema("Whether it was.")}}),
      [&keeper](Call& call) { return apply(keeper, call); }));
  server.add(make_tool(
      {"stage_discard", "Throw a stage away", "With all that it changes. Refused while a session works in it."},
      Need::Write, object_schema(stage_properties(), {"project_id", "workspace_id"}),
      answer_schema({{"stage", text_schema("Its name.")}, {"discarded", flag_schema("true.")}}),
      [&keeper](Call& call) { return discard(keeper, call); }));
}

}  // namespace pale::keeper
