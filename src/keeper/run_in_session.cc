#include "keeper/run_in_session.h"

#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>

#include "base/amount.h"
#include "keeper/conversation.h"
#include "keeper/session_json.h"
#include "session/message.h"

namespace pale::keeper {
namespace {

using boost::asio::awaitable;
using mcp::flag_schema;
using mcp::list_schema;
using mcp::number_schema;
using mcp::object_schema;
using mcp::text_schema;
using session::Ask;
using session::Tell;

constexpr std::int64_t kUsualOutput = 256L << 10U;
constexpr std::int64_t kMostOutput = 4L << 20U;
constexpr std::size_t kMostDenials = 20;

std::vector<std::string> command_of(const Call& call) {
  const Json& command = call.arguments().at("command");
  if (command.is_array()) return command.get<std::vector<std::string>>();
  return {"/bin/sh", "-c", command.get<std::string>()};
}

Ask ask_of(const Call& call) {
  Ask ask{.kind = Ask::Kind::Run, .command = command_of(call), .directory = call.maybe_text("directory").value_or("")};
  if (const auto seconds = call.maybe_number("timeout_seconds")) ask.time_limit = static_cast<std::uint64_t>(*seconds);
  return ask;
}

// What came of a command so far. Of each stream the beginning, as much as was asked for; the log has the rest.
struct Outcome {
  std::string output;
  std::string errors;
  bool truncated = false;
  std::size_t most = 0;
  Tell exit;

  void add(const Tell& tell) {
    std::string& text = tell.stream == "stdout" ? output : errors;
    const std::size_t room = most - std::min(most, text.size());
    truncated |= tell.data.size() > room;
    text += tell.data.substr(0, room);
  }
};

Json denials_of(Keeper& keeper, const session::Name& name, const Tell& exit) {
  Json denials = Json::array();
  if (exit.denials == 0) return denials;
  history::EventFilter filter{.kinds = {session::EventKind::Denied}, .run = exit.run, .limit = kMostDenials};
  const auto page = keeper.history().events(name.session, filter);
  if (!page) return denials;
  for (const session::Event& event : page->events)
    denials.push_back({{"path", as_text(event.path)}, {"operation", event.operation}, {"rule", as_text(event.rule)}});
  return denials;
}

Json answer_of(Keeper& keeper, const session::Name& name, const Outcome& outcome) {
  return {{"session_id", name.session},
          {"run", outcome.exit.run},
          {"state", "ended"},
          {"exit_code", outcome.exit.exit_code},
          {"ending", outcome.exit.ending},
          {"stdout", as_text(outcome.output)},
          {"stderr", as_text(outcome.errors)},
          {"truncated", outcome.truncated},
          {"duration_ms", outcome.exit.milliseconds},
          {"denied", denials_of(keeper, name, outcome.exit)},
          {"changes", outcome.exit.changes}};
}

// Until the command has ended; or, for a caller that does not wait, has begun.
awaitable<Result<bool>> listen(Conversation& conversation, Call& call, Outcome& outcome, bool wait) {
  for (double told = 1;; ++told) {
    auto tell = co_await conversation.next();
    if (!tell) co_return std::unexpected(tell.error());
    switch (tell->kind) {
      case Tell::Kind::Failed: co_return std::unexpected(tell->error);
      case Tell::Kind::Output:
        outcome.add(*tell);
        call.progress(told, std::nullopt, as_text(tell->data));
        break;
      case Tell::Kind::Begun:
        outcome.exit.run = tell->run;
        if (!wait) co_return false;
        break;
      case Tell::Kind::Exit: outcome.exit = std::move(*tell); co_return true;
      case Tell::Kind::Done: break;
    }
  }
}

}  // namespace

Json run_input_schema() {
  Json seconds = number_schema("End the command after this time.");
  seconds["minimum"] = 1;
  seconds["maximum"] = measure::kSeconds.most;
  Json most = number_schema("Most bytes of each stream in the answer; usually 262144. The log has more.");
  most["minimum"] = 0;
  most["maximum"] = kMostOutput;
  return object_schema(
      {{"session_id", session_id()},
       {"command",
        {{"description", "A program and its arguments; or one text, for a shell."},
         {"oneOf",
          {{{"type", "string"}, {"minLength", 1}},
           {{"type", "array"}, {"items", {{"type", "string"}}}, {"minItems", 1}}}}}},
       {"directory", text_schema("Where it starts, below the workspace; usually the workspace itself.")},
       {"timeout_seconds", seconds},
       {"max_output", most},
       {"wait", flag_schema("false: answer as soon as it runs; read the log for what it does.")}},
      {"session_id", "command"});
}

Json run_output_schema() {
  Json schema = answer_schema({{"session_id", session_id()},
                               {"run", number_schema("The command's number in the session.")},
                               {"state", mcp::choice_schema("Whether it still runs.", {"running", "ended"})}});
  schema["properties"].update(
      {{"exit_code", number_schema("As a shell has it; 128 and more: ended by a signal.")},
       {"ending",
        text_schema(
            "exited, timed_out, cancelled, disk, killed with its session, or failed: it could not be started.")},
       {"stdout", text_schema("What it wrote.")},
       {"stderr", text_schema("What it wrote to its error output.")},
       {"truncated", flag_schema("Whether some of that was left out.")},
       {"duration_ms", number_schema("How long it ran.")},
       {"denied", list_schema("What the boundary refused, and by which rule.", Json{{"type", "object"}})},
       {"changes", number_schema("How many paths it changed, or was about to.")}});
  return schema;
}

awaitable<Answer> run_in_session(Keeper& keeper, Call& call, const session::Name& name) {
  auto line = service::SessionLine::connect(keeper.pale_home(), name);
  if (!line) co_return std::unexpected(line.error());
  Conversation conversation(co_await boost::asio::this_coro::executor, std::move(*line));
  PALE_CO_CHECK(conversation.ask(ask_of(call)));
  const bool wait = !call.has("wait") || call.flag("wait");
  Outcome outcome{.most = static_cast<std::size_t>(call.maybe_number("max_output").value_or(kUsualOutput))};
  Result<bool> ended = false;
  try {
    ended = co_await listen(conversation, call, outcome, wait);
  } catch (const boost::system::system_error&) {
    (void)conversation.ask({.kind = Ask::Kind::Cancel});
    throw;
  }
  const Status taken = co_await keeper.take_in(name);
  PALE_CO_CHECK(taken);
  if (!ended) co_return std::unexpected(ended.error());
  if (!*ended) co_return Json{{"session_id", name.session}, {"run", outcome.exit.run}, {"state", "running"}};
  co_return answer_of(keeper, name, outcome);
}

}  // namespace pale::keeper
