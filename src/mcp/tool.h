// mcp/tool.h: what a server offers to be called, and what a call looks like from inside.
//
//   Server server({.name = "pale", .title = "Pale", .version = "0.5.0", .instructions = "…"});
//   server.add({
//       .name = "project_get",
//       .title = "Show a project",
//       .description = "A project's settings, and how many sessions run in it.",
//       .input_schema = object_schema({{"project_id", text_schema("The project's id.")}}, {"project_id"}),
//       .output_schema = object_schema({{"id", text_schema("…")}, {"isolated", flag_schema("…")}}, {"id", "isolated"}),
//       .annotations = {.read_only = true, .destructive = false, .idempotent = true, .open_world = false},
//       .handler = [&keeper](Call& call) -> boost::asio::awaitable<ToolResult> {
//         const std::string id = call.text("project_id");
//         const auto found = co_await call.on_pool([&] { return keeper.project(id); });  // blocking work, off the loop
//         if (!found) co_return ToolResult::error(found.error());
//         co_return ToolResult::structured(to_json(*found));
//       },
//   });
//
// A handler runs on the loop's one thread: what blocks goes to on_pool. When its client cancels it, goes away or the server stops,
// the co_await it waits in (and each later one) throws boost::system::system_error with operation_aborted. Let it through, having
// stopped what was started: by destructors, or in a catch. To co_await something more after that, first
// `co_await boost::asio::this_coro::reset_cancellation_state()`. No answer is sent for such a call, whatever is returned.
//
// In the newer era a question to the client (elicit, ask) ends the call, and its answer starts it again from the beginning with
// all answers so far: do nothing that cannot be done twice before the last question.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "mcp/json.h"

namespace pale::mcp {

// Who calls, as the transport found out. What scopes allow is for the server's owner to say.
struct Principal {
  std::string name;
  std::vector<std::string> scopes;
};

// Content (structured, or blocks of text, images, sound and resources), or one sentence that says what went wrong.
struct ToolResult {
  std::optional<Json> structured_content;
  Json content = Json::array();  // what the model reads
  bool is_error = false;

  // The same JSON is given as text too, for clients that do not look at structured content.
  static ToolResult structured(Json value);
  static ToolResult text(std::string text);
  static ToolResult blocks(Json content);
  static ToolResult error(std::string sentence);
  static ToolResult error(const Error& error);  // with its hints
};

enum class Answer { Accept, Decline, Cancel };
struct Elicited {
  Answer answer = Answer::Cancel;
  Json content = Json::object();  // as the schema asked for it, if accepted
};

enum class Level { Debug, Info, Notice, Warning, Error, Critical, Alert, Emergency };

// One request that is being answered. Lives as long as the coroutine that answers it.
class Call {
 public:
  Call() = default;
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;
  virtual ~Call() = default;

  // Checked against the tool's schema, with its defaults filled in.
  const Json& arguments() const noexcept { return arguments_; }
  const Json& params() const noexcept { return params_; }  // the whole request's
  const Principal& principal() const noexcept { return principal_; }

  // Arguments that the schema requires, or has a default for.
  std::string text(const char* name) const { return arguments_.at(name).get<std::string>(); }
  std::int64_t number(const char* name) const { return arguments_.at(name).get<std::int64_t>(); }
  bool flag(const char* name) const { return arguments_.at(name).get<bool>(); }
  std::vector<std::string> texts(const char* name) const { return arguments_.at(name).get<std::vector<std::string>>(); }
  bool has(const char* name) const { return arguments_.contains(name) && !arguments_.at(name).is_null(); }
  std::optional<std::string> maybe_text(const char* name) const;
  std::optional<std::int64_t> maybe_number(const char* name) const;

  // Nothing is sent unless the client asked for it, so both may be called at any time. Progress is left out while the client
  // does not read what there is already.
  virtual void progress(double done, std::optional<double> total = {}, std::string_view message = {}) = 0;
  virtual void log(Level level, std::string_view logger, const Json& data) = 0;
  virtual bool is_cancelled() const noexcept = 0;

  // Whether the client said that it answers such requests: elicitation/create, sampling/createMessage, roots/list.
  virtual bool may_ask(std::string_view method) const = 0;
  // {key: {method, params}} to {key: result}. A client that cannot be asked ends the call with an error that says so.
  virtual boost::asio::awaitable<Json> ask(Json requests) = 0;
  // A form for the person at the client. The key names the question within this call.
  boost::asio::awaitable<Elicited> elicit(std::string key, std::string message, Json schema);

  // Runs blocking work on another thread. The work always runs to its end, so it may refer to the handler's variables.
  template <typename Work>
  boost::asio::awaitable<std::invoke_result_t<Work&>> on_pool(Work work);

  // Ends the connection that waits for the answer, which its client may fetch later. Only HTTP of the older era knows that.
  virtual void part() = 0;

 protected:
  virtual boost::asio::awaitable<void> run_on_pool(std::function<void()> work) = 0;

  Json params_ = Json::object();
  Json arguments_ = Json::object();
  Principal principal_;
};

struct Annotations {  // hints for clients; what is not said is assumed to be the worst, as the protocol has it
  bool read_only = false;
  bool destructive = true;
  bool idempotent = false;
  bool open_world = true;
};

struct Tool {
  std::string name;
  std::string title;
  std::string description;
  Json input_schema = Json::object({{"type", "object"}});
  Json output_schema = nullptr;  // of structured content; null: none
  Annotations annotations;
  std::function<boost::asio::awaitable<ToolResult>(Call&)> handler;
};

// Schemas in short. What they say is checked before a handler runs (mcp/schema.h).
Json object_schema(Json properties, std::vector<std::string> required = {});  // nothing else is allowed
Json text_schema(std::string description);
Json number_schema(std::string description);  // whole numbers
Json flag_schema(std::string description);
Json choice_schema(std::string description, std::vector<std::string> choices);
Json list_schema(std::string description, Json items);

template <typename Work>
boost::asio::awaitable<std::invoke_result_t<Work&>> Call::on_pool(Work work) {
  using Value = std::invoke_result_t<Work&>;
  std::exception_ptr thrown;
  if constexpr (std::is_void_v<Value>) {
    std::function<void()> guarded = [&] {
      try {
        work();
      } catch (...) {
        thrown = std::current_exception();
      }
    };
    co_await run_on_pool(std::move(guarded));
    if (thrown) std::rethrow_exception(thrown);
  } else {
    std::optional<Value> value;
    std::function<void()> guarded = [&] {
      try {
        value.emplace(work());
      } catch (...) {
        thrown = std::current_exception();
      }
    };
    co_await run_on_pool(std::move(guarded));
    if (thrown) std::rethrow_exception(thrown);
    co_return std::move(*value);
  }
}

}  // namespace pale::mcp
