#include "base/hunk.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace pale {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Change {
  std::string old_text, new_text;
  std::vector<std::string_view> before, after;
  std::vector<Hunk> hunks;

  Change(std::string from, std::string to, std::size_t context = 3)
      : old_text(std::move(from)),
        new_text(std::move(to)),
        before(split_lines(old_text)),
        after(split_lines(new_text)),
        hunks(hunks_of(diff_lines(before, after), before.size(), after.size(), context)) {}
  Change(const Change&) = delete;  // the lines point into the texts
  Change& operator=(const Change&) = delete;

  std::string text() const {
    std::string all;
    for (const Hunk& hunk : hunks) all += hunk_text(before, after, hunk);
    return all;
  }
};

std::string numbers(int first, int last) {
  std::string text;
  for (int number = first; number <= last; ++number) text += std::to_string(number) + "\n";
  return text;
}

TEST(HunksOf, NothingChangedIsNoHunk) { EXPECT_THAT(Change("a\n", "a\n").hunks, IsEmpty()); }

TEST(HunksOf, HaveThreeLinesAroundOrAsManyAsThereAre) {
  EXPECT_EQ(Change(numbers(1, 9), numbers(1, 4) + "x\n" + numbers(6, 9)).text(),
            "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n");
  EXPECT_EQ(Change("a\nb\n", "a\nc\n").text(), "@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
}

TEST(HunksOf, EditsAreJoinedIfTheirSurroundingsTouch) {
  const auto changed = [](int distance) {
    return Change(numbers(1, 30),
                  numbers(1, 9) + "x\n" + numbers(11, 10 + distance) + "y\n" + numbers(12 + distance, 30));
  };
  EXPECT_THAT(changed(6).hunks, ElementsAre(Hunk{6, 14, 6, 14, {{9, 10, 9, 10}, {16, 17, 16, 17}}}));
  EXPECT_THAT(changed(7).hunks, SizeIs(2));
}

TEST(HunkText, ACountOfOneIsLeftOutAndAnEmptyRangeIsNamedByTheLineAbove) {
  EXPECT_EQ(Change("", "a\n").text(), "@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(Change("a\nb\n", "").text(), "@@ -1,2 +0,0 @@\n-a\n-b\n");
  EXPECT_EQ(Change("a\nb\n", "a\nx\nb\n", 0).text(), "@@ -1,0 +2 @@\n+x\n");
}

TEST(HunkText, SaysWhereALineEndIsMissing) {
  EXPECT_EQ(Change("a", "a\n").text(), "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n");
  EXPECT_EQ(Change("a\nz", "b\nz").text(), "@@ -1,2 +1,2 @@\n-a\n+b\n z\n\\ No newline at end of file\n");
}

TEST(WithHunks, AppliesTheChosenOnes) {
  const Change change(numbers(1, 30), "x\n" + numbers(2, 14) + numbers(16, 30) + "31");
  ASSERT_THAT(change.hunks, SizeIs(3));
  EXPECT_EQ(with_hunks(change.before, change.after, std::span(change.hunks).subspan(1, 1)),
            numbers(1, 14) + numbers(16, 30));
  EXPECT_EQ(with_hunks(change.before, change.after, std::span(change.hunks).subspan(2)), numbers(1, 30) + "31");
}

// --- properties -------------------------------------------------------------------------------------------------------

std::string some_text() {
  std::string text;
  for (const int line : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 9)))
    text += std::to_string(line) + "\n";
  if (!text.empty() && *rc::gen::inRange(0, 3) == 0) text.pop_back();
  return text;
}

RC_GTEST_PROP(WithHunksProperty, AllGiveTheNewTextAndNoneTheOld, (const std::size_t width)) {
  const std::string before = some_text(), after = some_text();
  const Change change(before, after, width % 5);
  RC_ASSERT(with_hunks(change.before, change.after, change.hunks) == after);
  RC_ASSERT(with_hunks(change.before, change.after, {}) == before);
}

// What is left to do after some hunks were taken are the others.
RC_GTEST_PROP(WithHunksProperty, TheRestLeadsToTheNewText, ()) {
  const std::string before = some_text(), after = some_text();
  const Change change(before, after, 0);
  std::vector<Hunk> chosen, rest;
  for (const Hunk& hunk : change.hunks) (*rc::gen::arbitrary<bool>() ? chosen : rest).push_back(hunk);
  const std::string between = with_hunks(change.before, change.after, chosen);
  const auto lines = split_lines(between);
  std::ptrdiff_t grown = 0;
  std::size_t taken = 0;
  for (Hunk& hunk : rest) {
    for (; taken < chosen.size() && chosen[taken].old_begin < hunk.old_begin; ++taken) {
      grown +=
          static_cast<std::ptrdiff_t>(chosen[taken].new_count) - static_cast<std::ptrdiff_t>(chosen[taken].old_count);
    }
    for (Edit& edit : hunk.edits) {
      edit.old_begin += static_cast<std::size_t>(grown);
      edit.old_end += static_cast<std::size_t>(grown);
    }
  }
  RC_ASSERT(with_hunks(lines, change.after, rest) == after);
}

RC_GTEST_PROP(HunksProperty, DoNotTouchAndHoldEachEditOnce, (const std::size_t width)) {
  const Change change(some_text(), some_text(), width % 5);
  std::size_t end = 0, edits = 0;
  for (const Hunk& hunk : change.hunks) {
    RC_ASSERT(edits == 0 || hunk.old_begin > end);
    end = hunk.old_begin + hunk.old_count;
    RC_ASSERT(end <= change.before.size());
    RC_ASSERT(hunk.new_begin + hunk.new_count <= change.after.size());
    edits += hunk.edits.size();
  }
  RC_ASSERT(edits == diff_lines(change.before, change.after).size());
}

}  // namespace
}  // namespace pale
