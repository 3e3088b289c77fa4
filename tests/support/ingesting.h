// support/ingesting.h: a history in a directory of its own, for the tests of what comes into it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "history/history.h"
#include "support/directory.h"
#include "support/journals.h"

namespace pale::history {

class Ingesting : public test::InADirectory {
 protected:
  History open() const {
    auto history = History::open(base());
    EXPECT_TRUE(history.has_value()) << history.error().sentence();
    return std::move(*history);
  }
  static void take_in(History& history, const session::Name& name) {
    const Status taken = history.ingest(name);
    EXPECT_TRUE(taken.has_value()) << taken.error().sentence();
  }
  static void take_in_all(History& history) {
    const Status taken = history.ingest_all();
    EXPECT_TRUE(taken.has_value()) << taken.error().sentence();
  }
  // All of them, a few at a time.
  static std::vector<session::Event> all_events(const History& history, const std::string& id) {
    std::vector<session::Event> all;
    EventFilter filter;
    filter.limit = 100;
    for (;;) {
      auto page = history.events(id, filter);
      EXPECT_TRUE(page.has_value()) << page.error().sentence();
      if (!page) return all;
      all.insert(all.end(), page->events.begin(), page->events.end());
      filter.after = page->last;
      if (!page->more) return all;
    }
  }
  // Of two sessions of which too little stands to tell of them; the host of one is killed.
  void only_what_comes_stays(const test::HandMadeSession& coming, test::HandMadeSession& killed) const {
    killed.die();
    History history = open();
    take_in_all(history);
    EXPECT_TRUE(exists(coming.record()) && exists(coming.live()));
    EXPECT_FALSE(exists(killed.record()) || exists(killed.live()));
    EXPECT_FALSE(history.session(coming.id()).has_value());
  }
  static SessionWithRuns find(const History& history, const std::string& id) {
    auto found = history.session(id);
    EXPECT_TRUE(found.has_value()) << found.error().sentence();
    return found.value_or(SessionWithRuns{});
  }
};

inline void write_some(test::HandMadeSession& session) {
  session.started();
  session.run(1, {"make", "test"});
  session.output(1, std::string("ok\n\xff\0", 5));
  session.denied(1, "/workspace/.git/config");
  session.changed(1, "/workspace/a.o");
  session.changed(1, "/workspace/b.o");
  session.exit(1, 2);
}

}  // namespace pale::history
