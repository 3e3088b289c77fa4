#include "history/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include "support/directory.h"
#include "support/journals.h"

namespace pale::history {
namespace {

using session::EventKind;
using test::HandMadeSession;
using test::session_id;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class TheHistory : public test::InADirectory {
 protected:
  History open() const {
    auto history = History::open(base());
    EXPECT_TRUE(history.has_value()) << history.error().sentence();
    return std::move(*history);
  }
  Error error_of_opening() const {
    auto history = History::open(base());
    EXPECT_FALSE(history.has_value());
    return history ? Error() : history.error();
  }
  void sql(const char* text) const {
    sqlite3* connection = nullptr;
    EXPECT_EQ(sqlite3_open((base_ / "history.db").c_str(), &connection), SQLITE_OK);
    EXPECT_EQ(sqlite3_exec(connection, text, nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(connection);
  }
  static std::vector<std::string> ids(const History& history, const SessionFilter& filter) {
    const auto sessions = history.sessions(filter);
    EXPECT_TRUE(sessions.has_value());
    std::vector<std::string> found;
    for (const Session& each : sessions.value_or(std::vector<Session>())) found.push_back(each.about.id);
    return found;
  }
};

unsigned mode_of(const std::filesystem::path& path) {
  struct stat info = {};
  EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
  return info.st_mode & 07777U;
}

TEST_F(TheHistory, IsItsOwnersAlone) {
  const mode_t before = umask(0);
  HandMadeSession session(base_, 1);
  session.started();
  History history = open();
  EXPECT_TRUE(history.ingest_all().has_value());
  umask(before);
  for (const char* name : {"history.db", "history.db-wal", "history.db-shm"})
    EXPECT_EQ(mode_of(base_ / name), 0600U) << name;
}

TEST_F(TheHistory, ThatOthersCouldReadIsClosedToThem) {
  {
    History history = open();
  }
  chmod((base_ / "history.db").c_str(), 0644);
  History history = open();
  EXPECT_EQ(mode_of(base_ / "history.db"), 0600U);
}

TEST_F(TheHistory, IsMadeWithTheDirectoryAboveIt) {
  EXPECT_TRUE(History::open(at("new/home")).has_value());
  EXPECT_TRUE(exists(base_ / "new/home/history.db"));
}

TEST_F(TheHistory, OfAHomeBehindALinkIsFound) {
  std::filesystem::create_directory(base_ / "real");
  std::filesystem::create_directory_symlink("real", base_ / "home");
  EXPECT_TRUE(History::open(at("home")).has_value());
  EXPECT_TRUE(exists(base_ / "real/history.db"));
}

TEST_F(TheHistory, IsNoLinkToSomethingElse) {
  write("precious", "");
  std::filesystem::create_symlink("precious", base_ / "history.db");
  const Error error = error_of_opening();
  EXPECT_EQ(error.kind, ErrorKind::Refused);
  EXPECT_EQ(read("precious"), "");
  std::filesystem::remove(base_ / "history.db");
  std::filesystem::create_symlink("nowhere", base_ / "history.db");
  EXPECT_EQ(error_of_opening().kind, ErrorKind::Refused);
  EXPECT_FALSE(exists(base_ / "nowhere"));
}

TEST_F(TheHistory, DoesNotWriteThroughALinkBesideIt) {
  {
    History history = open();
  }
  write("precious", "as it was");
  std::filesystem::create_symlink("precious", base_ / "history.db-wal");
  auto history = History::open(base());
  if (history) (void)history->forget_project("x");
  EXPECT_EQ(read("precious"), "as it was");
}

TEST_F(TheHistory, ThatIsDamagedStaysAndSaysWhatToDo) {
  write("history.db", "this is no database at all, but long enough to look like one\n" + std::string(5000, 'x'));
  const std::string before = read("history.db");
  const Error error = error_of_opening();
  EXPECT_THAT(error.sentence(), HasSubstr("history.db"));
  EXPECT_THAT(error.hint, HasSubstr("mv "));
  EXPECT_EQ(read("history.db"), before);
}

TEST_F(TheHistory, WhoseTablesAreDamagedSaysSo) {
  {
    HandMadeSession session(base_, 1);
    session.started();
    History history = open();
    EXPECT_TRUE(history.ingest_all().has_value());
  }
  std::string bytes = read("history.db");
  for (std::size_t at = 4096; at < bytes.size(); ++at) bytes[at] = '\x5a';
  write("history.db", bytes);
  const auto history = History::open(base());
  const auto sessions =
      history ? history->sessions({}) : Result<std::vector<Session>>(std::unexpected(history.error()));
  ASSERT_FALSE(sessions.has_value());
  EXPECT_THAT(sessions.error().sentence(), HasSubstr("damaged"));
}

TEST_F(TheHistory, OfANewerPaleIsLeftAlone) {
  {
    History history = open();
  }
  sql("PRAGMA user_version = 99");
  const std::string before = read("history.db");
  const Error error = error_of_opening();
  EXPECT_THAT(error.sentence(), HasSubstr("newer"));
  EXPECT_FALSE(error.hint.empty());
  EXPECT_EQ(read("history.db"), before);
}

TEST_F(TheHistory, OfSomethingElseIsLeftAlone) {
  sql("CREATE TABLE bookmarks(url)");
  const std::string before = read("history.db");
  EXPECT_THAT(error_of_opening().sentence(), HasSubstr("something else"));
  EXPECT_EQ(read("history.db"), before);
}

TEST_F(TheHistory, ListsTheNewestSessionsFirst) {
  HandMadeSession one(base_, 1), two(base_, 2, "blog"), three(base_, 3), four(base_, 4);
  for (HandMadeSession* each : {&one, &two, &three, &four}) each->started();
  one.ended();
  four.die();
  History history = open();
  EXPECT_TRUE(history.ingest_all().has_value());
  EXPECT_THAT(ids(history, {}), ElementsAre(four.id(), three.id(), two.id(), one.id()));
  EXPECT_THAT(ids(history, {.project = "shop"}), ElementsAre(four.id(), three.id(), one.id()));
  EXPECT_THAT(ids(history, {.project = "shop", .limit = 2}), ElementsAre(four.id(), three.id()));
  EXPECT_THAT(ids(history, {.life = Life::Live}), ElementsAre(three.id(), two.id()));
  EXPECT_THAT(ids(history, {.project = "shop", .life = Life::Ended}), ElementsAre(four.id(), one.id()));
  EXPECT_THAT(ids(history, {.workspace = three.about().workspace}), ElementsAre(three.id()));
  EXPECT_THAT(ids(history, {.project = ""}), IsEmpty()) << "no name is no project, not all of them";
}

TEST_F(TheHistory, FindsASessionByTheBeginningOfItsId) {
  HandMadeSession one(base_, 11), two(base_, 12), three(base_, 20'000'000);
  History history = open();
  EXPECT_TRUE(history.ingest_all().has_value());
  EXPECT_EQ(history.find_id(one.id()), one.id());
  EXPECT_EQ(history.find_id("00000011"), one.id());
  EXPECT_EQ(history.find_id("2000"), three.id());
  const auto several = history.find_id("0000");
  ASSERT_FALSE(several.has_value());
  EXPECT_EQ(several.error().hint, two.id());
  EXPECT_THAT(several.error().other_hints, ElementsAre(one.id()));
  for (const char* none :
       {"200", "", "5000", "2000%", "2000*", "../..", "2000G", "20000000-0000-4000-8000-0000000000000"})
    EXPECT_FALSE(history.find_id(none).has_value()) << none;
  const auto missing = history.session(session_id(5));
  ASSERT_FALSE(missing.has_value());
  EXPECT_EQ(missing.error().kind, ErrorKind::NotFound);
}

TEST_F(TheHistory, GivesEventsByNumberKindAndRun) {
  HandMadeSession session(base_, 1);
  session.started();
  for (std::uint64_t run = 1; run <= 3; ++run) {
    session.run(run, {"true"});
    session.denied(run, "/x");
    session.exit(run, 0);
  }
  History history = open();
  EXPECT_TRUE(history.ingest_all().has_value());
  const auto numbers = [&](const EventFilter& filter) {
    std::vector<std::uint64_t> found;
    const auto page = history.events(session.id(), filter);
    for (const auto& event : page.value_or(EventPage()).events) found.push_back(event.number);
    return found;
  };
  EXPECT_THAT(numbers({.after = 7}), ElementsAre(8, 9, 10));
  EXPECT_THAT(numbers({.kinds = {EventKind::Denied, EventKind::Exit}, .limit = 3}), ElementsAre(3, 4, 6));
  EXPECT_THAT(numbers({.run = 2}), ElementsAre(5, 6, 7));
  EXPECT_THAT(numbers({.run = 0}), ElementsAre(1));
  EXPECT_THAT(numbers({.after = 100}), IsEmpty());
  EXPECT_THAT(numbers({.after = ~0UL}), IsEmpty());
  EXPECT_THAT(numbers({.bytes = 1}), ElementsAre(1)) << "at least one comes";
  const auto page = history.events(session.id(), {.kinds = {EventKind::Run}, .limit = 2});
  ASSERT_TRUE(page.has_value());
  EXPECT_TRUE(page->more);
  EXPECT_EQ(page->last, 5U);
  const auto rest = history.events(session.id(), {.after = page->last, .kinds = {EventKind::Run}, .limit = 2});
  ASSERT_TRUE(rest.has_value());
  EXPECT_FALSE(rest->more);
  EXPECT_FALSE(rest->over);
  session.ended();
  EXPECT_TRUE(history.ingest_all().has_value());
  EXPECT_FALSE(history.events(session.id(), {.limit = 10})->over);
  EXPECT_TRUE(history.events(session.id(), {.limit = 11})->over);
  EXPECT_EQ(rest->last, 10U) << "what was looked through need not be looked through again";
}

TEST_F(TheHistory, OfAProjectThatIsGoneIsNotThatOfAnotherWithItsName) {
  HandMadeSession old(base_, 1);
  old.started();
  old.die();
  History history = open();
  EXPECT_TRUE(history.ingest_all().has_value());
  std::filesystem::remove_all(base_ / "projects/shop");
  EXPECT_TRUE(history.ingest_all().has_value());
  EXPECT_THAT(ids(history, {}), ElementsAre(old.id())) << "nobody else can be meant";
  HandMadeSession young(base_, 2);
  History other = open();
  for (History* each : {&history, &other}) {
    EXPECT_TRUE(each->ingest_all().has_value());
    EXPECT_THAT(ids(*each, {}), ElementsAre(young.id()));
    EXPECT_FALSE(each->events(old.id(), {}).has_value());
  }
}

TEST_F(TheHistory, ForgetsAProjectAndNothingElse) {
  HandMadeSession one(base_, 1), two(base_, 2, "blog");
  for (HandMadeSession* each : {&one, &two}) {
    each->started();
    each->run(1, {"true"});
  }
  History history = open();
  EXPECT_TRUE(history.ingest_all().has_value());
  EXPECT_TRUE(history.forget_project("shop").has_value());
  EXPECT_THAT(ids(history, {}), ElementsAre(two.id()));
  EXPECT_FALSE(history.events(one.id(), {}).has_value());
  EXPECT_EQ(history.events(two.id(), {}).value_or(EventPage()).events, two.events());
}

}  // namespace
}  // namespace pale::history
