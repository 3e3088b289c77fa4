// Whatever is killed, sessions are either alive and found again, or gone with everything in them; and the records say which.
#include <map>
#include <random>

#include "serving.h"

namespace pale::test {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class ServeIsKilled : public WithServer {
 protected:
  ServeIsKilled() : token_(make_token("admin").secret) {
    up();
    caller().must("project_create", {{"name", project_name_}, {"id", project_name_}, {"workspace_isolation", true}});
  }
  ~ServeIsKilled() override {
    for (const pid_t host : hosts()) kill(host, SIGKILL);
  }

  void up() { server_ = start_server(); }
  Caller caller() const { return {server_->port(), token_}; }
  std::string make_workspace() const {
    return caller().must("workspace_create", {{"project_id", project_name_}}).value("id", "");
  }
  std::string start(const std::string& workspace) const {
    return caller().must("session_start", {{"project_id", project_name_}, {"workspace_id", workspace}}).value("id", "");
  }
  // It goes on when nobody waits for it.
  void begin(const std::string& session, const std::string& command) const {
    caller().must("session_run", {{"session_id", session}, {"command", command}, {"wait", false}});
  }
  // A time to sleep that no other test has, by which the command is found among all processes.
  std::string sleep_word() { return std::to_string(1000 + ++words_) + "." + std::to_string(getpid()); }

  // All, or those of one session.
  std::vector<pid_t> hosts(const std::string& session = "session-host") const {
    std::vector<pid_t> ours;
    const auto named = processes_with(project_name_);
    for (const pid_t each : processes_with(session)) {
      if (std::ranges::find(named, each) != named.end()) ours.push_back(each);
    }
    return ours;
  }
  std::map<std::string, json> listed() const {
    std::map<std::string, json> sessions;
    const json answer = printed({"session", "list", "-p", project_name_, "--limit", "1000"});
    for (const json& each : answer.at("sessions")) sessions.emplace(each.at("id"), each);
    return sessions;
  }
  std::string written_by(const std::string& session) const { return pale({"session", "log", session, "--raw"}).out; }

  // Every process belongs to a session that is shown as running, and every such session has one; what began has ended, or runs
  // in a session that lives.
  void expect_true_records() {
    const auto sessions = listed();
    for (const pid_t each : hosts()) {
      std::string line = contents_of("/proc/" + std::to_string(each) + "/cmdline");
      const bool known = std::ranges::any_of(sessions, [&](const auto& entry) {
        return entry.second.at("state") == "running" && line.find(entry.first) != std::string::npos;
      });
      std::ranges::replace(line, '\0', ' ');
      EXPECT_TRUE(known || line.empty()) << "nobody shows it: " << line;
    }
    for (const auto& [id, session] : sessions) {
      const bool lives = session.at("state") == "running";
      EXPECT_EQ(!hosts(id).empty(), lives) << id << " " << session.dump();
      if (!lives && !over_.insert(id).second) continue;  // Nothing happens there any more.
      const json whole = printed({"session", "show", id});
      for (const json& run : whole.at("runs")) {
        const bool over = run.at("ended") != nullptr;
        EXPECT_TRUE(over || lives) << id << " " << run.dump();
        EXPECT_EQ(over, run.at("ending").is_string() && run.at("ending") != "") << id << " " << run.dump();
      }
    }
    const Finished checked =
        run({.arguments = {"/usr/bin/python3", "-c",
                           "import sqlite3, sys\n"
                           "base = sqlite3.connect(sys.argv[1])\n"
                           "print(base.execute('PRAGMA integrity_check').fetchone()[0])\n"
                           "print(base.execute('SELECT count(*) FROM runs r JOIN sessions s ON s.key = r.session "
                           "WHERE s.ended_ms IS NOT NULL AND r.ended_ms IS NULL').fetchone()[0])",
                           in_pale_home("history.db").string()},
             .account = GetParam()});
    EXPECT_EQ(checked.out, "ok\n0\n") << checked.err;
  }

  std::string token_;
  std::string project_name_ = "kill-" + std::to_string(getpid());
  std::unique_ptr<ServerProcess> server_;
  std::set<std::string> over_;  // sessions that were looked at when nothing was left of them
  int words_ = 0;
};
INSTANTIATE_TEST_SUITE_P(As, ServeIsKilled, testing::ValuesIn(accounts()),
                         [](const auto& which) { return account_name(which.param); });

TEST_P(ServeIsKilled, AndSessionsGoOnAndAreFoundAgain) {
  const std::string session = start(make_workspace());
  begin(session, "echo before; while [ ! -e go ]; do sleep 0.05; done; echo after; echo more >&2");
  ASSERT_TRUE(eventually([&] { return written_by(session) == "before\n"; }));
  EXPECT_EQ(server_->end(SIGKILL), 128 + SIGKILL);
  const std::string workspace = printed({"session", "show", session}).at("workspace");
  std::ofstream(in_pale_home("projects/" + project_name_ + "/workspaces/" + workspace + "/go")) << "";
  // While there is no server: the session needs none.
  ASSERT_TRUE(eventually([&] { return written_by(session).find("more") != std::string::npos; }));
  up();
  EXPECT_EQ(caller().must("session_get", {{"session_id", session}}).at("state"), "running");
  const std::string log = caller().must("session_log", {{"session_id", session}}).dump();
  EXPECT_THAT(log, HasSubstr("after"));
  EXPECT_THAT(log, HasSubstr("more"));
  const Json run = caller().must("session_run", {{"session_id", session}, {"command", "echo again; ls"}});
  EXPECT_EQ(run.at("run"), 2);
  EXPECT_EQ(run.at("stdout"), "again\ngo\n");
  expect_true_records();
  caller().must("session_end", {{"session_id", session}});
  EXPECT_TRUE(eventually([&] { return hosts().empty(); }));
  expect_true_records();
}

TEST_P(ServeIsKilled, WhileACallerWaitsAndTheCommandStillEndsOnRecord) {
  const std::string session = start(make_workspace());
  HttpAnswer answer;
  std::jthread waiting(
      [&] { answer = caller().call("session_run", {{"session_id", session}, {"command", "sleep 1; echo done"}}); });
  EXPECT_TRUE(eventually([&] { return printed({"session", "show", session}).at("runs").size() == 1; }));
  server_->end(SIGKILL);
  waiting.join();
  EXPECT_NE(answer.status, 200);
  up();
  ASSERT_TRUE(eventually([&] {
    return caller().must("session_get", {{"session_id", session}}).at("recent_runs").at(0).value("exit_code", -1) == 0;
  }));
  EXPECT_EQ(written_by(session), "done\n");
  caller().must("session_end", {{"session_id", session}});
}

TEST_P(ServeIsKilled, BySigtermItEndsCleanlyAndSessionsStay) {
  const std::string one = start(make_workspace()), other = start(make_workspace());
  begin(other, "sleep " + sleep_word());
  EXPECT_EQ(server_->end(SIGTERM), 0);
  EXPECT_EQ(hosts(one).empty(), false);
  EXPECT_EQ(hosts(other).empty(), false);
  up();
  for (const std::string& session : {one, other})
    EXPECT_EQ(caller().must("session_get", {{"session_id", session}}).at("state"), "running");
  EXPECT_EQ(caller().must("session_list", {{"state", "running"}}).at("sessions").size(), 2U);
  expect_true_records();
  EXPECT_EQ(server_->end(SIGINT), 0);
  for (const std::string& session : {one, other}) EXPECT_EQ(pale({"session", "end", session}).exit_code, 0);
  EXPECT_TRUE(eventually([&] { return hosts().empty(); }));
}

TEST_P(ServeIsKilled, ASessionWhoseHostIsKilledIsGoneWithAllThatRanInIt) {
  const std::string workspace = make_workspace(), session = start(workspace), word = sleep_word();
  caller().must("session_run", {{"session_id", session}, {"command", "setsid sleep " + word + " & exit 3"}});
  begin(session, "sleep " + word);
  ASSERT_TRUE(eventually([&] { return processes_with("sleep " + word).size() >= 2; }));
  const auto sandbox = sandboxes_below(hosts(session));
  EXPECT_FALSE(sandbox.empty());
  for (const pid_t host : hosts(session)) kill(host, SIGKILL);
  EXPECT_TRUE(eventually([&] { return processes_with(word).empty() && hosts(session).empty() && are_gone(sandbox); }))
      << processes_with(word).size() << " left";
  const Json shown = caller().must("session_get", {{"session_id", session}});
  EXPECT_EQ(shown.at("state"), "ended");
  EXPECT_EQ(shown.at("ending"), "killed");
  EXPECT_EQ(shown.at("recent_runs").at(0).at("exit_code"), 3);
  EXPECT_EQ(shown.at("recent_runs").at(1).at("ending"), "killed");
  EXPECT_EQ(listed().at(session).at("ending"), "killed");
  const HttpAnswer refused = caller().call("session_run", {{"session_id", session}, {"command", "true"}});
  EXPECT_FALSE(succeeded(refused));
  expect_true_records();
  const std::string next = start(workspace);
  EXPECT_EQ(caller().must("session_run", {{"session_id", next}, {"command", "true"}}).at("exit_code"), 0);
  caller().must("session_end", {{"session_id", next}});
}

// Sessions are being started, run in and ended while it happens.
TEST_P(ServeIsKilled, AtAnyMomentWithItsSessionsAndNobodyIsLost) {
  constexpr int kRounds = 24;
  std::minstd_rand random(20261116);
  std::vector<std::string> workspaces;
  for (int each = 0; each < 3; ++each) workspaces.push_back(make_workspace());
  for (int round = 0; round < kRounds; ++round) {
    const std::string word = sleep_word();
    const int port = server_->port();
    std::vector<std::jthread> callers;
    for (const std::string& workspace : workspaces) {
      callers.emplace_back([&, port, workspace] {
        Caller who(port, token_);
        const Json begun =
            who.call("session_start", {{"project_id", project_name_}, {"workspace_id", workspace}}).json();
        if (!begun.is_object() || !begun.contains("result")) return;
        const Json session = {
            {"session_id", begun["result"].value("structuredContent", Json::object()).value("id", "")}};
        Json work = session;
        work["command"] = "echo x > y; sleep " + word + " & sleep 0.02; echo z";
        for (int each = 0; each < 3; ++each) (void)who.call("session_run", work);
        if (round % 2 == 0) (void)who.call("session_end", session);
      });
    }
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 150'000));
    const auto living = hosts();
    const auto sandboxes = sandboxes_below(living);
    if (round % 3 != 0) server_->end(SIGKILL);
    if (round % 3 != 1 && !living.empty()) kill(living[random() % living.size()], SIGKILL);
    for (std::jthread& each : callers) each.join();
    if (round % 3 != 0) up();
    // Those that were on their way up still come, and are shown.
    EXPECT_TRUE(eventually([&] {
      const auto sessions = listed();
      return std::ranges::all_of(hosts(), [&](pid_t host) {
        const std::string line = contents_of("/proc/" + std::to_string(host) + "/cmdline");
        return line.empty() || std::ranges::any_of(sessions, [&](const auto& entry) {
                 return entry.second.at("state") == "running" && line.find(entry.first) != std::string::npos;
               });
      });
    })) << "round "
        << round;
    for (const auto& [id, session] : listed()) {
      if (session.at("state") != "running") continue;
      const HttpAnswer used = caller().call("session_run", {{"session_id", id}, {"command", {"true"}}});
      EXPECT_TRUE(succeeded(used) || used.body.find("runs in this session already") != std::string::npos ||
                  hosts(id).empty())
          << "round " << round << "\n"
          << used.body;
      (void)caller().call("session_end", {{"session_id", id}});
    }
    EXPECT_TRUE(eventually([&] { return hosts().empty() && processes_with(word).empty() && are_gone(sandboxes); }))
        << "round " << round << ": " << hosts().size() << " hosts, " << processes_with(word).size() << " commands";
    expect_true_records();
    if (HasFailure()) return;
  }
  EXPECT_GE(listed().size(), static_cast<std::size_t>(kRounds));
  for (const auto& entry : fs::directory_iterator(in_pale_home("live"))) ADD_FAILURE() << entry.path();
}

}  // namespace
}  // namespace pale::test
