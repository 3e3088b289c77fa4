// What sessions write comes into the history, once and whole.
#include "history/ingest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/ingesting.h"

namespace pale::history {
namespace {

using session::Event;
using session::EventKind;
using test::HandMadeSession;
using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(Ingesting, ALivingSessionIsThereAsFarAsItGot) {
  HandMadeSession session(base_, 1);
  History history = open();
  take_in(history, session.name());
  EXPECT_TRUE(find(history, session.id()).session.is_live());
  write_some(session);
  take_in(history, session.name());
  EXPECT_EQ(all_events(history, session.id()), session.events());
  const SessionWithRuns found = find(history, session.id());
  EXPECT_EQ(found.session.about, session.about());
  EXPECT_TRUE(found.session.is_live());
  EXPECT_EQ(found.session.last_event, 7U);
  EXPECT_EQ(found.session.denials, 1U);
  EXPECT_EQ(found.session.changes, 2U);
  EXPECT_EQ(found.receipt, R"({"backend":"namespaces"})");
  const history::Run run{1, {"make", "test"}, "/workspace", session.events()[1].at_ms, session.events()[6].at_ms,
                         2, "exited"};
  EXPECT_THAT(found.runs, ElementsAre(run));
  EXPECT_EQ(found.session.last_run, run);
}

TEST_F(Ingesting, ALongJournalIsTakenInPartByPartAndInOrder) {
  HandMadeSession session(base_, 1);
  session.started();
  session.run(1, {"yes"});
  for (int i = 0; i < 100; ++i) session.output(1, std::string(60'000, static_cast<char>('a' + i % 26)));
  session.exit(1, 0);
  session.ended("ended");
  session.die();
  History history = open();
  std::size_t parts = 0;
  for (std::size_t before = 0;; before = all_events(history, session.id()).size()) {
    const auto all = history.ingest_some(session.name());
    ASSERT_TRUE(all.has_value()) << all.error().sentence();
    if (*all) break;
    ++parts;
    EXPECT_GT(all_events(history, session.id()).size(), before);
    EXPECT_TRUE(exists(session.journal()));
  }
  EXPECT_GE(parts, 2U);
  EXPECT_EQ(all_events(history, session.id()), session.events());
  EXPECT_FALSE(exists(session.journal()));
}

TEST_F(Ingesting, TheSameAgainChangesNothing) {
  HandMadeSession session(base_, 1);
  write_some(session);
  History history = open();
  for (int i = 0; i < 3; ++i) take_in(history, session.name());
  take_in_all(history);
  EXPECT_EQ(all_events(history, session.id()), session.events());
  EXPECT_EQ(find(history, session.id()).session.denials, 1U);
}

TEST_F(Ingesting, OfAnEndedSessionOnlyItsDescriptionStaysOnDisk) {
  HandMadeSession session(base_, 1);
  write_some(session);
  session.ended("idle");
  History history = open();
  take_in(history, session.name());
  EXPECT_EQ(find(history, session.id()).session.ending, "idle");
  EXPECT_TRUE(exists(session.journal())) << "its host has not gone yet";
  session.die();
  take_in(history, session.name());
  EXPECT_EQ(find(history, session.id()).session.ended_ms, session.events().back().at_ms);
  EXPECT_EQ(all_events(history, session.id()), session.events());
  EXPECT_FALSE(exists(session.journal()));
  EXPECT_FALSE(exists(session.live()));
  EXPECT_TRUE(exists(session.record() / "session.json"));
  take_in(history, session.name());
  History other = open();
  take_in_all(other);
  EXPECT_EQ(all_events(other, session.id()), session.events());
}

TEST_F(Ingesting, ASessionOfAProjectThatIsNotManagedIsOneFileOfWhichTheFirstLineStays) {
  HandMadeSession session(base_, 1, "local:shop");
  write_some(session);
  History history = open();
  take_in_all(history);
  EXPECT_TRUE(find(history, session.id()).session.is_live());
  EXPECT_EQ(all_events(history, session.id()), session.events());
  session.ended();
  session.die();
  take_in_all(history);
  EXPECT_EQ(find(history, session.id()).session.about, session.about());
  EXPECT_EQ(find(history, session.id()).session.ending, "ended");
  EXPECT_EQ(all_events(history, session.id()), session.events());
  EXPECT_EQ(read("sessions/shop/" + session.id() + ".jsonl"), to_json(session.about()));
  EXPECT_FALSE(exists(session.live()));
  History other = open();
  take_in_all(other);
  EXPECT_EQ(all_events(other, session.id()), session.events());
}

TEST_F(Ingesting, ARecordWhoseFirstLineHasNoEndDoesNotStandYet) {
  HandMadeSession coming(base_, 1, "local:shop"), killed(base_, 2, "local:shop");
  for (const HandMadeSession* session : {&coming, &killed})
    std::filesystem::resize_file(session->record(), std::filesystem::file_size(session->record()) - 1);
  only_what_comes_stays(coming, killed);
}

TEST_F(Ingesting, ASessionWhoseHostIsGoneWasKilledAtItsLastEvent) {
  HandMadeSession session(base_, 1);
  write_some(session);
  session.run(2, {"sleep", "100"});
  session.append_raw(R"({"number":9,"at":17)");
  session.die();
  History history = open();
  take_in_all(history);
  const SessionWithRuns found = find(history, session.id());
  EXPECT_EQ(found.session.ending, "killed");
  EXPECT_EQ(found.session.ended_ms, session.events().back().at_ms);
  ASSERT_EQ(found.runs.size(), 2U);
  EXPECT_EQ(found.runs[0].ending, "exited");
  EXPECT_EQ(found.runs[1].ending, "killed");
  EXPECT_EQ(found.runs[1].exit_code, std::nullopt);
  EXPECT_EQ(found.runs[1].ended_ms, session.events().back().at_ms);
  EXPECT_EQ(all_events(history, session.id()), session.events());
  EXPECT_FALSE(exists(session.journal()));
}

// Its host holds the lock from before there is anything to see of it, so one that is described and has no host is over.
TEST_F(Ingesting, ASessionIsLiveFromItsDescriptionOnAndOverWithItsHost) {
  HandMadeSession coming(base_, 1), killed(base_, 2);
  killed.die();
  History history = open();
  take_in_all(history);
  EXPECT_TRUE(find(history, coming.id()).session.is_live());
  EXPECT_TRUE(exists(coming.live()));
  EXPECT_EQ(find(history, killed.id()).session.ending, "killed");
}

TEST_F(Ingesting, ASessionThatDoesNotStandYetIsNoneAndOneThatNeverWillIsCleared) {
  HandMadeSession coming(base_, 1), killed(base_, 2);
  for (const HandMadeSession* session : {&coming, &killed}) std::filesystem::remove(session->record() / "session.json");
  only_what_comes_stays(coming, killed);
}

TEST_F(Ingesting, OneProjectsSessionsCanBeTakenInWithoutTheOthers) {
  HandMadeSession ours(base_, 1, "shop"), theirs(base_, 2, "blog");
  write_some(ours);
  write_some(theirs);
  write("projects/blog/sessions/" + theirs.id() + "/session.json", "{");
  History history = open();
  EXPECT_TRUE(history.ingest_project("shop").has_value());
  EXPECT_EQ(*history.project_of(ours.id()), "shop");
  EXPECT_EQ(*history.project_of(theirs.id()), "");
  ours.die();
  EXPECT_TRUE(history.ingest_project("shop").has_value());
  EXPECT_EQ(find(history, ours.id()).session.ending, "killed");
  std::filesystem::remove_all(ours.record());
  EXPECT_TRUE(history.ingest_project("shop").has_value());
  EXPECT_EQ(*history.project_of(ours.id()), "") << "it belonged to a former project of that name";
}

TEST_F(Ingesting, ASessionWhoseDirectoryIsGoneIsOver) {
  HandMadeSession session(base_, 1);
  write_some(session);
  History history = open();
  take_in_all(history);
  session.die();
  std::filesystem::remove_all(base_ / "projects");
  take_in_all(history);
  EXPECT_EQ(find(history, session.id()).session.ending, "killed");
  EXPECT_EQ(all_events(history, session.id()), session.events());
  EXPECT_FALSE(exists(session.live()));
}

TEST_F(Ingesting, ALineThatIsBrokenDoesNotKeepOutTheRest) {
  HandMadeSession session(base_, 1);
  session.append_raw("\xff\xfe not a line of ours\n");
  session.append_raw("{\"number\":2}\n");
  History history = open();
  take_in(history, session.name());
  session.append_raw("\n");
  session.append_raw(to_line(Event{.kind = EventKind::Input, .number = 4, .at_ms = 77, .run = 1, .bytes = 5}));
  take_in(history, session.name());
  const std::vector<Event> events = all_events(history, session.id());
  ASSERT_EQ(events.size(), 4U);
  for (std::size_t at = 0; at < events.size(); ++at) {
    EXPECT_EQ(events[at].number, at + 1);
    EXPECT_EQ(events[at].kind, at == 3 ? EventKind::Input : EventKind::Unreadable);
  }
  EXPECT_EQ(events[0].data, "\xff\xfe not a line of ours");
  EXPECT_EQ(events[0].at_ms, session.about().created_ms);
}

TEST_F(Ingesting, ADescriptionThatIsBrokenOrForeignIsAnErrorForThatSessionAlone) {
  HandMadeSession broken(base_, 1), foreign(base_, 2), good(base_, 3);
  write("projects/shop/sessions/" + broken.id() + "/session.json", "{");
  write("projects/shop/sessions/" + foreign.id() + "/session.json", to_json(good.about()));
  write_some(good);
  History history = open();
  const Status taken = history.ingest_all();
  ASSERT_FALSE(taken.has_value());
  EXPECT_THAT(taken.error().sentence(), HasSubstr("session.json"));
  EXPECT_EQ(all_events(history, good.id()), good.events());
  EXPECT_FALSE(history.session(foreign.id()).has_value());
}

TEST_F(Ingesting, NoLinkIsFollowedToAnotherPlace) {
  HandMadeSession session(base_, 1);
  write_some(session);
  std::filesystem::create_directories(base_ / "projects/evil");
  std::filesystem::create_directory_symlink(base_ / "projects/shop/sessions", base_ / "projects/evil/sessions");
  HandMadeSession linked(base_, 2, "evil2");
  std::filesystem::remove_all(linked.record());
  std::filesystem::create_directory_symlink(session.record(), linked.record());
  HandMadeSession journal(base_, 3);
  std::filesystem::create_symlink(session.journal(), journal.journal());
  History history = open();
  EXPECT_FALSE(history.ingest({"evil", session.id()}).has_value());
  EXPECT_FALSE(history.ingest(linked.name()).has_value());
  EXPECT_FALSE(history.ingest(journal.name()).has_value());
  EXPECT_EQ(history.sessions({}).value_or(std::vector<Session>(1)).size(), 0U);
}

TEST_F(Ingesting, ALargeJournalComesInWhole) {
  HandMadeSession session(base_, 1);
  session.started();
  for (int i = 0; i < 40; ++i) session.output(1, std::string(1 << 20, static_cast<char>('a' + i % 26)));
  session.die();
  History history = open();
  take_in_all(history);
  EXPECT_EQ(all_events(history, session.id()), session.events());
}

}  // namespace
}  // namespace pale::history
