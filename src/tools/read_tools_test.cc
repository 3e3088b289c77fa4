#include <algorithm>

#include "support/workbench.h"
#include "tools/mime.h"
#include "tools/read.h"

namespace pale::tools {
namespace {

using testing::HasSubstr;

class Reading : public Workbench {
 protected:
  Json read_file(Json arguments) { return call("read_file", arguments); }
};

TEST_F(Reading, ATextIsGivenAsItIs) {
  write("src/a.txt", "one\ntwo\n");
  const Json answer = read_file({{"path", "src/a.txt"}});
  EXPECT_EQ(answer["TEXT"], "one\ntwo\n");
  EXPECT_EQ(answer["content"], "one\ntwo\n");
  EXPECT_EQ(answer["encoding"], "utf-8");
  EXPECT_EQ(answer["size"], 8);
  EXPECT_EQ(answer["truncated"], false);
  EXPECT_EQ(read_file({{"path", at("src/a.txt").text()}})["content"], "one\ntwo\n");
}

TEST_F(Reading, LinesAreChosenByTheirNumbers) {
  write("a", "1\n2\n3\n4\n5\n");
  EXPECT_EQ(read_file({{"path", "a"}, {"head", 2}})["content"], "1\n2\n");
  EXPECT_EQ(read_file({{"path", "a"}, {"tail", 2}})["content"], "4\n5\n");
  EXPECT_EQ(read_file({{"path", "a"}, {"tail", 99}})["content"], "1\n2\n3\n4\n5\n");
  EXPECT_EQ(read_file({{"path", "a"}, {"tail", 0}})["content"], "");
  EXPECT_EQ(read_file({{"path", "a"}, {"startLine", 2}, {"endLine", 3}})["content"], "2\n3\n");
  EXPECT_EQ(read_file({{"path", "a"}, {"startLine", 4}})["content"], "4\n5\n");
  EXPECT_EQ(read_file({{"path", "a"}, {"startLine", 3}, {"endLine", 2}})["content"], "");
  EXPECT_EQ(read_file({{"path", "a"}, {"startLine", 9}})["content"], "");
  write("no-newline", "1\n2");
  EXPECT_EQ(read_file({{"path", "no-newline"}, {"tail", 1}})["content"], "2");
  EXPECT_THAT(error_of("read_file", {{"path", "a"}, {"head", 1}, {"tail", 1}}), HasSubstr("exclude each other"));
}

TEST_F(Reading, ALongTextIsReadInPartsThatMakeTheWhole) {
  std::string whole;
  while (whole.size() < 3 * kMostText)
    whole += "a line of text with ä in it, number " + std::to_string(whole.size()) + "\n";
  write("long", whole);
  std::string joined;
  Json answer = read_file({{"path", "long"}});
  for (int parts = 0; parts < 10; ++parts) {
    joined += answer["content"].get<std::string>();
    if (answer["truncated"] == false) break;
    EXPECT_EQ(answer["nextOffset"], joined.size());
    answer = read_file({{"path", "long"}, {"offset", answer["nextOffset"]}});
  }
  EXPECT_EQ(joined, whole);
  EXPECT_EQ(read_file({{"path", "long"}, {"tail", 1}})["content"],
            whole.substr(whole.rfind('\n', whole.size() - 2) + 1));
}

TEST_F(Reading, ALongTailIsReadInPartsAsWell) {
  std::string whole = "first\n";
  while (whole.size() < 2 * kMostText) whole += "a line with ä in it\n";
  write("long", whole);
  const std::string tail = whole.substr(6);
  const auto lines = static_cast<std::uint64_t>(std::ranges::count(tail, '\n'));
  const Json answer = read_file({{"path", "long"}, {"tail", lines}});
  EXPECT_EQ(answer["truncated"], true);
  EXPECT_EQ(answer["encoding"], "utf-8");
  const Json rest = read_file({{"path", "long"}, {"offset", answer["nextOffset"]}});
  EXPECT_TRUE(tail.starts_with(answer["content"].get<std::string>() + rest["content"].get<std::string>()));
}

TEST_F(Reading, ALongLineIsCutBetweenLetters) {
  std::string whole = "x";
  while (whole.size() < kMostText + 100) whole += "ä";
  write("line", whole);
  const Json answer = read_file({{"path", "line"}});
  EXPECT_EQ(answer["encoding"], "utf-8");
  const Json rest = read_file({{"path", "line"}, {"offset", answer["nextOffset"]}});
  EXPECT_EQ(answer["content"].get<std::string>() + rest["content"].get<std::string>(), whole);
}

TEST_F(Reading, BytesAreBase64AndImagesAreImages) {
  const std::string bytes("\x89PNG\0\xff", 6);
  write("a.PNG", bytes);
  write("a.bin", bytes);
  write("a.mp3", bytes);
  const Json image = read_file({{"path", "a.PNG"}});
  EXPECT_EQ(image["CONTENT"][0]["type"], "image");
  EXPECT_EQ(image["CONTENT"][0]["mimeType"], "image/png");
  EXPECT_EQ(image["CONTENT"][0]["data"], image["content"]);
  const Json blob = read_file({{"path", "a.bin"}});
  EXPECT_EQ(blob["CONTENT"][0]["resource"]["blob"], to_base64(bytes));
  EXPECT_EQ(blob["encoding"], "base64");
  EXPECT_EQ(blob["mimeType"], "application/octet-stream");
  EXPECT_EQ(read_file({{"path", "a.mp3"}})["CONTENT"][0]["type"], "audio");
}

TEST_F(Reading, WhatIsNoFileIsSaidToBeNone) {
  write("d/x", "");
  ASSERT_EQ(mkfifo((base_ / "pipe").c_str(), 0600), 0);
  EXPECT_THAT(error_of("read_file", {{"path", "d"}}), HasSubstr("list_directory"));
  EXPECT_THAT(error_of("read_file", {{"path", "pipe"}}), HasSubstr("no file"));
  EXPECT_THAT(error_of("read_file", {{"path", "/dev/zero"}}), HasSubstr("no file"));
  EXPECT_THAT(error_of("read_file", {{"path", "missing"}}), HasSubstr("missing: No such file or directory"));
  EXPECT_THAT(error_of("read_file", {{"path", "d/x/y"}}), HasSubstr("Not a directory"));
}

TEST_F(Reading, FilesOfTheKernelHaveNoSizeAndAreReadAllTheSame) {
  EXPECT_THAT(read_file({{"path", "/proc/self/status"}})["TEXT"], HasSubstr("Pid:"));
}

TEST_F(Reading, SeveralAtOnceAndOneThatIsMissing) {
  write("a", "A");
  write("b", "B");
  const Json answer = call("read_multiple_files", {{"paths", {"a", "none", "b"}}});
  EXPECT_EQ(answer["files"][0]["content"], "A");
  EXPECT_THAT(answer["files"][1]["error"], HasSubstr("No such file"));
  EXPECT_EQ(answer["files"][2]["content"], "B");
  EXPECT_THAT(answer["TEXT"], HasSubstr("a:\nA\n---\nnone:\n"));
}

TEST_F(Reading, ANameThatIsNotUtf8CanBeAskedFor) {
  write("\xff\xfe", "odd");
  EXPECT_EQ(read_file({{"path", {{"base64", to_base64("\xff\xfe")}}}})["content"], "odd");
}

TEST(MimeType, IsKnownByTheLastEnding) {
  EXPECT_EQ(mime_type_of("a/b.tar.GZ"), "application/gzip");
  EXPECT_EQ(mime_type_of("a.d/png"), "application/octet-stream");
}

}  // namespace
}  // namespace pale::tools
