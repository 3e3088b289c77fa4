// tools/conversation.h: the Model Context Protocol with one client, in both of its eras; what it carries, others read and write.
//
// The older era opens with `initialize` and remembers the client. The newer (2026-07-28) remembers nothing: each request says in
// its _meta which version it speaks.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sys/event.h"
#include "tools/message.h"
#include "tools/tool.h"

namespace pale::tools {

enum class Era { Older, Newer };

// A call that takes its time.
struct Running {
  std::string id;
  std::string progress_token;  // JSON; empty if nobody wants to know
  Era era;
  const Tool* tool;
  Job job;
  std::int64_t told_ms = 0;
  bool cancelled = false;
};

class Conversation {
 public:
  Conversation(const Workplace& place, std::string_view version) : place_(place), version_(version) {}

  // One line; empty ones say nothing. Answers go to `unsent`.
  void take(std::string_view line);
  void take_too_long();
  std::string unsent;

  // Calls that run: what to wait for, until when, and then a look at them.
  bool is_idle() const noexcept { return running_.empty(); }
  void add_waits(std::vector<sys::Ready>& waits) const;
  std::int64_t next_ms() const noexcept;
  void look_after_calls(std::int64_t now_ms);

 private:
  using Outcome = std::expected<std::string, Fault>;  // a result, as JSON
  enum class Caching { None, Private };

  void take_request(const Message& message);
  void take_notification(const Message& message);
  std::optional<Fault> check(const Message& message, Era era) const;
  void answer(const std::string& id, Era era, std::string_view result, Caching caching = Caching::None);
  Outcome initialize(const JsonValue& params);
  std::string discover() const;
  std::string list_tools() const;
  void call_tool(const Message& message, Era era);
  void answer_tool(const std::string& id, Era era, const Answer& given);
  void answer_tool(const std::string& id, Era era, std::string_view tool, const Error& error);
  void end_call(Running& running, const JobEnd& end);
  void tell_progress(Running& running, std::int64_t now_ms);

  const Workplace& place_;
  std::string_view version_;  // of this program
  std::string_view spoken_;   // of the protocol, in the older era; empty before `initialize`
  std::vector<std::unique_ptr<Running>> running_;
};

}  // namespace pale::tools
