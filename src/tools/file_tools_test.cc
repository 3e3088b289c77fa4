#include "support/workbench.h"

namespace pale::tools {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;

class Files : public Workbench {};

TEST_F(Files, WhatIsKnownOfAFile) {
  write("a", "12345");
  fs::permissions(base_ / "a", fs::perms(0640));
  fs::create_symlink("a", base_ / "link");
  const Json file = call("file_info", {{"path", "a"}});
  EXPECT_EQ(file["type"], "file");
  EXPECT_EQ(file["size"], 5);
  EXPECT_EQ(file["permissions"], "0640");
  EXPECT_THAT(file["modified"], HasSubstr("T"));
  EXPECT_EQ(call("file_info", {{"path", "link"}})["target"], "a");
  EXPECT_THAT(error_of("file_info", {{"path", "none"}}), HasSubstr("none: No such file or directory"));
}

TEST_F(Files, DirectoriesAreMadeWithThoseAbove) {
  EXPECT_EQ(call("make_directory", {{"path", "a/b/c"}})["path"], "a/b/c");
  EXPECT_TRUE(fs::is_directory(base_ / "a/b/c"));
  EXPECT_EQ(call("make_directory", {{"path", at("a/b/d").text() + "/"}}).contains("ERROR"), false);
  EXPECT_TRUE(fs::is_directory(base_ / "a/b/d"));
  write("file", "");
  EXPECT_THAT(error_of("make_directory", {{"path", "file"}}), HasSubstr("something else"));
  EXPECT_THAT(error_of("make_directory", {{"path", "file/x"}}), HasSubstr("Not a directory"));
}

TEST_F(Files, AMoveNeverReplaces) {
  write("a", "one");
  write("b", "two");
  EXPECT_THAT(error_of("move", {{"source", "a"}, {"destination", "b"}}), HasSubstr("something of this name"));
  EXPECT_EQ(read("b"), "two");
  fs::create_directory(base_ / "d");
  EXPECT_EQ(call("move", {{"source", "a"}, {"destination", "d/a"}})["destination"], "d/a");
  EXPECT_EQ(read("d/a"), "one");
  EXPECT_THAT(error_of("move", {{"source", "d"}, {"destination", "d/e"}}), HasSubstr("into itself"));
  EXPECT_THAT(error_of("move", {{"source", "none"}, {"destination", "x"}}), HasSubstr("none: No such file"));
}

TEST_F(Files, OnlyWhatIsAskedForIsDeleted) {
  write("a", "");
  write("d/x", "");
  write("real/x", "kept");
  fs::create_directory_symlink("real", base_ / "link");
  EXPECT_EQ(call("delete", {{"path", "a"}})["path"], "a");
  EXPECT_FALSE(fs::exists(base_ / "a"));
  EXPECT_THAT(error_of("delete", {{"path", "d"}}), HasSubstr("recursive"));
  EXPECT_EQ(call("delete", {{"path", "d"}, {"recursive", true}}).contains("ERROR"), false);
  EXPECT_FALSE(fs::exists(base_ / "d"));
  EXPECT_EQ(call("delete", {{"path", "link"}, {"recursive", true}}).contains("ERROR"), false);
  EXPECT_EQ(read("real/x"), "kept");
  EXPECT_THAT(error_of("delete", {{"path", "none"}}), HasSubstr("No such file"));
}

TEST_F(Files, ASlashBehindALinkChangesNothing) {
  write("real/x", "kept");
  write(".git/hooks/pre-commit", "");
  fs::create_directory_symlink("real", base_ / "link");
  fs::create_directory_symlink(".", base_ / "self");
  EXPECT_EQ(call("file_info", {{"path", "link/"}})["type"], "symlink");
  for (const char* path : {"link//", "self/"})
    EXPECT_FALSE(call("delete", {{"path", path}, {"recursive", true}}).contains("ERROR")) << path;
  EXPECT_FALSE(fs::is_symlink(base_ / "link"));
  EXPECT_EQ(read("real/x"), "kept");
  EXPECT_TRUE(fs::exists(base_ / ".git/hooks/pre-commit"));
  EXPECT_THAT(error_of("delete", {{"path", "real/."}, {"recursive", true}}), HasSubstr("must be named"));
  EXPECT_EQ(read("real/x"), "kept");
}

TEST_F(Files, AMoveNamesThePathThatIsWrong) {
  write("a", "");
  EXPECT_THAT(error_of("move", {{"source", "a"}, {"destination", "out/x"}}), HasSubstr("out/x: No such file"));
  fs::create_directory(base_ / "d");
  for (const char* into : {"./d/x", "d/../d/x"})
    EXPECT_THAT(error_of("move", {{"source", "d"}, {"destination", into}}), HasSubstr("d: it cannot be moved into"));
}

}  // namespace
}  // namespace pale::tools
