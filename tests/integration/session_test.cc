// Sessions: a sandbox that stays, and commands in it one after another.
#include "support/session.h"

#include <csignal>
#include <thread>

#include "tenants.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class Sessions : public WithTenants {
 protected:
  void SetUp() override {
    project_id_ = new_project({{"workspace_isolation", true}});
    workspace_ = new_workspace(project_id_);
  }
  std::string start(const Json& more = Json::object()) { return new_session(project_id_, workspace_, more); }
  Json get(const std::string& session) { return client_.call("session_get", {{"session_id", session}}); }
  // Everything in its log of one kind.
  Json logged(const std::string& session, const std::string& kind) {
    Json found = Json::array();
    const Json log = client_.call("session_log", {{"session_id", session}, {"limit", 1000}});
    for (const Json& event : log.at("events")) {
      if (event.at("kind") == kind) found.push_back(event);
    }
    return found;
  }
  // Processes of this machine whose command line is exactly this.
  static std::vector<int> processes(const std::string& command_line) {
    std::vector<int> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
      std::string text = read(entry.path() / "cmdline");
      std::ranges::replace(text, '\0', ' ');
      if (text == command_line + " ") found.push_back(std::stoi(entry.path().filename().string()));
    }
    return found;
  }
  static bool becomes_true(const std::function<bool()>& condition) {
    for (int tries = 0; tries < 400; ++tries) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    return false;
  }
  std::string project_id_;
  std::string workspace_;
};

TEST_P(Sessions, ManyCommandsRunInOneSandbox) {
  const std::string session = start();
  EXPECT_EQ(output_in(session, "echo one > /tmp/kept; readlink /proc/self/ns/mnt"),
            output_in(session, "readlink /proc/self/ns/mnt"));
  EXPECT_EQ(output_in(session, "cat /tmp/kept"), "one\n");
  EXPECT_EQ(
      client_.call("session_run", {{"session_id", session}, {"command", {"/bin/echo", "a b", "$HOME"}}}).at("stdout"),
      "a b $HOME\n");
  EXPECT_EQ(run_in(session, "exit 7").at("exit_code"), 7);
  EXPECT_EQ(run_in(session, "kill -9 $$").at("exit_code"), 137);
  const Json seen = get(session);
  EXPECT_EQ(seen.at("runs"), 6);
  EXPECT_EQ(seen.at("state"), "running");
  EXPECT_EQ(seen.at("recent_runs")[4].at("exit_code"), 7);
}

TEST_P(Sessions, EveryCommandIsConfinedLikeTheFirst) {
  const std::string session = start();
  for (int round = 0; round < 2; ++round) {
    const std::string status =
        output_in(session, "grep -E 'NoNewPrivs|Seccomp:|CapEff' /proc/self/status; ls /proc/self/fd | wc -l");
    EXPECT_THAT(status, AllOf(HasSubstr("NoNewPrivs:\t1"), HasSubstr("Seccomp:\t2"),
                              HasSubstr("CapEff:\t0000000000000000"), HasSubstr("\n4\n")));
    EXPECT_THAT(
        run_in(session, "kill -9 1; unshare -Ur true; cat /root/.ssh/id_rsa; echo x > /etc/x").value("stderr", ""),
        AllOf(HasSubstr("unshare"), HasSubstr("No such file or directory"), HasSubstr("Read-only file system")));
  }
  const Json parent = run_in(session, "cd /proc/$PPID; cat fd/3 environ mem; true");
  EXPECT_EQ(parent.at("stdout"), "") << "of what starts the commands nothing is seen";
  EXPECT_EQ(parent.at("stderr"),
            "cat: fd/3: Permission denied\ncat: environ: Permission denied\ncat: mem: Permission denied\n");
  EXPECT_EQ(get(session).at("state"), "running");
}

TEST_P(Sessions, ACommandThatIsNotThereSaysSo) {
  const std::string session = start();
  const Json tried = client_.call("session_run", {{"session_id", session}, {"command", {"no-such-command"}}});
  EXPECT_EQ(tried.at("exit_code"), 127);
  EXPECT_EQ(tried.at("ending"), "failed");
  EXPECT_EQ(tried.at("stderr"), "pale: no-such-command: No such file or directory\n");
  const Json elsewhere =
      client_.call("session_run", {{"session_id", session}, {"command", "pwd"}, {"directory", "nowhere"}});
  EXPECT_EQ(elsewhere.at("exit_code"), 127);
  EXPECT_EQ(client_.call("session_run", {{"session_id", session}, {"command", {"/etc/passwd"}}}).at("exit_code"), 126);
  EXPECT_EQ(output_in(session, "mkdir below; echo still here"), "still here\n");
  EXPECT_EQ(
      client_.call("session_run", {{"session_id", session}, {"command", "pwd"}, {"directory", "below"}}).at("stdout"),
      "/workspace/below\n");
}

TEST_P(Sessions, OutputComesWhileTheCommandRuns) {
  const std::string session = start();
  const int call =
      client_.begin("session_run", {{"session_id", session}, {"command", "echo first; read line; echo \"got $line\""}});
  EXPECT_EQ(client_.next_progress(call), "first\n");
  client_.call("session_input", {{"session_id", session}, {"text", "an answer\n"}});
  // What comes with the end of a call, a client may leave out.
  EXPECT_EQ(client_.result_of(call).at("result").at("structuredContent").at("stdout"), "first\ngot an answer\n");
  EXPECT_THAT(client_.refusal("session_input", {{"session_id", session}, {"text", "too late\n"}}),
              HasSubstr("no such command runs"));
}

TEST_P(Sessions, OneCommandAtATime) {
  const std::string session = start();
  const int call = client_.begin("session_run", {{"session_id", session}, {"command", "echo begun; cat"}});
  EXPECT_EQ(client_.next_progress(call), "begun\n");
  EXPECT_THAT(client_.refusal("session_run", {{"session_id", session}, {"command", "true"}}),
              HasSubstr("a command runs in this session already"));
  client_.call("session_input", {{"session_id", session}, {"text", ""}, {"end", true}});
  EXPECT_EQ(client_.result_of(call).at("result").at("structuredContent").at("exit_code"), 0);
}

TEST_P(Sessions, CancellingACallEndsTheCommandAndAllItStarted) {
  const std::string session = start();
  const std::string mark = "sleep 7654" + std::to_string(getpid() % 1000);
  run_in(session, "sleep 98765 >/dev/null 2>&1 & echo of an earlier command");
  const int call = client_.begin(
      "session_run", {{"session_id", session},
                      {"command", "trap '' TERM; setsid sh -c '(" + mark + ") & " + mark + "' & echo begun; " + mark}});
  EXPECT_EQ(client_.next_progress(call), "begun\n");
  ASSERT_TRUE(becomes_true([&] { return processes(mark).size() >= 2; }));
  client_.cancel(call);
  EXPECT_TRUE(becomes_true([&] { return processes(mark).empty(); })) << processes(mark).size() << " are left";
  EXPECT_TRUE(becomes_true([&] { return get(session).at("last_run").value("ending", "") == "cancelled"; }));
  EXPECT_THAT(output_in(session, "ps ax -o args"), HasSubstr("sleep 98765"));
}

TEST_P(Sessions, ALaterCommandEndsWhatAnEarlierOneLeft) {
  const std::string session = start();
  const std::string mark = "sleep 8765" + std::to_string(getpid() % 1000);
  EXPECT_EQ(output_in(session, mark + " >/dev/null 2>&1 & echo $! > /tmp/left; echo it runs"), "it runs\n");
  ASSERT_TRUE(becomes_true([&] { return processes(mark).size() == 1; }));
  EXPECT_EQ(output_in(session, "kill $(cat /tmp/left) && echo ended"), "ended\n");
  EXPECT_TRUE(becomes_true([&] { return processes(mark).empty(); }));
}

// Also what starts the commands is among those whom a command may signal.
TEST_P(Sessions, WhoEndsEverybodyInsideEndsNoSession) {
  const std::string session = start();
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(run_in(session, "kill -9 -1; exit 7").at("exit_code"), 7);
    EXPECT_EQ(run_in(session, "echo x > /etc/x || exit 3").at("exit_code"), 3) << "confined like the first";
  }
  EXPECT_EQ(output_in(session, "touch .envrc; echo $?"), "1\n") << "and watched";
  EXPECT_EQ(get(session).at("runs"), 7);
  EXPECT_EQ(get(session).at("state"), "running");
}

TEST_P(Sessions, ATimeLimitEndsACommandAndNotTheSession) {
  const std::string session = start();
  const Json ended =
      client_.call("session_run", {{"session_id", session}, {"command", "sleep 600"}, {"timeout_seconds", 1}});
  EXPECT_EQ(ended.at("ending"), "timed_out");
  EXPECT_EQ(ended.at("exit_code"), 143);
  EXPECT_EQ(run_in(session, "true").at("exit_code"), 0);
}

TEST_P(Sessions, ASessionSurvivesItsClientAndIsReattached) {
  const std::string session = start();
  {
    McpClient other(GetParam(), project_.environment());
    const Json begun = other.call(
        "session_run",
        {{"session_id", session}, {"command", "sleep 0.3; echo written later; echo x > done"}, {"wait", false}});
    EXPECT_EQ(begun.at("state"), "running");
    other.kill();
  }
  EXPECT_TRUE(becomes_true([&] { return get(session).at("last_run").at("state") == "ended"; }));
  EXPECT_THAT(logged(session, "output").dump(), HasSubstr("written later"));
  EXPECT_EQ(output_in(session, "cat done"), "x\n");
}

TEST_P(Sessions, TheLogTellsWhatWasDeniedAndChanged) {
  const std::string session = start();
  run_in(session, "echo x > .vscode; echo y > made; mkdir -p .git/hooks");
  EXPECT_THAT(logged(session, "denied").dump(),
              AllOf(HasSubstr("/workspace/.vscode"), HasSubstr("default"), HasSubstr("/workspace/.git/hooks")));
  EXPECT_THAT(logged(session, "changed").dump(), AllOf(HasSubstr("/workspace/made"), Not(HasSubstr(".vscode"))));
  EXPECT_EQ(logged(session, "started").size(), 1U);
  const Json receipt = get(session).at("receipt");
  EXPECT_EQ(receipt.at("noNewPrivileges"), true);
  EXPECT_EQ(receipt.at("backend"), "namespaces");
}

TEST_P(Sessions, AFloodIsCutShortAndStopsNobody) {
  const std::string session = start();
  EXPECT_EQ(run_in(session, "i=0; while [ $i -lt 6000 ]; do : > file$i; i=$((i+1)); done").at("exit_code"), 0);
  const Json large =
      client_.call("session_run", {{"session_id", session}, {"command", "head -c 3000000 /dev/zero | tr '\\0' x"}});
  EXPECT_EQ(large.at("truncated"), true);
  EXPECT_EQ(large.value("stdout", "").size(), 262144U);
  EXPECT_EQ(run_in(session, "echo $(ls | wc -l)").at("stdout"), "6000\n");
}

TEST_P(Sessions, BytesThatAreNotTextAreShownAsSuch) {
  const std::string session = start();
  EXPECT_EQ(output_in(session, "printf 'a\\377b'"),
            "a\xef\xbf\xbd"
            "b");
}

TEST_P(Sessions, EndingOneEndsEverythingInside) {
  const std::string session = start();
  const std::string mark = "sleep 43210";
  run_in(session, "setsid " + mark + " >/dev/null 2>&1 & echo left");
  ASSERT_TRUE(becomes_true([&] { return processes(mark).size() == 1; }));
  client_.call("session_end", {{"session_id", session}});
  EXPECT_TRUE(processes(mark).empty());
  EXPECT_EQ(get(session).at("state"), "ended");
  EXPECT_EQ(get(session).at("ending"), "ended");
  EXPECT_THAT(client_.refusal("session_run", {{"session_id", session}, {"command", "true"}}),
              HasSubstr("no session of that id lives"));
  EXPECT_FALSE(std::filesystem::exists(project_.pale_home() / "live" / session));
}

TEST_P(Sessions, ALifeHasAnEnd) {
  const std::string brief = start({{"seconds", 1}});
  const std::string idle = start({{"idle_seconds", 1}});
  EXPECT_TRUE(becomes_true([&] { return get(brief).value("ending", "") == "timed_out"; }));
  EXPECT_TRUE(becomes_true([&] { return get(idle).value("ending", "") == "idle"; }));
}

TEST_P(Sessions, AProtectedPathThatAppearsEndsIt) {
  const std::string session = start();
  write(workspace_on_disk(project_id_, workspace_) / ".envrc", "put there from outside");
  EXPECT_TRUE(becomes_true([&] { return get(session).value("ending", "") == "contained"; }));
  EXPECT_FALSE(std::filesystem::exists(workspace_on_disk(project_id_, workspace_) / ".envrc"));
}

TEST_P(Sessions, ADiskLimitEndsTheCommandThatPassesIt) {
  const std::string session = start({{"disk", 4 << 20}});
  const Json filled = run_in(session, "head -c 16000000 /dev/urandom > big; sleep 60");
  EXPECT_EQ(filled.at("ending"), "disk");
  EXPECT_EQ(run_in(session, "rm big").at("exit_code"), 0);
  EXPECT_EQ(run_in(session, "sleep 1.5; echo fine").at("stdout"), "fine\n");
}

TEST_P(Sessions, AProjectsLimitsAreForAllItsSessions) {
  client_.call("project_update", {{"project_id", project_id_}, {"limits", {{"sessions", 2}, {"pids", 200}}}});
  const std::string first = start();
  EXPECT_EQ(get(first).at("limits").at("pids"), 100);
  EXPECT_THAT(
      client_.refusal("session_start", {{"project_id", project_id_}, {"workspace_id", workspace_}, {"pids", 150}}),
      HasSubstr("is not enough for another session: 100 left of 200"));
  const std::string second = start();
  EXPECT_THAT(client_.refusal("session_start", {{"project_id", project_id_}, {"workspace_id", workspace_}}),
              HasSubstr("as many sessions as it may have: 2"));
  client_.call("session_end", {{"session_id", first}});
  start();
}

TEST_P(Sessions, AForkBombIsBounded) {
  const std::string session = start({{"pids", 30}});
  const Json bomb = client_.call(
      "session_run", {{"session_id", session}, {"command", "f() { f | f & }; f; sleep 1"}, {"timeout_seconds", 20}});
  EXPECT_THAT(bomb.value("stderr", ""), HasSubstr("fork"));
  client_.call("session_end", {{"session_id", session}});
}

TEST_P(Sessions, DeletingAWorkspaceWaitsForItsSession) {
  const std::string session = start();
  EXPECT_THAT(client_.refusal("workspace_delete", {{"project_id", project_id_}, {"workspace_id", workspace_}}),
              HasSubstr("session"));
  EXPECT_EQ(get(session).at("state"), "running");
  EXPECT_TRUE(std::filesystem::exists(workspace_on_disk(project_id_, workspace_)));
  client_.call("workspace_delete", {{"project_id", project_id_}, {"workspace_id", workspace_}, {"force", true}});
  EXPECT_FALSE(std::filesystem::exists(workspace_on_disk(project_id_, workspace_)));
  EXPECT_EQ(get(session).at("state"), "ended");
}

TEST_P(Sessions, WorkInAStageIsAppliedWhenItWasLookedAt) {
  const std::string session = start({{"stage", "fix"}});
  run_in(session, "echo new > file");
  EXPECT_FALSE(std::filesystem::exists(workspace_on_disk(project_id_, workspace_) / "file"));
  const Json where = {{"project_id", project_id_}, {"workspace_id", workspace_}, {"stage", "fix"}};
  EXPECT_THAT(client_.call("stage_diff", where).at("files")[0].value("patch", ""), HasSubstr("+new"));
  client_.call("session_end", {{"session_id", session}});
  EXPECT_EQ(client_.call("stage_apply", where).at("applied"), true);
  EXPECT_EQ(read(workspace_on_disk(project_id_, workspace_) / "file"), "new\n");
  const std::string again = start({{"stage", "other"}});
  run_in(again, "echo bad > file");
  client_.call("session_end", {{"session_id", again}});
  EXPECT_EQ(
      client_.call("stage_discard", {{"project_id", project_id_}, {"workspace_id", workspace_}, {"stage", "other"}})
          .at("discarded"),
      true);
  EXPECT_EQ(read(workspace_on_disk(project_id_, workspace_) / "file"), "new\n");
}

TEST_P(Sessions, TheCommandLineTalksToTheSameSessions) {
  const std::string session =
      pale({"session", "start", "-p", project_id_, "--workspace", workspace_}).out.substr(0, 36);
  EXPECT_EQ(pale({"session", "run", session, "--", "cat"}, "through the pipe\n").out, "through the pipe\n");
  EXPECT_EQ(pale({"session", "run", session.substr(0, 8), "--", "sh", "-c", "echo bad >&2; exit 3"}).exit_code, 3);
  EXPECT_EQ(output_in(session, "pwd"), "/workspace\n");
  EXPECT_EQ(get(session).at("runs"), 3);
  EXPECT_THAT(pale({"session", "list"}).out, HasSubstr(session));
  EXPECT_EQ(pale({"session", "kill", session}).exit_code, 0);
  EXPECT_TRUE(becomes_true([&] { return get(session).value("ending", "") == "killed"; }));
  EXPECT_EQ(pale({"session", "run", session, "--", "true"}).exit_code, 2);
}

TEST_P(Sessions, HowACommandEndedIsToldAlsoIfTheInputEndsAtThatMoment) {
  const std::string session = start();
  const std::string wait = "echo begun; until [ -e go ]; do sleep 0.05; done; exit 3";
  Session client({.arguments = {pale_program(), "session", "run", session, "--", "sh", "-c", wait},
                  .account = GetParam(),
                  .environment = project_.environment()},
                 Line::Pipes);
  client.expect("begun");
  client.send_signal(SIGSTOP);
  write(workspace_on_disk(project_id_, workspace_) / "go", "");
  EXPECT_TRUE(becomes_true([&] { return logged(session, "exit").size() == 1; }));
  client.close_input();
  client.send_signal(SIGCONT);
  EXPECT_EQ(client.finish().exit_code, 3);
}

TEST_P(Sessions, AWorkspaceIdIsNoPath) {
  for (const char* id : {"..", ".", "", "../..", "a/b", "00000000-0000-0000-0000-000000000000"})
    client_.refusal("session_start", {{"project_id", project_id_}, {"workspace_id", id}});
  for (const char* id : {"..", "", "no-such-project", "chat/../chat"}) {
    client_.refusal("session_start", {{"project_id", id}, {"workspace_id", workspace_}});
    EXPECT_EQ(pale({"session", "start", "-p", id, "--workspace", workspace_}).exit_code, 2) << id;
  }
  EXPECT_EQ(client_.call("session_list").at("sessions"), Json::array());
}

INSTANTIATE_TEST_SUITE_P(As, Sessions, testing::ValuesIn(accounts()), account_suffix);

}  // namespace
}  // namespace pale::test
