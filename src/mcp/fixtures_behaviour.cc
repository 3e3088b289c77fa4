// Tools that take their time, and say so; and a few by which our own tests see what became of a call.
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>

#include "mcp/fixtures.h"

namespace pale::mcp {
namespace {

using Async = boost::asio::awaitable<ToolResult>;

boost::asio::awaitable<void> sleep_for(std::int64_t milliseconds) {
  boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, std::chrono::milliseconds(milliseconds));
  co_await timer.async_wait(boost::asio::use_awaitable);
}

Async log_thrice(Call& call) {
  call.log(Level::Info, "fixtures", "Tool execution started");
  co_await sleep_for(50);
  call.log(Level::Info, "fixtures", "Tool processing data");
  co_await sleep_for(50);
  call.log(Level::Info, "fixtures", "Tool execution completed");
  co_return ToolResult::text("logged three lines");
}

Async go_on(Call& call) {
  for (const int percent : {0, 50, 100}) {
    call.progress(percent, 100, "on the way");
    co_await sleep_for(50);
  }
  co_return ToolResult::text("went on");
}

Async reconnect(Call& call) {
  call.part();
  co_await sleep_for(100);
  co_return ToolResult::text("Reconnection test completed");
}

void add(Server& server, const char* name, const char* description, std::function<Async(Call&)> handler) {
  server.add(
      Tool{.name = name, .description = description, .input_schema = object_schema({}), .handler = std::move(handler)});
}

void add_change(Server& server, const char* name, const char* notification) {
  add(server, name, "Tells clients that a list changed.", [&server, notification](Call&) -> Async {
    server.announce(notification);
    co_return ToolResult::text("told");
  });
}

struct Counts {
  std::int64_t cancelled = 0;
  std::int64_t finished = 0;
};

struct Counted {
  Counts& counts;
  bool finished = false;
  ~Counted() { ++(finished ? counts.finished : counts.cancelled); }
};

void add_sleep(Server& server) {
  auto counts = std::make_shared<Counts>();
  Json schema = object_schema({{"milliseconds", number_schema("How long.")}}, {"milliseconds"});
  schema["properties"]["milliseconds"].update(Json{{"minimum", 0}, {"maximum", 600000}});
  server.add(Tool{.name = "pale_sleep",
                  .description = "Sleeps, unless it is cancelled.",
                  .input_schema = std::move(schema),
                  .handler = [counts](Call& call) -> Async {
                    Counted counted{*counts};
                    co_await sleep_for(call.number("milliseconds"));
                    counted.finished = true;
                    co_return ToolResult::text("slept");
                  }});
  const Json whole{{"type", "integer"}};
  server.add(
      Tool{.name = "pale_slept",
           .description = "How many sleeps came to their end, and how many did not.",
           .output_schema = object_schema({{"finished", whole}, {"cancelled", whole}}, {"finished", "cancelled"}),
           .annotations = {.read_only = true, .destructive = false, .idempotent = true, .open_world = false},
           .handler = [counts](Call&) -> Async {
             co_return ToolResult::structured({{"finished", counts->finished}, {"cancelled", counts->cancelled}});
           }});
}

}  // namespace

void add_behaviour_fixtures(Server& server) {
  add(server, "test_tool_with_logging", "Logs three lines.", log_thrice);
  add(server, "test_logging_tool", "Logs three lines.", log_thrice);
  add(server, "test_tool_with_progress", "Says how far it is.", go_on);
  add(server, "test_reconnection", "Lets its client come back for the answer.", reconnect);
  add_change(server, "test_trigger_tool_change", "notifications/tools/list_changed");
  add_change(server, "test_trigger_prompt_change", "notifications/prompts/list_changed");
  add_sleep(server);
  server.add(Tool{.name = "pale_echo",
                  .title = "Echo",
                  .description = "Answers with what it was given.",
                  .input_schema = object_schema({{"text", text_schema("Anything.")}}, {"text"}),
                  .output_schema = object_schema({{"text", text_schema("The same.")}}, {"text"}),
                  .annotations = {.read_only = true, .destructive = false, .idempotent = true, .open_world = false},
                  .handler = [](Call& call) -> Async {
                    const std::string text = co_await call.on_pool([&] { return call.text("text"); });
                    co_return ToolResult::structured({{"text", text}});
                  }});
}

}  // namespace pale::mcp
