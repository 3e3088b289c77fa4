#include "search/find.h"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <set>

#include "support/directory.h"

namespace pale::search {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Paths = std::vector<std::string>;

class FindFiles : public test::InADirectory {
 protected:
  sys::Fd root() const { return std::move(*sys::open_at(sys::kAbsolute, base().c_str(), O_PATH | O_DIRECTORY)); }
  Paths find(const std::string& glob, const FindOptions& options = {}) const {
    return find_files(root(), *Glob::parse(glob), options)->paths;
  }
};

TEST_F(FindFiles, InTheOrderOfATree) {
  for (const char* file : {"b/x", "b.c/x", "b-/x", "a", "c/d/e", "c/d.txt"}) write(file, "");
  EXPECT_THAT(find("**"), ElementsAre("a", "b/x", "b-/x", "b.c/x", "c/d/e", "c/d.txt"));
  const Paths paths = find("**");
  EXPECT_TRUE(std::ranges::is_sorted(paths, path_before));
}

TEST_F(FindFiles, ThoseThatMatchBelowADirectory) {
  for (const char* file : {"a.py", "s/a.py", "s/t/a.py", "s/t/a.txt"}) write(file, "");
  EXPECT_THAT(find("*.py"), ElementsAre("a.py", "s/a.py", "s/t/a.py"));
  EXPECT_THAT(find("s/*.py"), ElementsAre("s/a.py"));
  EXPECT_THAT(find("*.py", {.below = "s/t"}), ElementsAre("s/t/a.py"));
  EXPECT_THAT(find("*.py", {.below = "s/t/a.py"}), ElementsAre("s/t/a.py"));
  EXPECT_THAT(find("*.py", {.below = "s/t/a.txt"}), IsEmpty());
  EXPECT_THAT(find("t/*.py", {.below = "s"}), ElementsAre("s/t/a.py"));
  EXPECT_THAT(find("s/*.py", {.below = "s"}), IsEmpty());
}

TEST_F(FindFiles, WithoutWhatIsLeftOut) {
  for (const char* file : {"a.py", "node_modules/a.py", "s/node_modules/t/a.py", "s/b.py", "s/c.py"}) write(file, "");
  EXPECT_THAT(find("*.py", {.without = {*Glob::parse("node_modules"), *Glob::parse("s/c.*")}}),
              ElementsAre("a.py", "s/b.py"));
}

TEST_F(FindFiles, WhatGitIgnoresIsNotThereUnlessAskedFor) {
  write(".git/info/exclude", "local\n");
  write(".gitignore", "*.o\nbuild/\n!keep.o\n");
  write("sub/.gitignore", "!x.o\n/build2\n");
  for (const char* file :
       {"a.o", "keep.o", "build/a.c", "sub/x.o", "sub/y.o", "sub/build2", "sub/d/build2", "local", "build2/build"})
    write(file, "");
  EXPECT_THAT(find("**"),
              ElementsAre(".gitignore", "build2/build", "keep.o", "sub/.gitignore", "sub/d/build2", "sub/x.o"));
  const FindOptions all = {.walk = {.ignored = Ignored::Show}};
  EXPECT_THAT(find("*.o", all), ElementsAre("a.o", "keep.o", "sub/x.o", "sub/y.o"));
  EXPECT_THAT(find("a.c", all), ElementsAre("build/a.c"));
  EXPECT_THAT(find("**", {.below = "build"}), ElementsAre("build/a.c")) << "who names it wants it";
  EXPECT_THAT(find("**", {.below = "sub"}), ElementsAre("sub/.gitignore", "sub/d/build2", "sub/x.o"));
  EXPECT_THAT(find("**", {.below = "sub", .walk = {.hidden = Hidden::Skip}}), ElementsAre("sub/d/build2", "sub/x.o"));
}

TEST_F(FindFiles, ARepositoryInsideAnotherHasItsOwnRules) {
  write(".gitignore", "*.o\n");
  write("inner/.git/info/exclude", "x\n");
  for (const char* file : {"inner/a.o", "inner/x", "inner/d/a.o"}) write(file, "");
  EXPECT_THAT(find("**"), ElementsAre(".gitignore", "inner/a.o", "inner/d/a.o"));
}

TEST_F(FindFiles, NoLinkIsFollowed) {
  write("real/a", "");
  std::filesystem::create_symlink(base_ / "real", base_ / "link");
  std::filesystem::create_symlink("/etc/passwd", base_ / "passwd");
  mkfifo((base_ / "pipe").c_str(), 0600);
  EXPECT_THAT(find("**"), ElementsAre("real/a"));
  EXPECT_FALSE(find_files(root(), *Glob::parse("**"), {.below = "link"}));
  EXPECT_FALSE(find_files(root(), *Glob::parse("**"), {.below = "link/a"}));
  for (const char* below : {"..", "/etc", "real/../..", "missing", "passwd", "real/a/b"})
    EXPECT_FALSE(find_files(root(), *Glob::parse("**"), {.below = below})) << below;
}

TEST_F(FindFiles, RulesThatAreALinkOrAPipeSayNothing) {
  write("rules", "*\n");
  std::filesystem::create_symlink("rules", base_ / ".gitignore");
  std::filesystem::create_directory(base_ / "d");
  mkfifo((base_ / "d/.gitignore").c_str(), 0600);
  write("d/a", "");
  EXPECT_THAT(find("**"), ElementsAre("d/a", "rules"));
}

TEST_F(FindFiles, NotMoreThanAskedForAndItSaysSo) {
  for (int each = 0; each < 10; ++each) write("f" + std::to_string(each), "");
  const auto some = find_files(root(), *Glob::parse("**"), {.most = 3});
  EXPECT_THAT(some->paths, ElementsAre("f0", "f1", "f2"));
  EXPECT_TRUE(some->more);
  EXPECT_FALSE(find_files(root(), *Glob::parse("**"), {.most = 10})->more);
  EXPECT_TRUE(find_files(root(), *Glob::parse("**"), {.most_seen = 5})->more);
}

TEST_F(FindFiles, ATreeThatIsTooDeepIsCutOffAndThatIsSaid) {
  std::string path = base().text();
  for (unsigned each = 0; each < kDeepestPlace + 10; ++each) {
    path += "/d";
    ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
  }
  write("file", "");
  const auto found = find_files(root(), *Glob::parse("**"), {});
  EXPECT_THAT(found->paths, ElementsAre("file"));
  EXPECT_EQ(found->unread, 1U);
}

// --- next to git ------------------------------------------------------------------------------------------------------

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  char buffer[4096];
  for (std::size_t got = 0; (got = fread(buffer, 1, sizeof buffer, pipe)) > 0;) text.append(buffer, got);
  pclose(pipe);
  return text;
}

class NextToGit : public FindFiles {
 protected:
  NextToGit() {
    (void)output_of("git init -q " + base().text() + " 2>&1");
    for (const char* directory : {"", "a/", "b/", "a/b/", "a/ab/", "b/a/", "a/b/a/", "b/a/b/"}) {
      for (const char* name : {"c", "ab1", "#c", "!c", "b ", "a-b", "[c", "c\\"})
        write(std::string(directory) + name, "");
    }
  }

  // What git does not ignore of all there is.
  Paths as_git_has_it() const {
    Paths all = find("**", {.walk = {.ignored = Ignored::Show}});
    std::string list;
    for (const std::string& path : all) list += path + '\0';
    std::ofstream(base_ / ".git/list") << list;
    const std::string text =
        output_of("cd " + base().text() + " && git check-ignore --no-index -z --stdin <.git/list 2>/dev/null");
    std::set<std::string> ignored;
    for (std::size_t at = 0; at < text.size(); at = text.find('\0', at) + 1) ignored.insert(text.c_str() + at);
    std::erase_if(all, [&](const std::string& path) { return ignored.contains(path); });
    return all;
  }
};

rc::Gen<std::string> some_rules() {
  const auto piece = rc::gen::weightedElement<std::string>(
      {{8, "a"},  {6, "b"},    {6, "c"},    {4, "*"},     {3, "**"},  {6, "/"},           {2, "**/"},
       {2, "?"},  {1, "[ab]"}, {1, "[!a]"}, {1, "[a-c]"}, {1, "[b-"}, {1, "\\"},          {1, "\\#"},
       {1, "!"},  {1, " "},    {1, "\\ "},  {1, "#"},     {1, "1"},   {1, "[[:digit:]]"}, {1, "[[:alpha:]-]"},
       {1, "\r"}, {1, "]"},    {1, "-"}});
  const auto pattern =
      rc::gen::map(rc::gen::container<std::vector<std::string>>(piece), [](std::vector<std::string> pieces) {
        std::string text;
        for (std::size_t at = 0; at < std::min<std::size_t>(pieces.size(), 7); ++at) text += pieces[at];
        return text;
      });
  const auto line =
      rc::gen::map(rc::gen::pair(rc::gen::weightedElement<std::string>({{3, ""}, {1, "!"}, {1, "/"}}), pattern),
                   [](const std::pair<std::string, std::string>& both) { return both.first + both.second + "\n"; });
  return rc::gen::map(rc::gen::container<std::vector<std::string>>(line), [](const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& each : lines) text += each;
    return text;
  });
}

TEST_F(NextToGit, RandomRulesIgnoreTheSame) {
  const bool held = rc::check([&] {
    for (const char* file : {".gitignore", "a/.gitignore", "a/b/.gitignore", "b/.gitignore", ".git/info/exclude"}) {
      const std::string rules = *some_rules();
      write(file, rules);
    }
    RC_ASSERT(find("**") == as_git_has_it());
  });
  EXPECT_TRUE(held);
}

TEST_F(NextToGit, EveryShortRuleIgnoresTheSame) {
  constexpr const char* kPieces[] = {"a", "b", "*", "**", "/", "?", "[a-b]", "\\a"};
  for (const std::string first : kPieces) {
    for (const std::string second : kPieces) {
      for (const std::string third : {"", "/", "*", "c", "b/"}) {
        const std::string rule = first + second + third;
        write(".gitignore", rule + "\n");
        ASSERT_EQ(find("**"), as_git_has_it()) << rule;
      }
    }
  }
}

}  // namespace
}  // namespace pale::search
