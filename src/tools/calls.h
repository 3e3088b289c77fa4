// tools/calls.h: the calls of tools: those that are answered at once, and those under way, which wait for a process, for a person's
// leave, or for a worker.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sys/event.h"
#include "tools/desk_line.h"
#include "tools/leave.h"
#include "tools/replies.h"
#include "tools/tool.h"

namespace pale::tools {

// Who calls.
struct Origin {
  std::string id;              // JSON; empty: the client is to call again (newer era)
  std::string progress_token;  // JSON; empty if nobody wants to know
  Era era = Era::Older;
  bool elicits = false;       // its user can be asked by way of the client
  bool told_to_model = true;  // that arguments are wrong; else it is an error of the protocol
};

struct Running {
  Origin origin;
  const Tool* tool = nullptr;
  JsonValue arguments;
  std::unique_ptr<Job> job;
  // At the desk:
  std::uint64_t number = 0;
  std::unique_ptr<Leave> leave;     // that is asked for
  std::string question;             // that waits there, by its id
  std::string page;                 // the same in words
  std::string elicited;             // the one that the client was told of
  bool answered = false;            // by the client
  std::optional<FromDesk> settled;  // before the client called again
  std::int64_t told_ms = 0;
  std::uint64_t times_told = 0;
};

class Calls {
 public:
  Calls(const Workplace& place, DeskLine& desk, Replies& replies) : place_(place), desk_(desk), replies_(replies) {}

  void call(const Message& message, Origin origin);
  bool is_under_way(const std::string& id) const;
  void cancel(const std::string& id);
  // To something that the client was asked.
  void take_response(const Message& message);

  bool is_idle() const noexcept { return running_.empty(); }
  // Of those that the client waits for.
  bool is_awaited() const noexcept;
  void add_waits(std::vector<sys::Ready>& waits) const;
  std::int64_t patience(std::int64_t now_ms) const noexcept;  // milliseconds
  void look_after(std::int64_t now_ms);

 private:
  enum class Fate { GoesOn, Over };

  void begin(std::unique_ptr<Running> running, const Call& call);
  Fate perform(Running& running, const Call& call);
  Fate perform_allowed(Running& running);
  void ask(Running& running);
  void resume(const Message& message, Origin origin, const Tool& tool, const JsonValue& arguments);
  void take_answer(Running& running, const JsonValue& said);
  void elicit(Running& running);
  void take_back(const Running& running);
  Fate settle(Running& running, const FromDesk& said);
  Fate hear(Running& running, const FromDesk& said);
  void hear_desk();
  Fate look_after_job(Running& running, std::int64_t now_ms);
  void tell_output(Running& running, std::int64_t now_ms);
  void tell_waiting(Running& running, std::int64_t now_ms);
  void tell(Running& running, std::int64_t now_ms, std::uint64_t progress, std::string_view message);
  void answer(const Running& running, const Result<Answer>& result);

  const Workplace& place_;
  DeskLine& desk_;
  Replies& replies_;
  std::vector<std::unique_ptr<Running>> running_;
  std::uint64_t last_ = 0;
};

}  // namespace pale::tools
