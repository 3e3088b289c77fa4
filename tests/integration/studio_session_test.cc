// Sessions through Studio: started, watched as they go on, given input, stopped; and streams for many pages at a time.
#include <poll.h>

#include "studio.h"
#include "support/web.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// A stream of events that is open.
class EventLine {
 public:
  EventLine(const StudioPage& page, const std::string& target, const std::string& after = {}) {
    line_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(page.port()));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(line_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    std::string text = "GET /api/v1" + target + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(page.port()) +
                       "\r\nAccept: text/event-stream\r\nCookie: " + page.cookie() + "\r\n";
    if (!after.empty()) text += "Last-Event-ID: " + after + "\r\n";
    text += "\r\n";
    EXPECT_EQ(::send(line_, text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
  }
  EventLine(const EventLine&) = delete;
  EventLine& operator=(const EventLine&) = delete;
  ~EventLine() { close(line_); }

  // All that came, once this stands in it.
  const std::string& until(const std::string& text) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (heard_.find(text) == std::string::npos && std::chrono::steady_clock::now() < end) {
      pollfd ready = {line_, POLLIN, 0};
      poll(&ready, 1, 100);
      char buffer[65536];
      const ssize_t got = ready.revents != 0 ? recv(line_, buffer, sizeof buffer, MSG_DONTWAIT) : -1;
      if (got == 0) break;
      if (got > 0) heard_.append(buffer, static_cast<std::size_t>(got));
    }
    EXPECT_THAT(heard_, HasSubstr(text));
    return heard_;
  }
  const std::string& heard() const { return heard_; }

 private:
  int line_;
  std::string heard_;
};

class StudioSessions : public WithStudio {
 protected:
  std::string start(const std::string& line, bool staged = false) const {
    return did("POST", "/sessions", {{"command", {"/bin/sh", "-c", line}}, {"stage", staged}})["id"];
  }
  std::string outputs(const std::string& id) const {
    std::string text;
    const Json page = got("/sessions/" + id + "/events");
    for (const Json& event : page["events"]) text += event.value("text", "");
    return text;
  }
};

TEST_P(StudioSessions, ConnectionsAreToldOfWhileItRuns) {
  const Web web(project_);
  write_pale_home("config.toml", web.config());
  ASSERT_EQ(pale({"config", "add", "hosts", "plain.test"}).exit_code, 0);
  write_manifest("[project]\nid = \"shop\"\n[network]\nmode = \"allow\"\nallow = [\"plain.test\"]\n");
  const std::string id =
      start("curl -sS http://plain.test/echo; curl -sS http://other.test/; read word; echo \"got $word\"");
  EventLine line(*page_, of_shop("/sessions/" + id + "/stream"));
  line.until(R"("verdict":"blocked")");
  EXPECT_THAT(line.until(R"("verdict":"allowed")"), Not(HasSubstr("event: over")));
  EXPECT_THAT(line.heard(), AllOf(HasSubstr(R"("host":"plain.test:80")"), HasSubstr(R"("host":"other.test:80")"),
                                  HasSubstr("allow it by other.test"), HasSubstr(R"("received":)")));
  did("POST", "/sessions/" + id + "/input", {{"data", "this\n"}});
  line.until("event: over");
}

TEST_P(StudioSessions, WhatItSaysComesWhileItRunsAndInputGoesIn) {
  const std::string id = start("echo begun; read word; echo \"got $word\"");
  EventLine line(*page_, of_shop("/sessions/" + id + "/stream"));
  line.until("begun");
  EXPECT_EQ(got("/sessions")["sessions"][0]["state"], "running");
  did("POST", "/sessions/" + id + "/input", {{"data", "this\n"}});
  line.until("got this");
  line.until("event: over");
  const Json whole = got("/sessions/" + id);
  EXPECT_EQ(whole["state"], "ended");
  EXPECT_EQ(whole["exit_code"], 0);
  EXPECT_EQ(whole["receipt"]["noNewPrivileges"], true) << whole.dump();
  // It is a session like others.
  EXPECT_THAT(pale({"session", "list"}).out, HasSubstr(id));
  EXPECT_THAT(pale({"session", "log", id}).out, HasSubstr("got this"));
  EXPECT_THAT(tried("POST", "/sessions/" + id + "/input", {{"data", "x"}}).body, HasSubstr("not_found"));
}

TEST_P(StudioSessions, ItRunsInTheProjectsBoundaryAndRefusalsAppearLive) {
  const std::string id =
      start("echo x > .envrc; echo y > fine; cat '" + project_.home().text() + "/.ssh/id_test'; read w");
  EventLine line(*page_, of_shop("/sessions/" + id + "/stream"));
  line.until("event: denied");
  const Json blocked = got("/accesses?kind=blocked&path=envrc")["accesses"];
  ASSERT_EQ(blocked.size(), 1U);
  EXPECT_EQ(blocked[0]["verdict"], "blocked");
  EXPECT_EQ(blocked[0]["session_id"], id);
  EXPECT_EQ(got("/accesses?kind=blocked&path=nothing")["accesses"].size(), 0U);
  EXPECT_EQ(got("/accesses?until=2020-01-01T00:00:00Z")["accesses"].size(), 0U);
  EXPECT_EQ(got("/overview")["blocked_today"], 1);
  did("POST", "/sessions/" + id + "/stop");
  EXPECT_FALSE(work().exists(".envrc"));
  EXPECT_TRUE(work().exists("fine"));
  EXPECT_THAT(outputs(id), Not(HasSubstr(Project::kSecret)));
}

TEST_P(StudioSessions, StoppingEndsAllOfIt) {
  const std::string mark = "4242" + std::to_string(getpid());
  const std::string id = start("trap '' TERM; sleep " + mark + " & echo on; sleep " + mark);
  EventLine line(*page_, of_shop("/sessions/" + id + "/stream"));
  line.until("on\\n");
  did("POST", "/sessions/" + id + "/stop");
  EXPECT_TRUE(eventually([&] { return processes_with("sleep " + mark).empty(); }));
  EXPECT_EQ(got("/sessions/" + id)["state"], "ended");
  line.until("event: over");
}

TEST_P(StudioSessions, ItOutlivesTheServer) {
  const std::string id = start("echo one; read w; echo two > after");
  EXPECT_TRUE(eventually([&] { return outputs(id).find("one") != std::string::npos; }));
  EXPECT_EQ(server_->end(SIGTERM), 0);
  serve();
  did("POST", "/sessions/" + id + "/input", {{"data", "go\n"}});
  EXPECT_TRUE(eventually([&] { return got("/sessions/" + id)["state"] == "ended"; }));
  EXPECT_EQ(work().read("after"), "two\n");
}

TEST_P(StudioSessions, AStreamGoesOnWhereItWasLeft) {
  const std::string id = ran("for i in 1 2 3 4 5; do echo line $i; sleep 0.05; done", false);
  EventLine whole(*page_, of_shop("/sessions/" + id + "/stream"));
  whole.until("event: over");
  const Json events = got("/sessions/" + id + "/events")["events"];
  const std::string second_last = std::to_string(events[events.size() - 2]["seq"].get<int>());
  EventLine rest(*page_, of_shop("/sessions/" + id + "/stream"), second_last);
  rest.until("event: over");
  EXPECT_THAT(rest.heard(), Not(HasSubstr("line 1")));
  EXPECT_THAT(rest.heard(), HasSubstr("event: ended"));
}

TEST_P(StudioSessions, BytesThatAreNoTextComeThrough) {
  const std::string id = ran("printf '\\377\\000x'", false);
  EXPECT_THAT(got("/sessions/" + id + "/events").dump(), HasSubstr("\"base64\":\"/wB4\""));
}

TEST_P(StudioSessions, WhatCannotBeginSaysWhy) {
  EXPECT_EQ(tried("POST", "/sessions", Json::object()).status, 400);
  EXPECT_EQ(tried("POST", "/sessions", {{"command", {"true"}}, {"agent", "claude"}}).status, 400);
  EXPECT_EQ(tried("POST", "/sessions", {{"command", {"true"}}, {"workspace", {"nowhere"}}}).status, 404);
  EXPECT_EQ(tried("POST", "/sessions", {{"command", "true"}}).status, 400);
  const std::string id = ran("exec /no/such/program", false);
  EXPECT_EQ(got("/sessions/" + id)["exit_code"], 127);
}

// One thread serves them; and pages that do not read hold up nobody.
TEST_P(StudioSessions, TwoHundredStreamsAreServedAtOnce) {
  const std::string id = start("echo begun; read w; echo all of you; seq 1 200000; read w");
  std::vector<std::unique_ptr<EventLine>> lines;
  for (int each = 0; each < 100; ++each) {
    lines.push_back(std::make_unique<EventLine>(*page_, of_shop("/sessions/" + id + "/stream")));
    lines.push_back(std::make_unique<EventLine>(*page_, of_shop("/stream")));
  }
  for (std::size_t each = 0; each < lines.size(); each += 2) lines[each]->until("begun");
  for (std::size_t each = 1; each < lines.size(); each += 2) lines[each]->until("event: changed");
  const auto tasks = std::filesystem::directory_iterator("/proc/" + std::to_string(server_->pid()) + "/task");
  EXPECT_LT(std::distance(begin(tasks), end(tasks)), 10);
  // None of them reads now, and much is said.
  did("POST", "/sessions/" + id + "/input", {{"data", "go\n"}});
  EXPECT_TRUE(eventually([&] { return got("/sessions/" + id)["last_event"].get<int>() > 20; }));
  EXPECT_EQ(page_->get("/me").status, 200);
  for (std::size_t each = 0; each < lines.size(); each += 20) lines[each]->until("all of you");
  did("POST", "/sessions/" + id + "/stop");
  for (std::size_t each = 1; each < lines.size(); each += 20) lines[each]->until("\"sessions\"");
  EXPECT_EQ(server_->end(SIGTERM), 0);
}

TEST_P(StudioSessions, AQuestionIsAnsweredOnceAndPutsNobodyFirstWhoDoesNotAsk) {
  const std::string id = start("echo on; read w");
  const auto asked = question("aaaa2222");
  EXPECT_EQ(got("/sessions")["sessions"][0]["needs_person"], false);
  const Json waiting = got("/approvals")["approvals"][0];
  EXPECT_EQ(waiting["content"], "+one\n");
  EXPECT_EQ(tried("POST", "/approvals/aaaa2222", {{"decision", "approve"}, {"digest", "another"}}).status, 409);
  EXPECT_EQ(tried("POST", "/approvals/aaaa2222", {{"decision", "perhaps"}, {"digest", waiting["digest"]}}).status, 400);
  const Json decided = did("POST", "/approvals/aaaa2222", {{"decision", "approve"}, {"digest", waiting["digest"]}});
  EXPECT_EQ(decided["decision"], "approved");
  EXPECT_THAT(asked->finish().out, HasSubstr("approved by"));
  EXPECT_EQ(tried("POST", "/approvals/aaaa2222", {{"decision", "deny"}, {"digest", waiting["digest"]}}).status, 404);
  did("POST", "/sessions/" + id + "/stop");
}

INSTANTIATE_TEST_SUITE_P(, StudioSessions, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
