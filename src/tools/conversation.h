// tools/conversation.h: the Model Context Protocol with one client, in both of its eras; what it carries, others read and write.
//
// The older era opens with `initialize` and remembers the client. The newer (2026-07-28) remembers nothing: each request says in
// its _meta which version it speaks.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "tools/calls.h"

namespace pale::tools {

class Conversation {
 public:
  Conversation(const Workplace& place, std::string_view version, DeskLine& desk)
      : place_(place), version_(version), replies_(version), calls_(place, desk, replies_) {}

  // One line; empty ones say nothing. Answers go to `unsent`.
  void take(std::string_view line);
  void take_too_long();
  std::string& unsent() noexcept { return replies_.unsent; }
  const std::string& unsent() const noexcept { return replies_.unsent; }

  Calls& calls() noexcept { return calls_; }
  const Calls& calls() const noexcept { return calls_; }

 private:
  using Outcome = std::expected<std::string, Fault>;  // a result, as JSON

  void take_request(const Message& message);
  std::optional<Fault> check(const Message& message, Era era) const;
  Origin origin_of(const Message& message, Era era) const;
  Outcome initialize(const JsonValue& params);
  std::string discover() const;
  std::string list_tools() const;

  const Workplace& place_;
  std::string_view version_;  // of this program
  std::string_view spoken_;   // of the protocol, in the older era; empty before `initialize`
  bool elicits_ = false;      // the client, in the older era
  Replies replies_;
  Calls calls_;
};

}  // namespace pale::tools
