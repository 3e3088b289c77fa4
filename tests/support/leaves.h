// tests/support/leaves.h: for calls that need somebody's leave, or a worker: the test is the client, and the desk as well.
#pragma once

#include <sys/socket.h>

#include "support/workbench.h"
#include "tools/calls.h"
#include "tools/conversation.h"

namespace pale::tools {

class Leaves : public Workbench {
 protected:
  Leaves() {
    int pair[2] = {};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair) != 0) throw std::runtime_error("pair");
    line_ = pair[0];
    desk_.emplace(sys::Fd(pair[1]));
    place_.approvals.rules = {{base(), Consent::Free, Consent::Free, "default"},
                              {base() / "data", Consent::Ask, Consent::Ask, "zone data"},
                              {base() / "shut", Consent::Blocked, Consent::Blocked, "zone shut"}};
    place_.workers = "index";
    conversation_.emplace(place_, "1", *desk_);
    write("data/a", "one\n");
    write("shut/a", "one\n");
  }
  ~Leaves() override { close(line_); }

  void open(const Json& capabilities) {
    (void)say({{"id", 0},
               {"method", "initialize"},
               {"params", {{"protocolVersion", "2025-11-25"}, {"capabilities", capabilities}}}});
  }
  // What the client hears after it said this.
  std::vector<Json> say(Json message) {
    message["jsonrpc"] = "2.0";
    conversation_->take(message.dump());
    return heard();
  }
  std::vector<Json> heard() {
    conversation_->calls().look_after(++now_);
    std::istringstream lines(std::exchange(conversation_->unsent(), {}));
    std::vector<Json> messages;
    for (std::string line; std::getline(lines, line);) messages.push_back(Json::parse(line));
    return messages;
  }
  std::vector<Json> call(int id, const std::string& tool, const Json& arguments, Json more = Json::object()) {
    more["name"] = tool;
    more["arguments"] = arguments;
    return say({{"id", id}, {"method", "tools/call"}, {"params", more}});
  }
  static Json newer(const Json& capabilities = {{"elicitation", Json::object()}}) {
    return {{"_meta",
             {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"},
              {"io.modelcontextprotocol/clientCapabilities", capabilities}}}};
  }
  // What the desk hears; one thing at a time.
  Json asked() {
    std::string text(1 << 20, 0);
    const ssize_t got = ::read(line_, text.data(), text.size());
    return got <= 0 ? Json() : Json::parse(text.substr(0, static_cast<std::size_t>(got)));
  }
  std::vector<Json> tell(const FromDesk& said) {
    const std::string line = to_line(said);
    EXPECT_EQ(::write(line_, line.data(), line.size()), static_cast<ssize_t>(line.size()));
    return heard();
  }
  std::vector<Json> waits(std::uint64_t number) {
    return tell({.kind = FromDesk::Kind::Waits, .number = number, .question = "aaaa2222", .page = "the page"});
  }
  std::vector<Json> decided(std::uint64_t number, bool approved, const std::string& why = {}) {
    return tell({.kind = FromDesk::Kind::Decided, .number = number, .approved = approved, .sentence = why});
  }

  bool exists(const std::string& name) const { return std::filesystem::exists(base_ / name); }

  int line_ = -1;
  std::int64_t now_ = 1000;
  std::optional<DeskLine> desk_;
  std::optional<Conversation> conversation_;
};

}  // namespace pale::tools
