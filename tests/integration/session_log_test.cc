// What is recorded of sessions, and tokens: `pale session list`, `show`, `log`, and `pale token`. The journals are written by hand.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "support/journals.h"
#include "support/session.h"

namespace pale::test {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

using Words = std::vector<std::string>;

class Records : public testing::TestWithParam<Account> {
 protected:
  // Its host lives as long as the test wants; all it has written is the account's.
  HandMadeSession& begin(int number, const std::string& project = "shop") {
    return *sessions_.emplace_back(std::make_unique<HandMadeSession>(home(), number, project));
  }
  const std::filesystem::path& home() const { return project_.pale_home(); }
  Finished pale(const Words& words) const {
    give_tree(home(), GetParam());
    return project_.pale(words);
  }
  // What it prints, which must be JSON.
  json printed(Words words) const {
    words.push_back("--json");
    const Finished done = pale(words);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    auto value = json::parse(done.out, nullptr, false);
    EXPECT_EQ(value.value("schemaVersion", 0), 1) << done.out;
    return value;
  }
  Process process(Words words) const {
    give_tree(home(), GetParam());
    words.insert(words.begin(), pale_program());
    Process process;
    process.arguments = std::move(words);
    process.account = GetParam();
    process.environment = project_.environment();
    return process;
  }

  Project project_{GetParam(), PaleHome::Own};
  std::vector<std::unique_ptr<HandMadeSession>> sessions_;
};

void work_in(HandMadeSession& session) {
  session.started();
  session.run(1, {"make", "all tests"});
  session.output(1, "first\nsecond \x1b[31mred\x1b[0m\n");
  session.output(1, "bad\xff\n", "stderr");
  session.denied(1, "/workspace/.git/config");
  session.changed(1, "/workspace/a.o");
  session.exit(1, 2);
}

TEST_P(Records, AListHasTheNewestFirstAndHowTheyStand) {
  HandMadeSession& old = begin(1);
  work_in(old);
  old.ended("idle");
  old.die();
  HandMadeSession& young = begin(2, "blog");
  young.started();
  young.run(1, {"sleep", "100"});
  const json listed = printed({"session", "list"}).at("sessions");
  ASSERT_EQ(listed.size(), 2U);
  EXPECT_EQ(listed[0].at("id"), young.id());
  EXPECT_EQ(listed[0].at("state"), "running");
  EXPECT_EQ(listed[0].at("ended"), nullptr);
  EXPECT_EQ(listed[0].at("last_run").at("exit_code"), nullptr);
  EXPECT_EQ(listed[1].at("state"), "ended");
  EXPECT_EQ(listed[1].at("ending"), "idle");
  EXPECT_EQ(listed[1].at("denials"), 1);
  EXPECT_EQ(listed[1].at("changes"), 1);
  EXPECT_EQ(listed[1].at("last_run").at("command"), json({"make", "all tests"}));
  EXPECT_EQ(listed[1].at("last_run").at("exit_code"), 2);
  const Finished text = pale({"session", "list"});
  EXPECT_THAT(text.out,
              AllOf(StartsWith("ID "), HasSubstr(young.id()), HasSubstr("running"), HasSubstr("make 'all tests'")));
}

TEST_P(Records, AListIsNarrowedByProjectWorkspaceAndLife) {
  HandMadeSession& one = begin(1);
  one.started();
  one.die();
  HandMadeSession& two = begin(2);
  HandMadeSession& three = begin(3, "blog");
  const auto ids = [&](Words words) {
    words.insert(words.begin(), {"session", "list"});
    Words found;
    const json listed = printed(words);
    for (const auto& each : listed.at("sessions")) found.push_back(each.at("id"));
    return found;
  };
  EXPECT_THAT(ids({"-p", "shop"}), ElementsAre(two.id(), one.id()));
  EXPECT_THAT(ids({"--live"}), ElementsAre(three.id(), two.id()));
  EXPECT_THAT(ids({"--limit", "1"}), ElementsAre(three.id()));
  EXPECT_THAT(ids({"--workspace", one.about().workspace}), ElementsAre(one.id()));
  const Finished nobody = pale({"session", "list", "-p", "nobody"});
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_THAT(nobody.err, HasSubstr("and no session of another one, called 'nobody'"));
  EXPECT_EQ(pale({"session", "list", "--limit", "0"}).exit_code, 2);
}

TEST_P(Records, ThereMayBeNoSessionAtAll) {
  EXPECT_THAT(printed({"session", "list"}).at("sessions"), IsEmpty());
  const Finished none = pale({"session", "list"});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_EQ(none.out, "");
  EXPECT_THAT(none.err, HasSubstr("hint: pale session start"));
}

TEST_P(Records, ASessionIsShownByTheBeginningOfItsId) {
  HandMadeSession& session = begin(12345678);
  work_in(session);
  begin(12349999);
  const json shown = printed({"session", "show", "12345"});
  EXPECT_EQ(shown.at("id"), session.id());
  EXPECT_EQ(shown.at("runs").size(), 1U);
  EXPECT_EQ(shown.at("limits").at("pids"), 64);
  EXPECT_EQ(shown.at("receipt").at("backend"), "namespaces");
  EXPECT_THAT(pale({"session", "show", session.id()}).out,
              AllOf(HasSubstr("running"), HasSubstr("exit 2"), HasSubstr("make 'all tests'")));
  const Finished several = pale({"session", "show", "1234"});
  EXPECT_EQ(several.exit_code, 2);
  EXPECT_THAT(several.err,
              AllOf(HasSubstr("several sessions"), HasSubstr(session.id()), HasSubstr(session_id(12349999))));
  for (const char* none : {"123", "99999", "../shop", "1234'"})
    EXPECT_EQ(pale({"session", "show", none}).exit_code, 2) << none;
}

TEST_P(Records, ASessionWhoseHostWasKilledIsShownSo) {
  HandMadeSession& session = begin(1);
  session.started();
  session.run(1, {"sleep", "100"});
  session.append_raw("{\"number\":3,");
  session.die();
  const json shown = printed({"session", "show", session.id()});
  EXPECT_EQ(shown.at("ending"), "killed");
  EXPECT_EQ(shown.at("runs").at(0).at("ending"), "killed");
  EXPECT_EQ(shown.at("last_event"), 2);
  EXPECT_FALSE(std::filesystem::exists(session.journal()));
  EXPECT_FALSE(std::filesystem::exists(session.live()));
}

TEST_P(Records, ALogSaysWhatHappenedAndNothingInItReachesTheTerminal) {
  HandMadeSession& session = begin(1);
  work_in(session);
  session.append_raw("this is broken\n");
  const Finished log = pale({"session", "log", session.id()});
  EXPECT_EQ(log.exit_code, 0) << log.err;
  EXPECT_THAT(log.out, HasSubstr("$ make 'all tests'"));
  EXPECT_THAT(log.out, HasSubstr("\n[1] | first\n[1] | second \\x1b[31mred\\x1b[0m\n[1] ! bad\\xff\n"));
  EXPECT_THAT(log.out, HasSubstr("denied: write /workspace/.git/config (protected_paths)"));
  EXPECT_THAT(log.out, HasSubstr("exit 2 after 12 ms"));
  EXPECT_THAT(log.out, HasSubstr("cannot be read: this is broken"));
  EXPECT_THAT(log.out, Not(HasSubstr("\x1b")));
}

TEST_P(Records, ALogForProgramsIsALineForEachEvent) {
  HandMadeSession& session = begin(1);
  work_in(session);
  session.ended();
  session.die();
  const Finished log = pale({"session", "log", session.id(), "--json"});
  std::string wanted = R"({"schemaVersion":1,"session":")" + session.id() + "\",\"project\":\"shop\"}\n";
  for (const auto& event : session.events()) wanted += to_line(event);
  EXPECT_EQ(log.out, wanted);
}

TEST_P(Records, WhatCommandsWroteCanBeHadByteForByteButNotOnATerminal) {
  HandMadeSession& session = begin(1);
  work_in(session);
  const Finished raw = pale({"session", "log", session.id(), "--raw"});
  EXPECT_EQ(raw.exit_code, 0) << raw.err;
  EXPECT_EQ(raw.out, "first\nsecond \x1b[31mred\x1b[0m\nbad\xff\n");
  Session terminal(process({"session", "log", session.id(), "--raw"}), Line::Terminal);
  const Finished refused = terminal.finish();
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.out, AllOf(HasSubstr("terminal"), Not(HasSubstr("first"))));
}

TEST_P(Records, ALogThatIsFollowedEndsWithItsSession) {
  HandMadeSession& session = begin(1);
  session.started();
  session.run(1, {"make"});
  give_tree(home(), GetParam());
  session.output(1, "");
  Session follower(process({"session", "log", session.id(), "--follow"}), Line::Pipes);
  follower.expect("$ make");
  session.output(1, "one\n");
  follower.expect("| one");
  session.output(1, "tw");
  session.output(1, "o\n");
  follower.expect("| two");
  session.exit(1, 0);
  follower.expect("exit 0");
  session.ended("timed_out");
  session.die();
  const Finished finished = follower.finish();
  EXPECT_EQ(finished.exit_code, 0);
  EXPECT_THAT(finished.out, EndsWith("ended: timed_out\n"));
}

TEST_P(Records, ALogThatIsFollowedEndsWithItsSessionsHost) {
  HandMadeSession& session = begin(1);
  session.started();
  Session follower(process({"session", "log", session.id(), "--follow", "--json"}), Line::Pipes);
  follower.expect("started");
  session.die();
  EXPECT_EQ(follower.finish().exit_code, 0);
}

TEST_P(Records, CtrlCEndsFollowing) {
  HandMadeSession& session = begin(1);
  session.started();
  Session follower(process({"session", "log", session.id(), "--follow"}), Line::Terminal);
  follower.expect("started");
  follower.type("\x03");
  EXPECT_EQ(follower.finish().exit_code, 130);
  EXPECT_EQ(printed({"session", "show", session.id()}).at("state"), "running") << "that is no business of the session";
}

TEST_P(Records, OneSessionThatCannotBeReadHidesNoOther) {
  HandMadeSession& broken = begin(1);
  std::ofstream(broken.record() / "session.json") << "{";
  HandMadeSession& good = begin(2);
  const Finished listed = pale({"session", "list"});
  EXPECT_EQ(listed.exit_code, 0);
  EXPECT_THAT(listed.out, HasSubstr(good.id()));
  EXPECT_THAT(listed.err, HasSubstr("session.json"));
}

TEST_P(Records, ADamagedHistoryIsNotOverwritten) {
  begin(1);
  const std::string damage = "not a database, whatever it looks like" + std::string(4096, '!');
  std::ofstream(home() / "history.db") << damage;
  for (const Words& words : {Words{"session", "list"}, Words{"token", "create", "--scope", "admin"}}) {
    const Finished done = pale(words);
    EXPECT_EQ(done.exit_code, 125);
    EXPECT_THAT(done.err, AllOf(HasSubstr("damaged"), HasSubstr("hint: "), HasSubstr("mv ")));
  }
  std::ifstream file(home() / "history.db");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), damage);
}

TEST_P(Records, AreTheUsersAlone) {
  begin(1).started();
  pale({"session", "list"});
  struct stat info = {};
  ASSERT_EQ(stat((home() / "history.db").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
}

TEST_P(Records, ATokenIsShownOnceAndThenOnlyKnownByItsNumber) {
  const Finished made = pale(
      {"token", "create", "--scope", "project:shop", "--scope", "project:blog:ro", "--name", "ci", "--expires", "30d"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, MatchesRegex("pale_[A-Za-z0-9_-]{43}\n"));
  EXPECT_THAT(made.err, HasSubstr("no managed project 'shop'"));
  const json listed = printed({"token", "list"}).at("tokens");
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].at("name"), "ci");
  EXPECT_EQ(listed[0].at("scopes"), json({"project:shop", "project:blog:ro"}));
  EXPECT_EQ(listed[0].at("last_used"), nullptr);
  EXPECT_NE(listed[0].at("expires"), nullptr);
  const std::string secret = made.out.substr(5, 43);
  EXPECT_THAT(pale({"token", "list"}).out,
              AllOf(HasSubstr("ci"), HasSubstr("project:blog:ro"), Not(HasSubstr(secret))));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(home())) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path());
    EXPECT_THAT(std::string(std::istreambuf_iterator<char>(file), {}), Not(HasSubstr(secret))) << entry.path();
  }
}

TEST_P(Records, ATokenIsRevokedWithAYes) {
  const json made = printed({"token", "create", "--scope", "admin:ro"});
  EXPECT_THAT(made.at("token"), StartsWith("pale_"));
  const std::string id = made.at("id");
  const Finished unasked = pale({"token", "revoke", id});
  EXPECT_EQ(unasked.exit_code, 3);
  EXPECT_THAT(unasked.err, HasSubstr("--yes"));
  EXPECT_EQ(printed({"token", "list"}).at("tokens").size(), 1U);
  EXPECT_EQ(pale({"token", "revoke", id, "--yes"}).exit_code, 0);
  EXPECT_THAT(printed({"token", "list"}).at("tokens"), IsEmpty());
  EXPECT_EQ(pale({"token", "revoke", id, "--yes"}).exit_code, 2);
}

TEST_P(Records, AWrongScopeOrTimeMakesNoToken) {
  for (const Words& words : {Words{}, Words{"--scope", "everything"}, Words{"--scope", "project:"},
                             Words{"--scope", "project:../x"}, Words{"--scope", "admin", "--scope", "Admin"}}) {
    Words all = {"token", "create"};
    all.insert(all.end(), words.begin(), words.end());
    const Finished done = pale(all);
    EXPECT_EQ(done.exit_code, 2);
    EXPECT_EQ(done.out, "");
    EXPECT_THAT(done.err, HasSubstr("admin, admin:ro, project:ID or project:ID:ro"));
  }
  for (const char* time : {"never", "-5", "0", "2001-01-01", "", "99999999999999999999d"})
    EXPECT_EQ(pale({"token", "create", "--scope", "admin", "--expires", time}).exit_code, 2) << time;
  EXPECT_THAT(printed({"token", "list"}).at("tokens"), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(As, Records, testing::ValuesIn(accounts()),
                         [](const auto& which) { return account_name(which.param); });

}  // namespace
}  // namespace pale::test
