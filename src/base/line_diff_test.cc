#include "base/line_diff.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <string>

namespace pale {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Lt;
using ::testing::SizeIs;

using Lines = std::vector<std::string_view>;

// One line for each letter.
Lines letters(std::string_view text) {
  Lines lines;
  for (std::size_t at = 0; at < text.size(); ++at) lines.push_back(text.substr(at, 1));
  return lines;
}

std::vector<Edit> diff(std::string_view before, std::string_view after) {
  return diff_lines(letters(before), letters(after));
}

Lines applied(const Lines& before, const Lines& after, const std::vector<Edit>& edits) {
  Lines result;
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    while (at < edit.old_begin) result.push_back(before[at++]);
    for (std::size_t added = edit.new_begin; added < edit.new_end; ++added) result.push_back(after[added]);
    at = edit.old_end;
  }
  while (at < before.size()) result.push_back(before[at++]);
  return result;
}

std::size_t cost(const std::vector<Edit>& edits) {
  std::size_t lines = 0;
  for (const Edit& edit : edits) lines += edit.old_end - edit.old_begin + edit.new_end - edit.new_begin;
  return lines;
}

// Removed and added lines of the best diff, by the whole table.
std::size_t least_cost(const Lines& before, const Lines& after) {
  std::vector<std::vector<std::size_t>> common(before.size() + 1, std::vector<std::size_t>(after.size() + 1));
  for (std::size_t x = 1; x <= before.size(); ++x) {
    for (std::size_t y = 1; y <= after.size(); ++y) {
      common[x][y] =
          before[x - 1] == after[y - 1] ? common[x - 1][y - 1] + 1 : std::max(common[x - 1][y], common[x][y - 1]);
    }
  }
  return before.size() + after.size() - 2 * common[before.size()][after.size()];
}

// What every list of edits keeps to, and the new text it makes.
void check(const Lines& before, const Lines& after, const std::vector<Edit>& edits) {
  Edit previous{0, 0, 0, 0};
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const Edit& edit = edits[i];
    RC_ASSERT(edit.old_begin <= edit.old_end && edit.new_begin <= edit.new_end);
    RC_ASSERT(edit.old_begin < edit.old_end || edit.new_begin < edit.new_end);
    RC_ASSERT(edit.old_begin - previous.old_end == edit.new_begin - previous.new_end);
    RC_ASSERT(edit.old_begin >= previous.old_end + (i == 0 ? 0U : 1U));
    previous = edit;
  }
  RC_ASSERT(applied(before, after, edits) == after);
}

TEST(SplitLines, KeepsLineEndsAndTheLastLineWithoutOne) {
  EXPECT_THAT(split_lines(""), IsEmpty());
  EXPECT_THAT(split_lines("a"), ElementsAre("a"));
  EXPECT_THAT(split_lines("a\n\nb\r\n"), ElementsAre("a\n", "\n", "b\r\n"));
  EXPECT_THAT(split_lines("a\nb"), ElementsAre("a\n", "b"));
}

TEST(DiffLines, FindsWhatWasAddedRemovedAndReplaced) {
  EXPECT_THAT(diff("", ""), IsEmpty());
  EXPECT_THAT(diff("abc", "abc"), IsEmpty());
  EXPECT_THAT(diff("", "ab"), ElementsAre(Edit{0, 0, 0, 2}));
  EXPECT_THAT(diff("ab", ""), ElementsAre(Edit{0, 2, 0, 0}));
  EXPECT_THAT(diff("abcdef", "aXcdYf"), ElementsAre(Edit{1, 2, 1, 2}, Edit{4, 5, 4, 5}));
  EXPECT_THAT(diff("abc", "xyz"), ElementsAre(Edit{0, 3, 0, 3}));
}

TEST(DiffLines, ABlockLikeTheOneAboveItStandsBelowThat) {
  EXPECT_THAT(diff("f{}", "f{}g{}"), ElementsAre(Edit{3, 3, 3, 6}));
  EXPECT_THAT(diff("f{}-h{}", "f{}-g{}-h{}"), ElementsAre(Edit{4, 4, 4, 8}));
  EXPECT_THAT(diff("aaa", "aa"), ElementsAre(Edit{2, 3, 2, 2}));
}

TEST(DiffLines, EditsThatMeetBecomeOne) {
  EXPECT_THAT(diff("axb", "aaay"), ElementsAre(Edit{1, 3, 1, 4}));
  EXPECT_THAT(diff("ab", "aab"), ElementsAre(Edit{1, 1, 1, 2}));
}

// Lines of few kinds, so that much is alike.
std::string text_of(std::string_view alphabet) {
  return *rc::gen::container<std::string>(rc::gen::elementOf(std::string(alphabet)));
}

RC_GTEST_PROP(DiffLinesProperty, MakesTheNewTextWithAsFewLinesAsPossible, ()) {
  const std::string alphabet =
      *rc::gen::element<std::string>("a", "ab", "abc", "abcdefgh", "abcdefghijklmnopqrstuvwxyz");
  const std::string before = text_of(alphabet), after = text_of(alphabet);
  const Lines old_lines = letters(before), new_lines = letters(after);
  const auto edits = diff_lines(old_lines, new_lines);
  check(old_lines, new_lines, edits);
  RC_ASSERT(cost(edits) == least_cost(old_lines, new_lines));
}

RC_GTEST_PROP(DiffLinesProperty, NoEditCanBeMovedFurtherDown, ()) {
  const std::string before = text_of("ab"), after = text_of("abc");
  const auto edits = diff(before, after);
  for (const Edit& edit : edits) {
    if (edit.old_begin == edit.old_end && edit.new_end < after.size()) {
      RC_ASSERT(after[edit.new_begin] != after[edit.new_end]);
    }
    if (edit.new_begin == edit.new_end && edit.old_end < before.size()) {
      RC_ASSERT(before[edit.old_begin] != before[edit.old_end]);
    }
  }
}

// --- long texts -------------------------------------------------------------------------------------------------------

// The same in every run.
class Random {
 public:
  std::size_t below(std::size_t limit) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return static_cast<std::size_t>(state_ >> 33U) % limit;
  }

 private:
  std::uint64_t state_ = 1;
};

constexpr std::size_t kLong = 200'000;

std::vector<std::string> pool_of(std::size_t size) {
  std::vector<std::string> pool;
  for (std::size_t i = 0; i < size; ++i) pool.push_back("  some line of code with number " + std::to_string(i) + ";\n");
  return pool;
}

Lines drawn(const std::vector<std::string>& pool, std::size_t kinds, Random& random) {
  Lines lines;
  for (std::size_t i = 0; i < kLong; ++i) lines.push_back(pool[random.below(kinds)]);
  return lines;
}

std::vector<Edit> timed(const Lines& before, const Lines& after) {
  const auto begin = std::chrono::steady_clock::now();
  auto edits = diff_lines(before, after);
  const auto taken = std::chrono::steady_clock::now() - begin;
  // Wide of what it takes without optimisation or with sanitizers; optimised it is below one second.
  EXPECT_THAT(taken, Lt(std::chrono::seconds(60)));
  ::testing::Test::RecordProperty("milliseconds", static_cast<int>(taken / std::chrono::milliseconds(1)));
  EXPECT_EQ(applied(before, after, edits), after);
  return edits;
}

TEST(DiffLongTexts, WithNothingInCommonAreReplaced) {
  const auto pool = pool_of(2 * kLong);
  const auto half = static_cast<std::ptrdiff_t>(kLong);
  const auto edits = timed({pool.begin(), pool.begin() + half}, {pool.begin() + half, pool.end()});
  EXPECT_THAT(edits, ElementsAre(Edit{0, kLong, 0, kLong}));
}

TEST(DiffLongTexts, ShuffledOrOfFewKindsOfLinesTakeBoundedTime) {
  const auto pool = pool_of(kLong);
  for (const std::size_t kinds : {std::size_t{2}, std::size_t{1000}, kLong}) {
    Random random;
    const Lines before = drawn(pool, kinds, random);
    timed(before, drawn(pool, kinds, random));
  }
}

TEST(DiffLongTexts, InTheOppositeOrderTakeBoundedTime) {
  const auto pool = pool_of(kLong);
  timed({pool.begin(), pool.end()}, {pool.rbegin(), pool.rend()});
}

TEST(DiffLongTexts, WithRunsOfEqualLinesTakeBoundedTime) {
  const auto pool = pool_of(4);
  Lines before, after;
  for (std::size_t i = 0; i < kLong; ++i) {
    before.push_back(pool[i % 600 == 0 ? 1 : 0]);
    after.push_back(pool[i % 700 == 0 ? 1 : 0]);
  }
  timed(before, after);
}

// Many changes here and there do not make it give up on the rest.
TEST(DiffLongTexts, WithManySmallChangesStayFewEdits) {
  const auto pool = pool_of(kLong);
  const Lines before(pool.begin(), pool.end());
  Lines after = before;
  for (std::size_t at = 0; at + 1 < kLong; at += 20) std::swap(after[at], after[at + 1]);
  const auto edits = timed(before, after);
  EXPECT_THAT(edits, SizeIs(kLong / 10));
  EXPECT_EQ(cost(edits), kLong / 10);
}

}  // namespace
}  // namespace pale
