// Calls that need somebody's leave, or a worker: the test is the client, and the desk as well.
#include "tools/calls.h"

#include <fcntl.h>

#include "base/sha256.h"
#include "support/leaves.h"

namespace pale::tools {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(Leaves, WhatIsFreeIsDoneAtOnceAndNobodyIsAsked) {
  open(Json::object());
  EXPECT_FALSE(call(1, "write_file", {{"path", "b"}, {"content", "x"}})[0]["result"].contains("isError"));
  EXPECT_FALSE(call(2, "read_file", {{"path", "data/a"}})[0]["result"].contains("isError"));
  const Json dry = {{"path", "data/a"}, {"edits", {{{"oldText", "one"}, {"newText", "1"}}}}, {"dryRun", true}};
  EXPECT_EQ(call(3, "edit_file", dry).size(), 1U);
  EXPECT_TRUE(asked().is_null());
}

TEST_F(Leaves, AWriteWaitsAndIsDoneWhenItIsAllowed) {
  open(Json::object());
  EXPECT_TRUE(call(1, "write_file", {{"path", "data/a"}, {"content", "one\ntwo\n"}}).empty());
  const Json question = asked();
  EXPECT_EQ(question["kind"], "ask");
  EXPECT_EQ(question["summary"], "write " + (base() / "data/a").text());
  EXPECT_THAT(question["details"], HasSubstr("@@ -1 +1,2 @@\n one\n+two\n"));
  EXPECT_TRUE(waits(question["number"]).empty());  // The client cannot ask: somebody else will.
  EXPECT_EQ(read("data/a"), "one\n");
  const auto answers = decided(question["number"], true);
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["id"], 1);
  EXPECT_EQ(read("data/a"), "one\ntwo\n");
}

TEST_F(Leaves, ADenialNamesThePathTheRuleAndWhatIsFree) {
  open(Json::object());
  (void)call(1, "delete", {{"path", "data"}, {"recursive", true}});
  const Json question = asked();
  EXPECT_THAT(question["details"], AllOf(HasSubstr("data (directory)"), HasSubstr("  a, 4 bytes\n")));
  const auto answers = decided(question["number"], false, "denied by pale deny");
  EXPECT_EQ(answers[0]["result"]["isError"], true);
  EXPECT_THAT(answers[0]["result"]["content"][0]["text"],
              AllOf(HasSubstr("delete " + (base() / "data").text() + ": not done: denied by pale deny"),
                    HasSubstr("The rule: zone data asks before each delete."),
                    HasSubstr("Without asking, files can be changed below")));
  EXPECT_TRUE(exists("data/a"));
}

TEST_F(Leaves, WhatIsBlockedIsRefusedAndNobodyIsAsked) {
  open(Json::object());
  const Json calls[] = {
      {"write_file", {{"path", "shut/a"}, {"content", "x"}}}, {"delete", {{"path", "shut/a"}}},
      {"move", {{"source", "shut/a"}, {"destination", "b"}}}, {"move", {{"source", "shut"}, {"destination", "open"}}},
      {"make_directory", {{"path", "shut/deep/er"}}},
  };
  for (const Json& each : calls) {
    const auto answers = call(1, each[0], each[1]);
    ASSERT_EQ(answers.size(), 1U) << each;
    EXPECT_THAT(answers[0]["result"]["content"][0]["text"], HasSubstr("zone shut blocks each ")) << each;
  }
  EXPECT_TRUE(asked().is_null());
  EXPECT_EQ(read("shut/a"), "one\n");
  EXPECT_FALSE(exists("shut/deep"));
}

// Also one that leads there through a link, or through directories that are not there yet.
TEST_F(Leaves, WhereAPathLeadsDecides) {
  open(Json::object());
  std::filesystem::create_directory_symlink("shut", base_ / "link");
  for (const char* path : {"link/a", "link/../shut/a", "./shut//a"})
    EXPECT_THAT(call(1, "write_file", {{"path", path}, {"content", "x"}})[0].dump(), HasSubstr("zone shut")) << path;
  EXPECT_THAT(call(1, "make_directory", {{"path", "link/x/y"}})[0].dump(), HasSubstr("zone shut"));
  EXPECT_EQ(call(1, "delete", {{"path", "link"}})[0]["result"].contains("isError"), false);
  EXPECT_EQ(read("shut/a"), "one\n");
}

TEST_F(Leaves, EachDirectoryThatWouldBeMadeCounts) {
  place_.approvals.rules.push_back({base() / "data/new/open", Consent::Free, Consent::Free, "zone open"});
  open(Json::object());
  for (const char* path : {"data/new/../../free/x", "free/../data/../data/new/.."}) {
    const auto answers = call(1, "make_directory", {{"path", path}});
    ASSERT_EQ(answers.size(), 1U) << path;
    EXPECT_THAT(answers[0].dump(), HasSubstr("which is not there")) << path;
  }
  EXPECT_TRUE(asked().is_null());
  EXPECT_FALSE(exists("data/new") || exists("free"));
  EXPECT_TRUE(call(2, "make_directory", {{"path", "data/new/open/x"}}).empty());
  const std::string all = "make " + (base() / "data/new").text() + "\nmake " + (base() / "data/new/open").text() +
                          "\nmake " + (base() / "data/new/open/x").text() + "\n";
  EXPECT_EQ(asked()["details"], all);
  EXPECT_FALSE(exists("data/new"));
  // Where everything is there, ".." leads somewhere.
  EXPECT_EQ(call(3, "make_directory", {{"path", "data/../free"}})[0]["result"].contains("isError"), false);
  EXPECT_TRUE(exists("free"));
}

// A folder brings what is in it to where a zone is yet to be.
TEST_F(Leaves, AFolderThatIsMovedFillsTheZonesThere) {
  place_.approvals.rules.push_back({base() / "to/asks", Consent::Ask, Consent::Free, "zone asks"});
  open(Json::object());
  write("src/asks/x", "1");
  write("file", "1");
  EXPECT_TRUE(call(1, "move", {{"source", "src"}, {"destination", "to"}}).empty());
  EXPECT_EQ(asked()["kind"], "ask");
  EXPECT_FALSE(exists("to"));
  // A file brings nothing.
  EXPECT_EQ(call(2, "move", {{"source", "file"}, {"destination", "to"}})[0]["result"].contains("isError"), false);
  std::filesystem::remove(base_ / "to");
  place_.approvals.rules.back().write = Consent::Blocked;
  EXPECT_THAT(call(3, "move", {{"source", "src"}, {"destination", "to"}})[0].dump(),
              HasSubstr("zone asks blocks each write"));
  EXPECT_TRUE(exists("src/asks/x"));
}

// What the boundary refuses, of a folder or of a file, is no way around those who are asked.
TEST_F(Leaves, WhatTheBoundaryRefusesIsRefusedWhole) {
  BoundaryParts parts = boundary_.parts();
  for (const char* kept : {"shut/kept", "data/kept"}) parts.protections.push_back({at(kept), Match::Exact, "toml:2"});
  boundary_ = *Boundary::make(std::move(parts));
  for (const char* zone : {"shut", "data"}) {
    write(std::string(zone) + "/kept", "");
    open(Json::object());
    for (const auto& [tool, arguments] : {std::pair<const char*, Json>{"delete", {{"path", zone}, {"recursive", true}}},
                                          {"move", {{"source", zone}, {"destination", "away"}}},
                                          {"delete", {{"path", std::string(zone) + "/kept"}}}}) {
      const auto answers = call(1, tool, arguments);
      ASSERT_EQ(answers.size(), 1U) << tool;
      EXPECT_THAT(answers[0]["result"]["content"][0]["text"],
                  AllOf(HasSubstr(": Read-only file system. The rule: protected "), HasSubstr("/kept (from toml:2).")))
          << tool;
    }
    EXPECT_TRUE(exists(std::string(zone) + "/a") && exists(std::string(zone) + "/kept"));
  }
  EXPECT_TRUE(asked().is_null());
}

TEST_F(Leaves, WhatChangedSinceItWasShownIsNotWritten) {
  open(Json::object());
  const Json edit = {{"path", "data/a"}, {"edits", {{{"oldText", "one"}, {"newText", "1"}}}}};
  const std::pair<const char*, Json> calls[] = {{"write_file", {{"path", "data/a"}, {"content", "mine\n"}}},
                                                {"edit_file", edit},
                                                {"delete", {{"path", "data/a"}}}};
  for (const auto& [tool, arguments] : calls) {
    write("data/a", "one\n");
    (void)call(1, tool, arguments);
    const Json question = asked();
    write("data/a", "one\nand theirs\n");
    const auto answers = decided(question["number"], true);
    EXPECT_THAT(answers[0]["result"]["content"][0]["text"], HasSubstr("is not what it would do now")) << tool;
    EXPECT_EQ(read("data/a"), "one\nand theirs\n") << tool;
  }
}

// Where it leads, too, and bytes that are no text.
TEST_F(Leaves, LeaveIsForThatPlaceAndThoseBytes) {
  open(Json::object());
  std::filesystem::create_directory(base_ / "elsewhere");
  const auto lead = [&](const char* to) {
    std::filesystem::remove(base_ / "link");
    std::filesystem::create_directory_symlink(to, base_ / "link");
  };
  lead("data");
  (void)call(1, "make_directory", {{"path", "link/new"}});
  const Json making = asked();
  lead("elsewhere");
  EXPECT_THAT(decided(making["number"], true)[0].dump(), HasSubstr("is not what it would do now"));
  EXPECT_FALSE(exists("elsewhere/new") || exists("data/new"));

  place_.approvals.run = Consent::Ask;
  lead("data");
  (void)call(2, "run_command", {{"command", "touch made"}, {"directory", "link"}});
  const Json running = asked();
  lead("elsewhere");
  EXPECT_THAT(decided(running["number"], true)[0].dump(), HasSubstr("is not what it would do now"));
  EXPECT_FALSE(exists("elsewhere/made") || exists("data/made"));

  const std::string old = std::string("a\0b", 3), other = std::string("c\0d", 3);
  write("data/bytes", old);
  (void)call(3, "write_file", {{"path", "data/bytes"}, {"content", "new"}});
  const Json writing = asked();
  EXPECT_THAT(writing["details"],
              HasSubstr("in place of 3 bytes that are no text (SHA-256 " + Sha256().add(old).hex()));
  write("data/bytes", other);
  EXPECT_THAT(decided(writing["number"], true)[0].dump(), HasSubstr("is not what it would do now"));
  EXPECT_EQ(read("data/bytes"), other);
}

TEST_F(Leaves, NobodyIsAskedAboutWhatNoContentsCanBeWrittenTo) {
  open(Json::object());
  EXPECT_THAT(call(1, "write_file", {{"path", "data"}, {"content", "x"}})[0].dump(), HasSubstr("it is a directory"));
  EXPECT_TRUE(asked().is_null());
}

TEST_F(Leaves, WithoutADeskNothingIsAllowed) {
  open(Json::object());
  (void)call(1, "write_file", {{"path", "data/a"}, {"content", "new\n"}});
  close(std::exchange(line_, -1));
  EXPECT_THAT(heard()[0]["result"]["content"][0]["text"], HasSubstr("is gone"));
  EXPECT_THAT(call(2, "write_file", {{"path", "data/a"}, {"content", "new\n"}})[0].dump(), HasSubstr("nobody here"));
  EXPECT_EQ(read("data/a"), "one\n");
}

TEST_F(Leaves, ACommandIsShownAndThenRuns) {
  place_.approvals.run = Consent::Ask;
  place_.approvals.run_origin = "trust workspace";
  open(Json::object());
  (void)call(1, "run_command", {{"command", {"sh", "-c", "echo $0 > made", "it's"}}});
  const Json question = asked();
  EXPECT_THAT(question["details"], HasSubstr("sh -c 'echo $0 > made' 'it'\\''s'"));
  EXPECT_FALSE(exists("made"));
  (void)decided(question["number"], true);
  std::vector<Json> answers;
  for (int tries = 0; answers.empty() && tries < 1000; ++tries) {
    usleep(20'000);
    answers = heard();
  }
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(answers[0]["result"]["structuredContent"]["exitCode"], 0);
  EXPECT_EQ(read("made"), "it's\n");
}

TEST_F(Leaves, AWorkerIsCalledByTheDesk) {
  open(Json::object());
  Json progress = {{"_meta", {{"progressToken", "p"}}}};
  const auto told = call(1, "call_worker", {{"worker", "index"}, {"input", {{"year", 2026}}}}, progress);
  EXPECT_EQ(told[0]["method"], "notifications/progress");
  const Json errand = asked();
  EXPECT_EQ(errand["kind"], "call");
  EXPECT_EQ(errand["worker"], "index");
  EXPECT_EQ(errand["input"], "{\"year\":2026}");
  const auto answers = tell({.kind = FromDesk::Kind::Answered, .number = errand["number"], .answer = "done"});
  EXPECT_EQ(answers[0]["result"]["structuredContent"]["answer"], "done");
  (void)call(2, "call_worker", {{"worker", "none"}});
  const auto refused = tell({.kind = FromDesk::Kind::Answered,
                             .number = asked()["number"],
                             .exit_code = 1,
                             .code = "NOT_FOUND",
                             .sentence = "There is no worker 'none'",
                             .hint = "pale worker list"});
  EXPECT_EQ(refused[0]["result"]["isError"], true);
  EXPECT_THAT(refused[0]["result"]["content"][0]["text"], HasSubstr("NOT_FOUND: There is no worker 'none'"));
  place_.workers.clear();
  EXPECT_EQ(call(3, "call_worker", {{"worker", "index"}})[0]["error"]["code"], kInvalidParams);
}

}  // namespace
}  // namespace pale::tools
