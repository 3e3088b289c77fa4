#include <fcntl.h>
#include <sys/stat.h>

#include "support/workbench.h"

namespace pale::tools {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::StartsWith;

class Writing : public Workbench {
 protected:
  std::string edit(const std::string& before, const std::string& after) {
    const Json answer = call("edit_file", {{"path", "a"}, {"edits", {{{"oldText", before}, {"newText", after}}}}});
    return answer.contains("ERROR") ? answer["ERROR"] : answer["diff"];
  }
  std::vector<std::string> names() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(base_)) found.push_back(entry.path().filename());
    std::ranges::sort(found);
    return found;
  }
};

TEST_F(Writing, AFileIsMadeOrReplacedAndNothingElseIsLeft) {
  const Json made = call("write_file", {{"path", "a"}, {"content", "one"}});
  EXPECT_EQ(made["created"], true);
  EXPECT_EQ(made["atomic"], true);
  const Json replaced = call("write_file", {{"path", "a"}, {"content", std::string("t\0wo", 4)}});
  EXPECT_EQ(replaced["created"], false);
  EXPECT_EQ(read("a"), std::string("t\0wo", 4));
  EXPECT_THAT(names(), testing::ElementsAre("a"));
}

TEST_F(Writing, ThePermissionsStayAndAnotherNameOfTheFileKeepsWhatItHad) {
  write("a", "one");
  fs::permissions(base_ / "a", fs::perms(0750));
  fs::create_hard_link(base_ / "a", base_ / "other");
  call("write_file", {{"path", "a"}, {"content", "two"}});
  EXPECT_EQ(fs::status(base_ / "a").permissions(), fs::perms(0750));
  EXPECT_EQ(read("other"), "one");
}

TEST_F(Writing, ALinkStaysALink) {
  write("d/real", "one");
  fs::create_symlink("d/real", base_ / "link");
  fs::create_symlink("nothing", base_ / "dangling");
  call("write_file", {{"path", "link"}, {"content", "two"}});
  EXPECT_TRUE(fs::is_symlink(base_ / "link"));
  EXPECT_EQ(read("d/real"), "two");
  EXPECT_THAT(error_of("write_file", {{"path", "dangling"}, {"content", "x"}}), HasSubstr("No such file"));
  EXPECT_FALSE(fs::exists(base_ / "nothing"));
}

TEST_F(Writing, WhatCannotBeWrittenIsSaid) {
  fs::create_directory(base_ / "d");
  ASSERT_EQ(mkfifo((base_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of("write_file", {{"path", "d"}, {"content", "x"}}), HasSubstr("directory"));
  EXPECT_THAT(error_of("write_file", {{"path", "pipe"}, {"content", "x"}}), HasSubstr("no file"));
  EXPECT_THAT(error_of("write_file", {{"path", "none/x"}, {"content", "x"}}), HasSubstr("No such file"));
}

TEST_F(Writing, AnEditReplacesWhatStandsThereOnceAndShowsTheDifference) {
  write("a", "one\ntwo\nthree\n");
  EXPECT_EQ(edit("two", "2"), "--- a\n+++ a\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
  EXPECT_EQ(read("a"), "one\n2\nthree\n");
}

TEST_F(Writing, ADryRunOnlyShows) {
  write("a", "one\n");
  const Json answer =
      call("edit_file", {{"path", "a"}, {"dryRun", true}, {"edits", {{{"oldText", "one"}, {"newText", "1"}}}}});
  EXPECT_EQ(answer["written"], false);
  EXPECT_THAT(answer["TEXT"], HasSubstr("-one\n+1\n"));
  EXPECT_EQ(read("a"), "one\n");
}

TEST_F(Writing, AllEditsAreMadeOrNone) {
  write("a", "one two\n");
  const Json edits = {{{"oldText", "one"}, {"newText", "1"}}, {{"oldText", "1 two"}, {"newText", "1 2"}}};
  EXPECT_EQ(call("edit_file", {{"path", "a"}, {"edits", edits}})["written"], true);
  EXPECT_EQ(read("a"), "1 2\n");
  const Json broken = {{{"oldText", "1"}, {"newText", "one"}}, {{"oldText", "none"}, {"newText", "x"}}};
  EXPECT_THAT(error_of("edit_file", {{"path", "a"}, {"edits", broken}}),
              StartsWith("a: edit 2: oldText does not stand"));
  EXPECT_EQ(read("a"), "1 2\n");
}

TEST_F(Writing, WhatStandsTwiceOrNowhereOrIsEmptyIsRefused) {
  write("a", "x x\n");
  EXPECT_THAT(edit("x", "y"), HasSubstr("more than once"));
  EXPECT_THAT(edit("z", "y"), HasSubstr("does not stand"));
  EXPECT_THAT(edit("", "y"), HasSubstr("empty"));
  EXPECT_EQ(edit("x x", "x x"), "");
  EXPECT_EQ(read("a"), "x x\n");
}

TEST_F(Writing, LinesThatEndWithACarriageReturnKeepIt) {
  write("a", "one\r\ntwo\r\n");
  edit("one\ntwo", "1\n2");
  EXPECT_EQ(read("a"), "1\r\n2\r\n");
}

TEST_F(Writing, NoCarriageReturnIsDoubledOrLost) {
  write("a", "one\r\ntwo\r\n");
  edit("one\ntwo", "1\r\n2");
  EXPECT_EQ(read("a"), "1\r\n2\r\n");
  edit("2", "2\n3\r\n4");
  EXPECT_EQ(read("a"), "1\r\n2\r\n3\r\n4\r\n");
  // Where ends differ already, a line is replaced by what is said.
  write("a", "one\r\ntwo\n");
  edit("two", "2\n3");
  EXPECT_EQ(read("a"), "one\r\n2\n3\n");
}

TEST_F(Writing, WhatHasNoNameIsNotWritten) {
  int pipes[2] = {};
  ASSERT_EQ(pipe(pipes), 0);
  const std::string path = "/proc/self/fd/" + std::to_string(pipes[1]);
  EXPECT_THAT(error_of("write_file", {{"path", path}, {"content", "x"}}), HasSubstr("and no file"));
  const int gone = open((base_ / "gone").c_str(), O_RDWR | O_CREAT, 0600);
  std::filesystem::remove(base_ / "gone");
  EXPECT_THAT(error_of("write_file", {{"path", "/proc/self/fd/" + std::to_string(gone)}, {"content", "x"}}),
              HasSubstr("no name"));
  for (const int fd : {pipes[0], pipes[1], gone}) close(fd);
  EXPECT_TRUE(std::filesystem::is_empty(base_));
}

TEST_F(Writing, BytesAreNotEdited) {
  write("a", std::string("a\0b", 3));
  EXPECT_THAT(edit("a", "b"), HasSubstr("no text"));
}

}  // namespace
}  // namespace pale::tools
