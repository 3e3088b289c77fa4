// The same while processes that take it in are killed, or are several.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <random>

#include "history/ingest.h"
#include "support/ingesting.h"

namespace pale::history {
namespace {

using test::HandMadeSession;

// A child that takes everything in, over and over, until it is killed or `done` says so.
template <typename Work>
pid_t in_a_child(Work work) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  work();
  _exit(0);
}

// Children that take everything in, each killed at some moment up to the time that one needs which nobody kills.
class Kills {
 public:
  explicit Kills(const Path& pale_home) : pale_home_(pale_home) {}

  void let_one_finish() {
    const auto began = std::chrono::steady_clock::now();
    (void)waitpid(child(), nullptr, 0);
    whole_ = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began);
  }
  void kill_one() {
    const pid_t pid = child();
    usleep(static_cast<unsigned>(random_() % static_cast<unsigned>(whole_.count() + 1)));
    kill(pid, SIGKILL);
    (void)waitpid(pid, nullptr, 0);
  }

 private:
  pid_t child() const {
    return in_a_child([&] {
      auto history = History::open(pale_home_);
      if (history) (void)history->ingest_all();
    });
  }
  Path pale_home_;
  std::mt19937 random_{7};
  std::chrono::microseconds whole_{};
};

TEST_F(Ingesting, AKillAtAnyMomentLosesNothingAndDoublesNothing) {
  std::mt19937 random(9);
  HandMadeSession session(base_, 1);
  session.started();
  {
    History history = open();
  }
  Kills kills(base());
  for (int round = 0; round < 400; ++round) {
    for (int i = 0; i < 40; ++i) session.output(1, std::string(random() % 300, 'x'));
    session.denied(1, "/p");
    round % 50 == 0 ? kills.let_one_finish() : kills.kill_one();
  }
  History history = open();
  EXPECT_GT(find(history, session.id()).session.last_event, 41U * 350);
  take_in_all(history);
  EXPECT_EQ(all_events(history, session.id()), session.events());
  EXPECT_EQ(find(history, session.id()).session.denials, 400U);
}

TEST_F(Ingesting, AKillWhileASessionIsClosedLosesNothing) {
  {
    History history = open();
  }
  Kills kills(base());
  std::vector<std::unique_ptr<HandMadeSession>> sessions;
  for (int round = 0; round < 200; ++round) {
    HandMadeSession& session = *sessions.emplace_back(std::make_unique<HandMadeSession>(base_, round));
    write_some(session);
    if (round % 2 == 0) session.ended();
    session.die();
    round % 50 == 0 ? kills.let_one_finish() : kills.kill_one();
  }
  History history = open();
  take_in_all(history);
  for (const auto& session : sessions) {
    EXPECT_EQ(all_events(history, session->id()), session->events());
    EXPECT_EQ(find(history, session->id()).session.ending, session->events().size() == 8 ? "ended" : "killed");
    EXPECT_FALSE(exists(session->journal()));
    EXPECT_FALSE(exists(session->live()));
  }
}

TEST_F(Ingesting, AKillWhileTheDatabaseIsMadeLeavesOneThatCanBeFinished) {
  for (int round = 0; round < 30; ++round) {
    const std::filesystem::path home = base_ / std::to_string(round);
    HandMadeSession session(home, 1);
    write_some(session);
    const pid_t pid = in_a_child([&] { (void)History::open(Path::literal(home.string())); });
    usleep(1000 * static_cast<unsigned>(round));
    kill(pid, SIGKILL);
    (void)waitpid(pid, nullptr, 0);
    auto history = History::open(Path::literal(home.string()));
    ASSERT_TRUE(history.has_value()) << history.error().sentence();
    take_in_all(*history);
    EXPECT_EQ(all_events(*history, session.id()), session.events());
  }
}

TEST_F(Ingesting, SeveralProcessesAtOnceTakeItInOnce) {
  HandMadeSession session(base_, 1);
  HandMadeSession other(base_, 2);
  session.started();
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    // Also the making of the database is everyone's.
    children.push_back(in_a_child([&] {
      auto history = History::open(base());
      if (!history) _exit(1);
      for (int tries = 0; tries < 5000; ++tries) {
        if (!history->ingest_all()) _exit(2);
        const auto found = history->session(session.id());
        if (found && !found->session.is_live()) _exit(0);
        usleep(500);
      }
      _exit(3);
    }));
  }
  for (int i = 0; i < 300; ++i) {
    session.output(1, "line\n");
    session.changed(1, "/x");
    other.denied(1, "/y");
  }
  session.ended();
  // The locks were copied into the children; only what they do themselves may end.
  for (const pid_t pid : children) {
    int status = -1;
    (void)waitpid(pid, &status, 0);
    EXPECT_EQ(status, 0) << WEXITSTATUS(status);
  }
  History history = open();
  take_in_all(history);
  EXPECT_EQ(all_events(history, session.id()), session.events());
  EXPECT_EQ(all_events(history, other.id()), other.events());
  EXPECT_EQ(find(history, session.id()).session.changes, 300U);
}

}  // namespace
}  // namespace pale::history
