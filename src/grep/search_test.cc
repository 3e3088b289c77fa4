#include "grep/search.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <random>

#include "support/directory.h"
#include "sys/event.h"

namespace pale::grep {
namespace {

using search::Answer;
using search::FileMatches;
using search::Request;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Searching : public test::InADirectory {
 protected:
  Request request(std::string pattern) const { return {.root = base().text(), .pattern = std::move(pattern)}; }
  static std::vector<std::string> paths(const Answer& answer) {
    std::vector<std::string> all;
    for (const FileMatches& file : answer.files) all.push_back(file.path);
    return all;
  }
};

TEST_F(Searching, FindsLinesInTheOrderOfTheTree) {
  write("b/x", "one\nneedle two\n");
  write("a", "needle\nx\nneedle\n");
  write("b.c", "needle\n");
  const auto answer = run(request("needle"));
  EXPECT_THAT(paths(*answer), ElementsAre("a", "b/x", "b.c"));
  EXPECT_EQ(answer->files[1], (FileMatches{"b/x", 1, {{2, true, "needle two"}}}));
  EXPECT_EQ(answer->matching_lines, 4U);
  EXPECT_EQ(answer->matching_files, 3U);
  EXPECT_EQ(answer->searched_files, 3U);
  EXPECT_FALSE(answer->more);
}

TEST_F(Searching, OnlyWhereItIsAskedTo) {
  write(".gitignore", "*.o\n");
  for (const char* file : {"a.o", "a.c", "s/a.c", "s/t/a.c", "s/a.h", ".hidden"}) write(file, "needle\n");
  Request asked = request("needle");
  EXPECT_THAT(paths(*run(asked)), ElementsAre(".hidden", "a.c", "s/a.c", "s/a.h", "s/t/a.c"));
  asked.glob = "*.c";
  EXPECT_THAT(paths(*run(asked)), ElementsAre("a.c", "s/a.c", "s/t/a.c"));
  asked.paths = {"s/t", "s", "s/t/a.c"};
  EXPECT_THAT(paths(*run(asked)), ElementsAre("s/a.c", "s/t/a.c")) << "each once";
  asked.glob = "";
  asked.paths = {"a.o"};
  EXPECT_THAT(paths(*run(asked)), ElementsAre("a.o")) << "who names it wants it";
  asked.paths = {};
  asked.walk = {search::Ignored::Show, search::Hidden::Skip};
  EXPECT_THAT(paths(*run(asked)), ElementsAre("a.c", "a.o", "s/a.c", "s/a.h", "s/t/a.c"));
  asked.prefix = "/x/";
  asked.paths = {"a.c"};
  EXPECT_THAT(paths(*run(asked)), ElementsAre("/x/a.c"));
}

TEST_F(Searching, FollowsNoLinkAndWaitsForNoPipe) {
  write("real", "needle\n");
  std::filesystem::create_symlink(base_ / "real", base_ / "link");
  std::filesystem::create_directory_symlink(base_, base_ / "loop");
  mkfifo((base_ / "pipe").c_str(), 0600);
  EXPECT_THAT(paths(*run(request("needle"))), ElementsAre("real"));
  for (const char* path : {"link", "loop", "loop/real", "pipe", "..", "/etc", "missing"}) {
    Request asked = request("needle");
    asked.paths = {path};
    EXPECT_FALSE(run(asked)) << path;
  }
}

TEST_F(Searching, WhatIsTooMuchIsCountedAndTheSameEachTime) {
  std::mt19937 random(1);
  for (int file = 0; file < 400; ++file) {
    std::string text;
    for (std::size_t line = random() % 9; line > 0; --line) text += "needle " + std::to_string(line) + "\n";
    write("d" + std::to_string(file % 13) + "/e" + std::to_string(file % 5) + "/f" + std::to_string(file), text);
  }
  Request asked = request("needle");
  asked.most_lines = 100'000;
  asked.most_bytes = 10'000'000;
  asked.context = 1;
  const auto all = run(asked);
  EXPECT_FALSE(all->more);
  asked.most_lines = 37;
  const auto some = run(asked);
  EXPECT_TRUE(some->more);
  EXPECT_EQ(some->matching_lines, all->matching_lines);
  std::uint64_t lines = 0;
  for (std::size_t at = 0; at < some->files.size(); ++at) {
    EXPECT_EQ(some->files[at].path, all->files[at].path);
    EXPECT_EQ(some->files[at].count, all->files[at].count);
    lines += some->files[at].lines.size();
  }
  EXPECT_EQ(lines, 37U);
  for (int round = 0; round < 20; ++round) ASSERT_EQ(*run(asked), *some);
  asked.most_lines = 1000;
  asked.most_bytes = 500;
  const auto short_one = run(asked);
  EXPECT_TRUE(short_one->more);
  for (int round = 0; round < 20; ++round) ASSERT_EQ(*run(asked), *short_one);
}

TEST_F(Searching, CountsOfFiles) {
  write("a", "needle\nneedle\n");
  write("b", "needle\n");
  Request asked = request("needle");
  asked.report = search::Report::Counts;
  EXPECT_THAT(run(asked)->files, ElementsAre(FileMatches{"a", 2, {}}, FileMatches{"b", 1, {}}));
  asked.most_lines = 1;
  EXPECT_THAT(paths(*run(asked)), ElementsAre("a"));
  EXPECT_TRUE(run(asked)->more);
  asked.most_lines = 0;
  EXPECT_THAT(paths(*run(asked)), IsEmpty());
  EXPECT_EQ(run(asked)->matching_lines, 3U);
}

TEST_F(Searching, ADirectoryOfThousandsIsSharedAmongThreads) {
  for (int file = 0; file < 3000; ++file) write("d/f" + std::to_string(file), file % 7 == 0 ? "needle\n" : "x\n");
  const auto answer = run(request("needle"));
  EXPECT_EQ(answer->matching_files, 429U);
  EXPECT_EQ(answer->searched_files, 3000U);
}

TEST_F(Searching, APatternThatTakesForEverIsHeldToItsTime) {
  std::string text;
  for (int line = 0; line < 300; ++line) text += std::string(5000, 'x') + "\n";
  for (int file = 0; file < 40; ++file) write("f" + std::to_string(file), text);
  Request asked = request("(x+x+)+[yz]$");
  asked.time_limit = 100;
  const auto began = sys::monotonic_ms();
  const auto answer = run(asked);
  EXPECT_TRUE(answer->out_of_time);
  EXPECT_GT(answer->hard, 0U);
  EXPECT_LT(sys::monotonic_ms() - began, 3000);
}

TEST_F(Searching, WhatIsWrongIsSaid) {
  EXPECT_THAT(run(request("a(")).error().sentence(), HasSubstr("column 3"));
  Request asked = request("a");
  asked.glob = "{";
  EXPECT_FALSE(run(asked));
  asked.glob = "";
  asked.root += "/missing";
  EXPECT_FALSE(run(asked));
}

}  // namespace
}  // namespace pale::grep
