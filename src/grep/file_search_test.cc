#include "grep/file_search.h"

#include <gmock/gmock.h>

#include <random>
#include <sstream>

#include "support/directory.h"
#include "sys/file.h"

namespace pale::grep {
namespace {

using search::Letters;
using search::Line;
using search::Syntax;

class FileSearching : public test::InADirectory {
 protected:
  FileResult search(const std::string& text, const std::string& pattern, std::uint64_t context = 0,
                    std::optional<Bounds> bounds = Bounds{1'000'000, 1UL << 30U}) {
    write("file", text);
    const auto regex = Regex::compile(pattern, Syntax::Regex, Letters::Exact);
    FileSearch searching(*regex, context, [] { return true; });
    return searching.search(*sys::open_at(sys::kAbsolute, at("file").c_str(), O_RDONLY), bounds);
  }
};

// As one would do it with a list of all lines.
std::vector<Line> naive(const std::string& text, const std::string& word, std::uint64_t context) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  std::vector<Line> lines;
  for (std::size_t at = 0; at < all.size(); ++at) {
    bool near = false;
    const std::size_t first = at > context ? at - context : 0;
    for (std::size_t other = first; other < all.size() && other <= at + context; ++other)
      near = near || all[other].find(word) != std::string::npos;
    if (near) lines.push_back({at + 1, all[at].find(word) != std::string::npos, all[at].substr(0, kLongestLine)});
  }
  return lines;
}

TEST_F(FileSearching, LinesAndWhatStandsAroundThem) {
  const std::string text = "a\nb\nx1\nc\nd\ne\nx2\nx3\nf\ng";
  for (std::uint64_t context = 0; context < 12; ++context) {
    const FileResult result = search(text, "x", context);
    EXPECT_EQ(result.count, 3U);
    EXPECT_EQ(result.lines, naive(text, "x", context)) << context;
  }
}

TEST_F(FileSearching, FilesOfManyWindowsAreSearchedAsOne) {
  std::mt19937 random(3);
  for (int round = 0; round < 12; ++round) {
    std::string text;
    while (text.size() < 900'000) {
      text += std::string(random() % (round % 3 == 0 ? 3000 : 60), "ab"[random() % 2]);
      text += random() % 50 == 0 ? "x\n" : "\n";
    }
    if (round % 2 == 0) text += "tail x";
    const std::uint64_t context = random() % 5;
    const FileResult result = search(text, round % 4 < 2 ? "x" : "x|y(?=z)", context);
    const auto expected = naive(text, "x", context);
    ASSERT_EQ(result.lines.size(), expected.size());
    for (std::size_t at = 0; at < expected.size(); ++at) {
      ASSERT_EQ(result.lines[at].number, expected[at].number);
      ASSERT_EQ(result.lines[at].text, expected[at].text);
      ASSERT_EQ(result.lines[at].matches || expected[at].text.size() == kLongestLine,
                expected[at].matches || expected[at].text.size() == kLongestLine);
    }
  }
}

TEST_F(FileSearching, ALineThatIsLongerThanAWindow) {
  const std::string text = "x\n" + std::string(3'000'000, 'a') + "x\nx\n";
  const FileResult result = search(text, "x", 1);
  EXPECT_EQ(result.count, 3U);
  ASSERT_EQ(result.lines.size(), 3U);
  EXPECT_EQ(result.lines[1].text.size(), kLongestLine);
  EXPECT_EQ(result.lines[2].number, 3U);
}

TEST_F(FileSearching, ANulAtTheBeginningMeansNoText) {
  EXPECT_EQ(search(std::string("x\0x\n", 4), "x").kind, FileKind::Binary);
  EXPECT_EQ(search(std::string("x\0x\n", 4), "x").count, 0U);
  EXPECT_EQ(search("", "x").kind, FileKind::Text);
  const std::string late = std::string(100'000, 'x') + "\n" + std::string("\0x\n", 3);
  EXPECT_EQ(search(late, "x").count, 2U);
}

TEST_F(FileSearching, WithinItsBoundsAndCountedBeyondThem) {
  std::string text;
  for (int each = 0; each < 100; ++each) text += "x\nb\n";
  const FileResult few = search(text, "x", 1, Bounds{3, 1000});
  EXPECT_EQ(few.count, 100U);
  const std::vector<Line> expected = {{1, true, "x"},  {2, false, "b"}, {3, true, "x"},
                                      {4, false, "b"}, {5, true, "x"},  {6, false, "b"}};
  EXPECT_EQ(few.lines, expected);
  EXPECT_EQ(search(text, "x", 0, Bounds{1000, 10}).lines.size(), 5U);
  EXPECT_EQ(search(text, "x", 0, std::nullopt).count, 100U);
  EXPECT_TRUE(search(text, "x", 0, std::nullopt).lines.empty());
}

TEST_F(FileSearching, WhatIsNoFileHoldsNothing) {
  const auto regex = Regex::compile("x", Syntax::Regex, Letters::Exact);
  FileSearch searching(*regex, 0, [] { return true; });
  EXPECT_EQ(searching.search(*sys::open_at(sys::kAbsolute, base().c_str(), O_RDONLY), std::nullopt).count, 0U);
}

}  // namespace
}  // namespace pale::grep
