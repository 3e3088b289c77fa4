#include "stage/merge.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "base/line_diff.h"

namespace pale::stage {
namespace {

using ::testing::HasSubstr;

constexpr MergeLabels kLabels{"host", "base", "stage"};

Merged merge(std::string_view original, std::string_view ours, std::string_view theirs) {
  return merge_texts(original, ours, theirs, kLabels);
}

TEST(Merge, TakesAChangeOfOneSide) {
  EXPECT_EQ(merge("a\nb\n", "a\nx\n", "a\nb\n"), (Merged{"a\nx\n", 0}));
  EXPECT_EQ(merge("a\nb\n", "a\nb\n", ""), (Merged{"", 0}));
  EXPECT_EQ(merge("", "", "a"), (Merged{"a", 0}));
}

TEST(Merge, TakesChangesOfBothSidesWithALineBetween) {
  EXPECT_EQ(merge("a\nb\nc\n", "x\nb\nc\n", "a\nb\ny"), (Merged{"x\nb\ny", 0}));
  EXPECT_EQ(merge("a\nb\nc\n", "b\nc\n", "a\nb\nc\nd\n"), (Merged{"b\nc\nd\n", 0}));
}

TEST(Merge, TakesTheSameChangeOnce) {
  EXPECT_EQ(merge("a\nb\n", "x\nb\n", "x\nb\n"), (Merged{"x\nb\n", 0}));
  EXPECT_EQ(merge("", "x", "x"), (Merged{"x", 0}));
  EXPECT_EQ(merge("a\nb\nc\nd\n", "x\nb\nc\ny\n", "x\nb\nc\nd\n"), (Merged{"x\nb\nc\ny\n", 0}));
}

TEST(Merge, DifferentChangesOfALineAreAConflict) {
  EXPECT_EQ(merge("a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n"),
            (Merged{"a\n<<<<<<< host\nx\n||||||| base\nb\n=======\ny\n>>>>>>> stage\nc\n", 1}));
}

TEST(Merge, ChangesThatTouchAreAConflict) {
  EXPECT_EQ(merge("a\nb\n", "x\nb\n", "a\ny\n"),
            (Merged{"<<<<<<< host\nx\nb\n||||||| base\na\nb\n=======\na\ny\n>>>>>>> stage\n", 1}));
  EXPECT_EQ(merge("a\n", "a\nx\n", "a\ny\n").conflicts, 1U);
  EXPECT_EQ(merge("a\nb\n", "b\n", "a\nx\nb\n").conflicts, 1U);
}

TEST(Merge, OneLongChangeMeetsSeveral) {
  EXPECT_EQ(
      merge("a\nb\nc\nd\ne\n", "x\nb\nc\nd\nx\n", "a\ny\ny\ny\ne\n"),
      (Merged{"<<<<<<< host\nx\nb\nc\nd\nx\n||||||| base\na\nb\nc\nd\ne\n=======\na\ny\ny\ny\ne\n>>>>>>> stage\n", 1}));
}

TEST(Merge, AMarkerStartsALine) {
  EXPECT_EQ(merge("a", "b", "c"), (Merged{"<<<<<<< host\nb\n||||||| base\na\n=======\nc\n>>>>>>> stage\n", 1}));
  EXPECT_EQ(merge("a", "", "c"), (Merged{"<<<<<<< host\n||||||| base\na\n=======\nc\n>>>>>>> stage\n", 1}));
}

TEST(Merge, AnEmptyLabelLeavesTheMarkerAlone) {
  EXPECT_THAT(merge_texts("a\n", "b\n", "c\n", {}).text, HasSubstr("<<<<<<<\nb\n|||||||\na\n=======\nc\n>>>>>>>\n"));
}

// --- properties -------------------------------------------------------------------------------------------------------

std::string some_text() {
  std::string text;
  for (const int line : *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 6)))
    text += std::to_string(line) + "\n";
  if (!text.empty() && *rc::gen::inRange(0, 3) == 0) text.pop_back();
  return text;
}

RC_GTEST_PROP(MergeProperty, OneSideThatChangedNothingLeavesTheOther, ()) {
  const std::string original = some_text(), changed = some_text();
  RC_ASSERT(merge(original, original, changed) == (Merged{changed, 0}));
  RC_ASSERT(merge(original, changed, original) == (Merged{changed, 0}));
  RC_ASSERT(merge(original, changed, changed) == (Merged{changed, 0}));
}

RC_GTEST_PROP(MergeProperty, SidesCanBeExchanged, ()) {
  const std::string original = some_text(), ours = some_text(), theirs = some_text();
  const Merged one = merge_texts(original, ours, theirs, {"1", "o", "2"});
  const Merged other = merge_texts(original, theirs, ours, {"2", "o", "1"});
  RC_ASSERT(one.conflicts == other.conflicts);
  if (one.conflicts == 0) RC_ASSERT(one.text == other.text);
}

// Changes at known places of a text whose lines are all different.
struct Places {
  std::vector<std::string> lines;
  std::string text() const {
    std::string all;
    for (const std::string& line : lines) all += line;
    return all;
  }
};

Places numbered(std::size_t count) {
  Places places;
  for (std::size_t i = 0; i < count; ++i) places.lines.push_back("line " + std::to_string(i) + "\n");
  return places;
}

// A new line in the place of one, before it, or none in its place.
void change(Places& places, std::size_t at, const std::string& text) {
  std::string& line = places.lines[at];
  line = *rc::gen::elementOf(std::vector<std::string>{text, text + line, ""});
}

RC_GTEST_PROP(MergeProperty, ChangesApartFromEachOtherAreAllTaken, ()) {
  const Places original = numbered(60);
  Places ours = original, theirs = original, both = original;
  // A line at least stays between any two.
  for (std::size_t at = *rc::gen::inRange<std::size_t>(0, 5); at < 60; at += *rc::gen::inRange<std::size_t>(2, 9)) {
    Places& side = *rc::gen::arbitrary<bool>() ? ours : theirs;
    change(side, at, "new " + std::to_string(at) + "\n");
    both.lines[at] = side.lines[at];
  }
  RC_ASSERT(merge(original.text(), ours.text(), theirs.text()) == (Merged{both.text(), 0}));
}

// The text after a person took one part of each conflict: 0 for ours, 1 for the original, 2 for theirs.
std::string resolved(std::string_view text, int part) {
  constexpr std::string_view kMarkers[] = {"<<<<<<<", "|||||||", "=======", ">>>>>>>"};
  std::string result;
  int inside = -1;
  for (const std::string_view line : split_lines(text)) {
    const auto* marker = std::ranges::find_if(kMarkers, [&](std::string_view m) { return line.starts_with(m); });
    if (marker != std::end(kMarkers)) {
      inside = marker == std::end(kMarkers) - 1 ? -1 : static_cast<int>(marker - std::begin(kMarkers));
    } else if (inside < 0 || inside == part) {
      result.append(line);
    }
  }
  return result;
}

RC_GTEST_PROP(MergeProperty, DifferentChangesOfOneLineAreAConflictThatHoldsAllThree, ()) {
  const Places original = numbered(20);
  Places ours = original, theirs = original;
  const auto at = *rc::gen::inRange<std::size_t>(0, 20);
  change(ours, at, "ours\n");
  change(theirs, at, "theirs\n");
  RC_PRE(ours.lines[at] != theirs.lines[at]);
  const Merged merged = merge(original.text(), ours.text(), theirs.text());
  RC_ASSERT(merged.conflicts == 1U);
  RC_ASSERT(resolved(merged.text, 0) == ours.text());
  RC_ASSERT(resolved(merged.text, 1) == original.text());
  RC_ASSERT(resolved(merged.text, 2) == theirs.text());
}

}  // namespace
}  // namespace pale::stage
