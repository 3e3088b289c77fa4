#include "support/workbench.h"

namespace pale::tools {
namespace {

namespace fs = std::filesystem;

using testing::HasSubstr;
using testing::Not;

class Listing : public Workbench {};

TEST_F(Listing, ADirectoryIsListedByName) {
  write("b.txt", "12345");
  write("a/x", "");
  fs::create_symlink("nowhere", base_ / "c");
  const Json answer = call("list_directory");
  EXPECT_EQ(answer["TEXT"], "[DIR] a\n[FILE] b.txt\n[LINK] c\n");
  EXPECT_EQ(answer["entries"][0], (Json{{"name", "a"}, {"type", "directory"}}));
  EXPECT_EQ(answer["truncated"], false);
  EXPECT_EQ(call("list_directory", {{"sizes", true}})["entries"][1]["size"], 5);
  EXPECT_EQ(call("list_directory", {{"path", "a"}})["entries"].size(), 1U);
}

TEST_F(Listing, WhatIsNoDirectoryIsAnError) {
  write("file", "");
  EXPECT_THAT(error_of("list_directory", {{"path", "file"}}), HasSubstr("Not a directory"));
  EXPECT_THAT(error_of("tree", {{"path", "none"}}), HasSubstr("No such file"));
}

TEST_F(Listing, AManyIsGivenInParts) {
  for (int i = 0; i < 2500; ++i) write("d/" + std::to_string(10000 + i), "");
  const Json first = call("list_directory", {{"path", "d"}});
  EXPECT_EQ(first["truncated"], true);
  const Json second = call("list_directory", {{"path", "d"}, {"offset", first["nextOffset"]}});
  EXPECT_EQ(second["truncated"], false);
  EXPECT_EQ(first["entries"].size() + second["entries"].size(), 2500U);
  EXPECT_EQ(call("tree", {{"path", "d"}})["truncated"], true);
}

TEST_F(Listing, ATreeGoesDownButNotThroughLinks) {
  write("src/deep/er/x", "");
  write(".git/objects/y", "");
  write("node_modules/z", "");
  fs::create_symlink("/usr", base_ / "src/link");
  const Json answer = call("tree", {{"excludePatterns", {"node_*"}}});
  EXPECT_EQ(answer["TEXT"], ".git/\nsrc/\n  deep/\n    er/\n      x\n  link\n");
  EXPECT_EQ(answer["entries"][4]["path"], "src/deep/er/x");
  EXPECT_EQ(call("tree", {{"depth", 1}})["TEXT"], ".git/\nnode_modules/\nsrc/\n");
  EXPECT_THAT(call("tree", {{"path", "src"}})["TEXT"], Not(HasSubstr("bin")));
}

TEST_F(Listing, NamesThatWouldMisleadAreShownSafelyAndGivenAsTheyAre) {
  write("a\nb\x1b[31m", "");
  const Json answer = call("list_directory");
  EXPECT_EQ(answer["entries"][0]["name"], "a\nb\x1b[31m");
  EXPECT_THAT(answer["TEXT"], Not(HasSubstr("\x1b")));
  write("\xff", "");
  EXPECT_EQ(call("list_directory")["entries"][1]["name"]["base64"], "/w==");
}

}  // namespace
}  // namespace pale::tools
