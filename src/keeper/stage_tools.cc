#include <fcntl.h>

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>
#include <exception>

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

struct Finished {
  std::string output;
  std::string errors;
  bool is_cut() const noexcept { return output.size() >= kMostAnswer; }
};

// When its caller goes, it ends by itself, what it applies whole; and it is waited for, so that nothing is left of it.
awaitable<Result<Finished>> run_command(Keeper& keeper, Call& call, std::vector<std::string> words) {
  auto started = start_command(keeper, std::move(words));
  if (!started) co_return std::unexpected(started.error());
  Finished finished;
  std::exception_ptr cancelled;
  try {
    // It writes an answer or an error, and never much of both.
    finished.output = co_await read_to_end(std::move(started->output), kMostAnswer);
    finished.errors = co_await read_to_end(std::move(started->errors), kMostAnswer);
  } catch (const boost::system::system_error&) {
    cancelled = std::current_exception();
  }
  started->errors.reset();  // It must not wait for a reader.
  if (cancelled) co_await boost::asio::this_coro::reset_cancellation_state();
  (void)co_await call.on_pool([&] { return sys::wait_for(started->process); });
  if (cancelled) std::rethrow_exception(cancelled);
  co_return finished;
}

// Its JSON; or the error that it printed as JSON.
Answer answer_of(const Finished& finished) {
  if (finished.is_cut())
    return fail(ErrorKind::Refused, "the answer is larger than", std::to_string(kMostAnswer >> 20U) + " MiB",
                "name some of the paths");
  Json answer = parsed(finished.output);
  if (answer.is_object()) return answer;
  const Json error = parsed(finished.errors);
  if (!error.is_object() || !error.contains("error"))
    return fail(ErrorKind::System, "pale stage gave no answer", finished.errors.substr(0, 1000));
  const Json& said = error.at("error");
  return fail(ErrorKind::Refused, said.value("message", ""), "", said.value("hint", ""));
}

awaitable<Answer> answer_by(Keeper& keeper, Call& call, std::vector<std::string> words) {
  const auto finished = co_await run_command(keeper, call, std::move(words));
  if (!finished) co_return std::unexpected(finished.error());
  co_return answer_of(*finished);
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

// Of what is too large for one answer: which files there are, to be asked for in parts.
awaitable<Answer> list_files(Keeper& keeper, Call& call) {
  std::vector<std::string> words = words_for(call, "show");
  add_operands(words, call);
  const Answer shown = co_await answer_by(keeper, call, std::move(words));
  if (!shown) co_return shown;
  Json files = Json::array();
  for (const Json& change : shown->at("changes")) {
    const Json& after = change.at("after");
    files.push_back({{"path", change.at("path")},
                     {"kind", change.at("kind")},
                     {"size", after.is_null() ? Json(0) : after.at("size")},
                     {"conflict", !change.at("conflict").is_null()}});
  }
  co_return Json{{"stage", shown->at("stage")}, {"files", std::move(files)}, {"truncated", true}};
}

awaitable<Answer> diff(Keeper& keeper, Call& call) {
  PALE_CO_CHECK(check_project(call, call.text("project_id"), Need::Read));
  PALE_CO_CHECK(check_words(call));
  std::vector<std::string> words = words_for(call, "diff");
  add_operands(words, call);
  const auto finished = co_await run_command(keeper, call, std::move(words));
  if (!finished) co_return std::unexpected(finished.error());
  if (finished->is_cut()) co_return co_await list_files(keeper, call);
  Answer answer = answer_of(*finished);
  if (answer) (*answer)["truncated"] = false;
  co_return answer;
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
  co_return co_await answer_by(keeper, call, std::move(words));
}

awaitable<Answer> discard(Keeper& keeper, Call& call) {
  PALE_CO_CHECK(check_project(call, call.text("project_id"), Need::Write));
  PALE_CO_CHECK(check_words(call));
  std::vector<std::string> words = words_for(call, "discard");
  words.emplace_back("--yes");
  add_operands(words, call);
  co_return co_await answer_by(keeper, call, std::move(words));
}

}  // namespace

void add_stage_tools(mcp::Server& server, Keeper& keeper) {
  const Json paths =
      list_schema("Only these, and what lies below them.", text_schema("A path relative to the workspace."));
  Json looking = stage_properties();
  looking["paths"] = paths;
  server.add(make_tool({"stage_diff", "Show what a stage changes",
                        "Each changed file as a patch, and whether the workspace was changed there too. What is too "
                        "large for one answer is listed without patches: then ask for some of the paths."},
                       Need::Read, object_schema(looking, {"project_id", "workspace_id"}),
                       answer_schema({{"stage", text_schema("Its name.")},
                                      {"files", list_schema("The changes.", Json{{"type", "object"}})},
                                      {"truncated", flag_schema("Whether the patches were left out.")}}),
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
