#include <gmock/gmock.h>

#include "history/history.h"
#include "support/directory.h"
#include "support/journals.h"

namespace pale::history {
namespace {

using test::HandMadeSession;
using testing::ElementsAre;
using testing::IsEmpty;

class Accesses : public test::InADirectory {
 protected:
  Accesses() : first_(base_, 1), second_(base_, 2), other_(base_, 3, "other"), history_(*History::open(base())) {
    first_.denied(1, "/w/a");
    first_.output(1, "much");
    first_.denied(1, "/w/b");
    second_.denied(1, "/w/c");
    session::Event changed;
    changed.kind = session::EventKind::Changed;
    changed.path = "/w/d";
    second_.append(changed);
    other_.denied(1, "/w/secret");
    EXPECT_TRUE(history_.ingest_all());
  }
  std::vector<std::string> paths(const AccessFilter& filter) const {
    const auto page = history_.accesses("shop", filter);
    EXPECT_TRUE(page);
    std::vector<std::string> found;
    for (const AccessEvent& access : page->accesses) found.push_back(access.event.path);
    return found;
  }

  HandMadeSession first_;
  HandMadeSession second_;
  HandMadeSession other_;
  History history_;
};

TEST_F(Accesses, OfAllSessionsOfOneProjectNewestFirst) {
  EXPECT_THAT(paths({}), ElementsAre("/w/d", "/w/c", "/w/b", "/w/a"));
}

TEST_F(Accesses, AreFiltered) {
  AccessFilter filter;
  filter.which = AccessFilter::Which::Denied;
  EXPECT_THAT(paths(filter), ElementsAre("/w/c", "/w/b", "/w/a"));
  filter.which = AccessFilter::Which::Changed;
  EXPECT_THAT(paths(filter), ElementsAre("/w/d"));
  filter = {};
  filter.session = test::session_id(1);
  EXPECT_THAT(paths(filter), ElementsAre("/w/b", "/w/a"));
  filter = {};
  filter.path = "/c";
  EXPECT_THAT(paths(filter), ElementsAre("/w/c"));
  filter = {};
  filter.since_ms = HandMadeSession::kBegan + 2000;
  EXPECT_THAT(paths(filter), ElementsAre("/w/d", "/w/c"));
  filter = {};
  filter.until_ms = HandMadeSession::kBegan;
  EXPECT_THAT(paths(filter), IsEmpty());
}

TEST_F(Accesses, ComePageByPageAndEachOnce) {
  std::vector<std::string> found;
  AccessFilter filter;
  filter.limit = 1;
  for (int page = 0; page < 10; ++page) {
    const auto next = history_.accesses("shop", filter);
    ASSERT_TRUE(next);
    for (const AccessEvent& access : next->accesses) found.push_back(access.event.path);
    if (!next->more) break;
    filter.before = next->accesses.back().place;
  }
  EXPECT_THAT(found, ElementsAre("/w/d", "/w/c", "/w/b", "/w/a"));
  filter.before = "nonsense";
  EXPECT_FALSE(history_.accesses("shop", filter));
}

}  // namespace
}  // namespace pale::history
