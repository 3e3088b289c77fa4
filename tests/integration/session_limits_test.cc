// What a session may take, and how much is recorded of it.
#include <fstream>
#include <thread>

#include "tenants.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kMuch = ~0ULL / 2;

class SessionLimits : public WithTenants {
 protected:
  void SetUp() override {
    project_id_ = new_project({{"workspace_isolation", true}});
    workspace_ = new_workspace(project_id_);
  }
  std::string start(const Json& more = Json::object()) { return new_session(project_id_, workspace_, more); }
  Json get(const std::string& session) { return client_.call("session_get", {{"session_id", session}}); }
  Json where() const { return {{"project_id", project_id_}, {"workspace_id", workspace_}}; }
  std::filesystem::path record_of(const std::string& session) const {
    return on_disk(project_id_) / "sessions" / session;
  }
  // Everything of one kind that is on record, as `pale session log --json` has it.
  std::vector<Json> logged(const std::string& session, const std::string& kind) const {
    std::istringstream lines(pale({"session", "log", session, "--json"}).out);
    std::vector<Json> found;
    for (std::string line; std::getline(lines, line);) {
      Json event = Json::parse(line);
      if (event.value("kind", "") == kind) found.push_back(std::move(event));
    }
    return found;
  }
  static bool becomes_true(const std::function<bool()>& condition) {
    for (int tries = 0; tries < 800; ++tries) {
      if (condition()) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(25));
    }
    return false;
  }
  std::string project_id_;
  std::string workspace_;
};

// --- numbers ----------------------------------------------------------------------------------------------------------

TEST_P(SessionLimits, MoreThanThereCanBeIsRefusedOnTheWayIn) {
  for (const char* limit : {"memory", "pids", "disk", "seconds", "idle_seconds"}) {
    for (const std::uint64_t much : {kMuch, kMuch / 1000}) {
      Json arguments = where();
      arguments[limit] = much;
      EXPECT_THAT(client_.refusal("session_start", arguments), AllOf(HasSubstr(limit), HasSubstr("at most"))) << much;
    }
  }
  for (const char* limit : {"sessions", "memory", "pids", "disk", "seconds"})
    EXPECT_THAT(client_.refusal("project_update", {{"project_id", project_id_}, {"limits", {{limit, kMuch}}}}),
                HasSubstr("at most"));
  for (const char* option : {"--memory", "--pids", "--disk", "--time", "--idle"}) {
    const Finished done =
        pale({"session", "start", "-p", project_id_, "--workspace", workspace_, option, "18446744073709551615"});
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_THAT(done.err, AllOf(HasSubstr(std::string(option) + " is "), HasSubstr("at most"), HasSubstr("hint: ")));
  }
  for (const char* option : {"--sessions", "--memory", "--pids", "--disk", "--time"})
    EXPECT_THAT(pale({"project", "update", project_id_, option, "9223372036854775807"}).err, HasSubstr("at most"));
  EXPECT_EQ(client_.call("session_list").at("sessions"), Json::array());
  const std::string session = start();
  EXPECT_THAT(
      client_.refusal("session_run", {{"session_id", session}, {"command", "true"}, {"timeout_seconds", kMuch}}),
      HasSubstr("timeout_seconds"));
  EXPECT_THAT(pale({"session", "run", session, "--time", "9223372036854775807", "--", "true"}).err,
              HasSubstr("--time is 3650d at most"));
  EXPECT_THAT(client_.refusal("session_log", {{"session_id", session}, {"after", -1}}), HasSubstr("after"));
  EXPECT_THAT(client_.refusal("session_log", {{"session_id", session}, {"after", kMuch}}), HasSubstr("after"));
}

TEST_P(SessionLimits, TheMostThatThereCanBeIsGranted) {
  const std::string session =
      start({{"memory", 1ULL << 50U}, {"disk", 1ULL << 50U}, {"seconds", 315'360'000}, {"idle_seconds", 315'360'000}});
  const Json run = client_.call(
      "session_run", {{"session_id", session}, {"command", "sleep 0.2; echo fine"}, {"timeout_seconds", 315'360'000}});
  EXPECT_EQ(run.at("stdout"), "fine\n");
  EXPECT_EQ(run.at("ending"), "exited");
  EXPECT_EQ(get(session).at("state"), "running");
}

TEST_P(SessionLimits, OneDamagedRecordKeepsNobodyFromStarting) {
  client_.call("project_update", {{"project_id", project_id_}, {"limits", {{"sessions", 3}}}});
  const std::string broken = start();
  const std::string other = new_workspace(project_id_);
  write(record_of(broken) / "session.json", "{");
  const std::string next = new_session(project_id_, other);
  EXPECT_EQ(output_in(next, "echo fine"), "fine\n");
  const std::string refused =
      client_.refusal("workspace_delete", {{"project_id", project_id_}, {"workspace_id", workspace_}, {"force", true}});
  EXPECT_THAT(refused, AllOf(HasSubstr(broken), HasSubstr("pale session end")));
  EXPECT_EQ(pale({"session", "end", broken}).exit_code, 0);
  client_.call("workspace_delete", {{"project_id", project_id_}, {"workspace_id", workspace_}, {"force", true}});
  EXPECT_FALSE(std::filesystem::exists(workspace_on_disk(project_id_, workspace_)));
}

// --- what is recorded -------------------------------------------------------------------------------------------------

TEST_P(SessionLimits, WhatACommandLeavesRunningIsRecordedUpToTheSameBound) {
  const std::string session = start();
  run_in(session, "(head -c 60M /dev/zero | tr '\\0' a; echo x > done) & exit 0");
  const auto done = workspace_on_disk(project_id_, workspace_) / "done";
  ASSERT_TRUE(becomes_true([&] { return std::filesystem::exists(done); }));
  EXPECT_LT(std::filesystem::file_size(record_of(session) / "events.jsonl"), 20U << 20U);
  const auto outputs = logged(session, "output");
  ASSERT_FALSE(outputs.empty());
  EXPECT_THAT(outputs.back().dump(), HasSubstr("[what it wrote after this is not recorded]"));
  EXPECT_EQ(output_in(session, "echo fine"), "fine\n") << "each command has its own";
  EXPECT_THAT(logged(session, "output").back().dump(), HasSubstr("fine"));
}

TEST_P(SessionLimits, DenialsAreToldHoweverMuchIsChanged) {
  const std::string session = start();
  const Json run =
      run_in(session, "i=0; while [ $i -lt 5200 ]; do : > file$i; i=$((i+1)); done; echo x > .envrc; true");
  EXPECT_THAT(run.at("denied").dump(), HasSubstr("/workspace/.envrc"));
}

TEST_P(SessionLimits, ACommandThatEndsWithItsSessionIsOnRecordAsKilled) {
  const std::string ended = start();
  const Json asked = {{"session_id", ended}, {"command", "sleep 600"}, {"wait", false}};
  client_.call("session_run", asked);
  client_.call("session_end", {{"session_id", ended}});
  EXPECT_EQ(get(ended).at("last_run").at("ending"), "killed");
  const std::string brief = start({{"seconds", 1}});
  client_.call("session_run", {{"session_id", brief}, {"command", "sleep 600"}, {"wait", false}});
  ASSERT_TRUE(becomes_true([&] { return get(brief).at("state") == "ended"; }));
  EXPECT_EQ(get(brief).at("ending"), "timed_out");
  EXPECT_EQ(get(brief).at("last_run").at("ending"), "killed");
}

TEST_P(SessionLimits, ACommandThatCannotBeRunAsItIsWrittenIsRefused) {
  const std::string session = start();
  const std::string with_nul("echo a\0b", 8);
  EXPECT_THAT(client_.refusal("session_run", {{"session_id", session}, {"command", with_nul}}), HasSubstr("NUL"));
  EXPECT_THAT(client_.refusal("session_run", {{"session_id", session}, {"command", {"echo", std::string("a\0b", 3)}}}),
              HasSubstr("NUL"));
  EXPECT_EQ(get(session).at("runs"), 0);
}

TEST_P(SessionLimits, ADenialNamesTheRuleThatIsAgainstIt) {
  const std::string project = new_project({{"workspace_isolation", true}, {"protected_paths", {"link/z"}}});
  const std::string session = new_session(project, new_workspace(project));
  const Json denied = run_in(session, "ln -s q link").at("denied");
  ASSERT_EQ(denied.size(), 1U);
  EXPECT_THAT(denied[0].value("rule", ""), AllOf(HasSubstr("link/z"), HasSubstr("protected_paths")));
}

TEST_P(SessionLimits, ADirectoryThatIsNotThereIsNamed) {
  const std::string session = start();
  const Json run =
      client_.call("session_run", {{"session_id", session}, {"command", {"pwd"}}, {"directory", "nowhere"}});
  EXPECT_EQ(run.at("stderr"), "pale: /workspace/nowhere: No such file or directory\n");
}

TEST_P(SessionLimits, WhatAWorkspaceDoesNotGetIsSaidWhenItsSessionStarts) {
  std::filesystem::create_symlink("/etc/passwd", on_disk(project_id_) / "AGENTS.md");
  EXPECT_THAT(client_.call("session_start", where()).at("notes").dump(), HasSubstr("not copied: AGENTS.md"));
  EXPECT_THAT(pale({"session", "start", "-p", project_id_, "--workspace", workspace_}).err,
              HasSubstr("not copied: AGENTS.md"));
}

// --- room -------------------------------------------------------------------------------------------------------------

TEST_P(SessionLimits, RoomOnDiskIsCountedHoweverItIsHidden) {
  const std::string session = start({{"disk", 4 << 20}});
  const Json deep =
      run_in(session,
             "i=0; while [ $i -lt 230 ]; do mkdir d; cd d; i=$((i+1)); done; head -c 16M /dev/zero > big; "
             "sleep 600");
  EXPECT_EQ(deep.at("ending"), "disk");
  EXPECT_EQ(run_in(session, "rm -rf d").at("exit_code"), 0);
  const Json closed = run_in(session, "mkdir c; head -c 16M /dev/zero > c/big; chmod 0 c; sleep 600");
  EXPECT_EQ(closed.at("ending"), "disk");
  EXPECT_EQ(run_in(session, "chmod 700 c; rm -rf c").at("exit_code"), 0);
  EXPECT_EQ(output_in(session, "sleep 1.5; echo fine"), "fine\n");
}

TEST_P(SessionLimits, WhatRunsInTheBackgroundIsEndedWhenItGrowsAndNobodyElse) {
  const std::string session = start({{"disk", 4 << 20}});
  run_in(session, "(while :; do head -c 1M /dev/zero >> big; sleep 0.2; done) >/dev/null 2>&1 & exit 0");
  ASSERT_TRUE(becomes_true([&] { return get(session).at("denials") > 0; }));
  EXPECT_THAT(logged(session, "denied").back().dump(), HasSubstr("disk"));
  EXPECT_THAT(output_in(session, "ps ax -o args"), Not(HasSubstr("head")));
  EXPECT_EQ(output_in(session, "sleep 2.5; echo not for what others did"), "not for what others did\n");
  EXPECT_EQ(run_in(session, "head -c 8M /dev/zero > more; sleep 600").at("ending"), "disk");
}

TEST_P(SessionLimits, AProjectsRoomIsTakenByAllItsWorkspaces) {
  client_.call("project_update", {{"project_id", project_id_}, {"limits", {{"disk", 4 << 20}}}});
  const std::string session = start();
  run_in(session, "head -c 3M /dev/zero > f");
  client_.call("session_end", {{"session_id", session}});
  const std::string other = new_workspace(project_id_);
  const std::string second = new_session(project_id_, other);
  EXPECT_LE(get(second).at("limits").at("disk"), 1 << 20);
  client_.call("session_end", {{"session_id", second}});
  write(workspace_on_disk(project_id_, workspace_) / "g", std::string(2 << 20, 'g'));
  EXPECT_THAT(client_.refusal("session_start", {{"project_id", project_id_}, {"workspace_id", other}}),
              HasSubstr("room on disk is not enough"));
  EXPECT_EQ(output_in(start(), "rm f g; echo there is room again"), "there is room again\n");
}

TEST_P(SessionLimits, WhoSharesTheFilesSharesTheRoom) {
  const std::string project = new_project({{"limits", {{"disk", 6 << 20}, {"sessions", 3}}}});
  const std::string first = new_session(project, new_workspace(project));
  const std::string second = new_session(project, new_workspace(project));
  run_in(first, "head -c 3M /dev/zero > f");
  EXPECT_EQ(output_in(second, "head -c 500K /dev/zero > g; sleep 2.5; echo fine"), "fine\n");
  EXPECT_EQ(run_in(second, "head -c 4M /dev/zero > h; sleep 600").at("ending"), "disk");
}

TEST_P(SessionLimits, WhatIsWrittenToTmpIsMemory) {
  const std::string session = start({{"memory", 64 << 20}});
  const Json run = run_in(session, "head -c 150M /dev/zero > /tmp/big; du -sm /tmp /dev/shm /run | cut -f1");
  EXPECT_EQ(get(session).at("state"), "running");
  std::istringstream sizes(run.value("stdout", ""));
  for (int megabytes = 0; sizes >> megabytes;) EXPECT_LE(megabytes, 64);
}

INSTANTIATE_TEST_SUITE_P(As, SessionLimits, testing::ValuesIn(accounts()), account_suffix);

}  // namespace
}  // namespace pale::test
