#include "loop/schedule.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>

namespace pale::loop {
namespace {

using Kind = Action::Kind;

scope::Story story(const std::string& id, std::int64_t priority, std::vector<std::string> needs = {}) {
  scope::Story made;
  made.id = id;
  made.title = id;
  made.priority = priority;
  made.dependencies = std::move(needs);
  return made;
}

TEST(Schedule, TakesStoriesByPriorityAndNoneBeforeWhatItDependsOn) {
  Schedule schedule({story("a", 1, {"c"}), story("b", 3), story("c", 2)}, {1, 10, 1}, Where::Project);
  std::string order;
  while (const auto action = schedule.next()) {
    order += schedule.stories()[action->story].id;
    schedule.tell(*action, Outcome::Verified);
  }
  EXPECT_EQ(order, "cab");
  EXPECT_TRUE(schedule.is_over());
}

TEST(Schedule, AppliesOnlyWhenNothingRuns) {
  Schedule schedule({story("a", 1), story("b", 2), story("c", 3, {"a"})}, {4, 10, 1}, Where::Stages);
  const auto a = schedule.next();
  const auto b = schedule.next();
  ASSERT_TRUE(a && b);
  EXPECT_FALSE(schedule.next());
  schedule.tell(*b, Outcome::Verified);
  EXPECT_FALSE(schedule.next()) << "a still runs on the base";
  schedule.tell(*a, Outcome::Verified);
  EXPECT_EQ(schedule.next(), (Action{Kind::Apply, 0}));
  EXPECT_FALSE(schedule.next());
  schedule.tell({Kind::Apply, 0}, Outcome::Verified);
  EXPECT_EQ(schedule.next(), (Action{Kind::Apply, 1})) << "only then a new round begins";
  schedule.tell({Kind::Apply, 1}, Outcome::Verified);
  EXPECT_EQ(schedule.next(), (Action{Kind::Run, 2}));
}

TEST(Schedule, AConflictIsRunAgainAndAFailureAsOftenAsAllowed) {
  Schedule schedule({story("a", 1), story("b", 2, {"a"})}, {2, 10, 2}, Where::Stages);
  schedule.tell(*schedule.next(), Outcome::Verified);
  schedule.tell(*schedule.next(), Outcome::Conflict);
  EXPECT_EQ(schedule.tries(0), 0U);
  schedule.tell(*schedule.next(), Outcome::Failed);
  EXPECT_EQ(schedule.state(0), State::Waiting);
  schedule.tell(*schedule.next(), Outcome::Failed);
  EXPECT_EQ(schedule.state(0), State::Failed);
  EXPECT_EQ(schedule.state(1), State::Blocked);
  EXPECT_TRUE(schedule.is_over());
}

TEST(Schedule, StoppedItBeginsNothingButAppliesWhatWasVerified) {
  Schedule schedule({story("a", 1), story("b", 2)}, {1, 10, 1}, Where::Stages);
  const auto a = schedule.next();
  schedule.stop();
  schedule.tell(*a, Outcome::Verified);
  EXPECT_EQ(schedule.next(), (Action{Kind::Apply, 0}));
  schedule.tell({Kind::Apply, 0}, Outcome::Verified);
  EXPECT_FALSE(schedule.next());
  EXPECT_TRUE(schedule.is_over());
  EXPECT_EQ(schedule.state(1), State::Waiting);
}

std::vector<scope::Story> any_stories() {
  std::vector<scope::Story> stories;
  const int count = *rc::gen::inRange(0, 12);
  for (int at = 0; at < count; ++at) {
    std::vector<std::string> needs;
    for (int before = 0; before < at; ++before) {
      if (*rc::gen::inRange(0, 4) == 0) needs.push_back("s" + std::to_string(before));
    }
    stories.push_back(story("s" + std::to_string(at), *rc::gen::inRange(0, 4), needs));
    stories.back().passes = *rc::gen::inRange(0, 6) == 0;
  }
  return stories;
}

// Whatever comes of things: it ends, keeps its limits, and a story passes only behind those that it needs.
TEST(Schedule, EndsAndKeepsItsPromises) {
  EXPECT_TRUE(rc::check([] {
    const auto stories = any_stories();
    const Limits limits{*rc::gen::inRange<std::size_t>(1, 5), *rc::gen::inRange<std::uint64_t>(0, 60),
                        *rc::gen::inRange<std::uint64_t>(1, 4)};
    const Where where = *rc::gen::element(Where::Project, Where::Stages);
    Schedule schedule(stories, limits, where);
    std::vector<Action> under_way;
    for (int step = 0; step < 5000 && !schedule.is_over(); ++step) {
      if (const auto action = schedule.next()) {
        if (action->kind == Kind::Apply) RC_ASSERT(under_way.empty());
        under_way.push_back(*action);
        RC_ASSERT(under_way.size() <= (where == Where::Project ? 1U : limits.at_once));
        for (const std::string& need : stories[action->story].dependencies) {
          const auto at = static_cast<std::size_t>(std::stoi(need.substr(1)));
          RC_ASSERT(schedule.state(at) == State::Passed);
        }
        continue;
      }
      RC_ASSERT(!under_way.empty());
      const std::size_t which = *rc::gen::inRange<std::size_t>(0, under_way.size());
      const Action done = under_way[which];
      under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(which));
      const bool applies = done.kind == Kind::Apply;
      schedule.tell(done, applies ? *rc::gen::element(Outcome::Verified, Outcome::Conflict, Outcome::Failed)
                                  : *rc::gen::element(Outcome::Verified, Outcome::Failed));
      RC_ASSERT(schedule.runs() <= limits.runs);
      RC_ASSERT(schedule.tries(done.story) <= limits.tries);
    }
    RC_ASSERT(schedule.is_over());
    RC_ASSERT(!schedule.next());
  }));
}

}  // namespace
}  // namespace pale::loop
