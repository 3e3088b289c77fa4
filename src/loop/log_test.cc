#include "loop/log.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>

#include "loop/task.h"

namespace pale::loop {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Entry entry(std::string event, std::string story = {}, std::string stage = {}) {
  Entry made;
  made.event = std::move(event);
  made.story = std::move(story);
  made.stage = std::move(stage);
  return made;
}

TEST(Log, WhatWasAppliedAndNotMarkedIsLeft) {
  const auto left = unfinished({entry("run", "a", "s1"), entry("applied", "a", "s1"), entry("run", "b", "s2"),
                                entry("applied", "b", "s2"), entry("passed", "b"), entry("run", "c", "s3"),
                                entry("run", "d", "s4"), entry("dropped", "d", "s4")});
  EXPECT_THAT(left.applied, ElementsAre("a"));
  ASSERT_THAT(left.stages, SizeIs(1));
  EXPECT_EQ(left.stages[0].stage, "s3");
}

TEST(Log, HalfALineIsNone) {
  const std::string text = to_line(entry("run", "a")) + "not JSON\n" + R"({"event": "pas)";
  EXPECT_THAT(read_log(text), SizeIs(1));
}

TEST(Log, LinesComeBackAsTheyWere) {
  EXPECT_TRUE(rc::check([](const std::string& story, const std::string& text, std::uint32_t number) {
    const Entry made{"agent", number, story, number, "stage", static_cast<int>(number % 256), number, text};
    const auto read = read_log(to_line(made));
    RC_ASSERT(read.size() == 1U);
    RC_ASSERT(read.front() == made);
  }));
}

TEST(Task, IsReadAndBecomesAPrompt) {
  const std::string text = R"({"project": "p", "userStories": [{"id": "US-1", "title": "T", "description": "D",
    "acceptanceCriteria": ["one", "two"], "verify": "make test"}, {"id": "US-2", "title": "T", "verify": ["a", "b"]}]})";
  const auto prd = scope::parse_prd(text, "prd.json");
  const auto tasks = read_tasks(text, "prd.json");
  ASSERT_TRUE(prd && tasks);
  EXPECT_THAT(tasks->at(0).verify, ElementsAre("/bin/sh", "-c", "make test"));
  EXPECT_THAT(tasks->at(1).verify, ElementsAre("a", "b"));
  const std::string prompt =
      prompt_for(*prd, prd->stories[0], tasks->at(0), FileScopeIs::Own, "# Workspace Sandboxing\n");
  for (const char* part : {"# US-1: T", "\nD\n", "- one\n- two\n", "# Workspace Sandboxing\n"})
    EXPECT_THAT(prompt, HasSubstr(part));
}

TEST(Task, WhatIsWrongIsSaidWithTheStory) {
  const auto tasks = read_tasks(R"({"userStories": [{"id": "US-1", "acceptanceCriteria": "x"}]})", "prd.json");
  ASSERT_FALSE(tasks);
  EXPECT_THAT(tasks.error().sentence(), HasSubstr("prd.json: story US-1: acceptanceCriteria"));
}

}  // namespace
}  // namespace pale::loop
