#include "scope/order.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace pale::scope {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Story story(std::string id, std::int64_t priority, std::vector<std::string> needs = {}, bool passes = false) {
  Story made;
  made.id = std::move(id);
  made.priority = priority;
  made.dependencies = std::move(needs);
  made.passes = passes;
  return made;
}

TEST(StoryOrder, ByPriorityThenAsTheyStand) {
  const std::vector<Story> stories = {story("a", 2), story("b", 1), story("c", kLowestPriority), story("d", 1)};
  EXPECT_THAT(ready_stories(stories), ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(work_order(stories), ElementsAre(1, 3, 0, 2));
}

TEST(StoryOrder, NoneBeforeWhatItDependsOn) {
  const std::vector<Story> stories = {story("a", 1, {"c"}), story("b", 3), story("c", 2)};
  EXPECT_THAT(ready_stories(stories), ElementsAre(2, 1));
  EXPECT_THAT(work_order(stories), ElementsAre(2, 0, 1));
}

TEST(StoryOrder, WhatPassesIsDone) {
  const std::vector<Story> stories = {story("a", 1, {"b"}), story("b", 1, {}, true), story("c", 1, {"a"}, true)};
  EXPECT_THAT(ready_stories(stories), ElementsAre(0));
  EXPECT_THAT(work_order(stories), ElementsAre(0));
  EXPECT_THAT(ready_stories({story("a", 1, {}, true)}), IsEmpty());
}

RC_GTEST_PROP(StoryOrder, EachComesOnceAndAfterItsNeeds, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(0, 12);
  std::vector<Story> stories;
  for (std::size_t at = 0; at < count; ++at) {
    std::vector<std::string> needs;
    for (std::size_t other = 0; other < at; ++other) {
      if (*rc::gen::inRange(0, 3) == 0) needs.push_back(std::to_string(other));
    }
    stories.push_back(story(std::to_string(at), *rc::gen::inRange(0, 4), needs, *rc::gen::inRange(0, 4) == 0));
  }
  const auto order = work_order(stories);
  const auto place = [&](std::size_t at) { return std::ranges::find(order, at) - order.begin(); };
  RC_ASSERT(order.size() == static_cast<std::size_t>(std::ranges::count(stories, false, &Story::passes)));
  for (const std::size_t at : order) {
    for (const std::string& need : stories[at].dependencies) {
      const std::size_t needed = std::stoul(need);
      RC_ASSERT(stories[needed].passes || place(needed) < place(at));
    }
  }
}

}  // namespace
}  // namespace pale::scope
