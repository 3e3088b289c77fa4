// What tools change is what was looked at, asked about and shown: through no link, no other bytes, no name that reads as a line.
#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "tool_questions.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class ToolChanges : public WithQuestions {
 protected:
  fs::path at(const std::string& name) const { return project_.workspace().path() / name; }
  void write(const std::string& name, const std::string& text) const { project_.workspace().write(name, text); }
  void link(const std::string& to, const std::string& name) const { fs::create_symlink(to, at(name)); }
  // What the tool says once the question is allowed, and `meanwhile` was done.
  template <typename Meanwhile>
  std::string allowed_after(ToolServer& server, const std::string& tool, const Json& arguments,
                            const Meanwhile& meanwhile) const {
    server.begin(tool, arguments);
    const std::string asked = id();
    meanwhile();
    EXPECT_EQ(project_.pale({"approve", asked, "--yes"}).exit_code, 0);
    return words(server.next());
  }
};

TEST_P(ToolChanges, ASlashAtTheEndOfALinkLeadsThroughNone) {
  zones();
  link("data", "asks");
  link("out", "blocks");
  link(".", "all");
  write(".git/description", "a repository");
  ToolServer server(project_, {"--approval-timeout", "1"});
  for (const char* path : {"asks/", "blocks//", "all/"}) {
    server.data("delete", {{"path", path}, {"recursive", true}});
    EXPECT_FALSE(fs::is_symlink(at(std::string(path).substr(0, std::string(path).find('/'))))) << path;
  }
  for (const char* file : {"data/a", "out/a", "shut/a", ".git/description"}) EXPECT_TRUE(fs::exists(at(file))) << file;
  // By its name alone: what it would empty before it fails is left.
  for (const char* path : {"data/.", "out/..", "."})
    EXPECT_THAT(server.refusal("delete", {{"path", path}, {"recursive", true}}), HasSubstr("must be named")) << path;
  EXPECT_EQ(read("data/a"), "one\n");
  link("data", "asks");
  EXPECT_EQ(server.data("file_info", {{"path", "asks/"}})["type"], "symlink");
  server.data("move", {{"source", "asks/"}, {"destination", "moved/"}});
  EXPECT_TRUE(fs::is_symlink(at("moved")));
  EXPECT_TRUE(log().empty());
}

TEST_P(ToolChanges, WhatIsMovedOrDeletedIsWhatWasShownByteForByte) {
  zones();
  write("free/f", "print(1)\n");
  write("free/d/x", "ok");
  write("data/d/x", "ok");
  ToolServer server(project_, {"--trust", "shell"});
  const std::string changed = "what was allowed is not what it would do now";
  EXPECT_THAT(allowed_after(server, "move", {{"source", "free/f"}, {"destination", "data/f"}},
                            [&] { write("free/f", "evil(1)!\n"); }),
              HasSubstr(changed));
  EXPECT_THAT(allowed_after(server, "move", {{"source", "free/d"}, {"destination", "data/e"}},
                            [&] { write("free/d/x", "no"); }),
              HasSubstr(changed));
  EXPECT_THAT(allowed_after(server, "move", {{"source", "free/d"}, {"destination", "data/e"}},
                            [&] { fs::permissions(at("free/d/x"), fs::perms(0755)); }),
              HasSubstr(changed));
  EXPECT_THAT(allowed_after(server, "delete", {{"path", "data/a"}}, [&] { write("data/a", "two\n"); }),
              HasSubstr(changed));
  EXPECT_THAT(
      allowed_after(server, "delete", {{"path", "data/d"}, {"recursive", true}}, [&] { write("data/d/x", "no"); }),
      HasSubstr(changed));
  for (const char* file : {"free/f", "free/d/x", "data/a", "data/d/x"}) EXPECT_TRUE(fs::exists(at(file))) << file;
  const auto nothing = [] {};
  EXPECT_THAT(allowed_after(server, "move", {{"source", "free/d"}, {"destination", "data/e"}}, nothing),
              HasSubstr("Moved"));
  EXPECT_THAT(allowed_after(server, "delete", {{"path", "data/d"}, {"recursive", true}}, nothing),
              HasSubstr("Deleted"));
  EXPECT_TRUE(fs::exists(at("data/e/x")));
  EXPECT_FALSE(fs::exists(at("data/d")));
}

TEST_P(ToolChanges, EveryNameIsShownOrItCannotBeAllowed) {
  zones();
  for (int i = 0; i < 1200; ++i) write("data/some/" + std::to_string(i), "");
  ToolServer server(project_);
  EXPECT_THAT(allowed_after(server, "delete", {{"path", "data/some"}, {"recursive", true}},
                            [&] {
                              EXPECT_THAT(question()["details"],
                                          AllOf(HasSubstr("  1199, 0 bytes\n"), HasSubstr("SHA-256 of names")));
                              write("data/some/precious", "");
                            }),
              HasSubstr("what was allowed is not"));
  for (int i = 0; i < 1200; ++i) write("data/many/" + std::string(200, 'x') + std::to_string(i), "");
  EXPECT_THAT(server.refusal("delete", {{"path", "data/many"}, {"recursive", true}}),
              AllOf(HasSubstr("too much"), HasSubstr("smaller parts")));
  EXPECT_THAT(server.refusal("move", {{"source", "data/many"}, {"destination", "many"}}), HasSubstr("too much"));
  EXPECT_TRUE(fs::exists(at("data/some/precious")));
  EXPECT_EQ(std::distance(fs::directory_iterator(at("data/many")), fs::directory_iterator()), 1200);
  EXPECT_TRUE(waiting().empty());
}

TEST_P(ToolChanges, NoNameMakesALineOfWhatIsShown) {
  zones();
  write("free", "x");
  ToolServer server(project_, {"--approval-timeout", "1"}, kElicits);
  const auto shown = [&](const std::string& tool, const Json& arguments) {
    server.begin(tool, arguments);
    const Json request = server.next();
    server.send(allow(request, "decline"));
    server.next();
    return request["params"].value("message", "");
  };
  for (const auto& [tool, arguments] : std::vector<std::pair<std::string, Json>>{
           {"write_file", {{"path", "data/a\n+++ data/harmless"}, {"content", "x\n"}}},
           {"make_directory", {{"path", "data/a\n+++ data/harmless/x"}}},
           {"move", {{"source", "free"}, {"destination", "data/b\n+++ data/harmless"}}}}) {
    EXPECT_THAT(shown(tool, arguments),
                AllOf(HasSubstr("\\x0a+++ data/harmless"), Not(HasSubstr("\n  | +++ data/harmless"))))
        << tool;
  }
}

TEST_P(ToolChanges, NothingIsMovedIntoItself) {
  write("d/x", "x");
  link("d", "also");
  for (const std::vector<std::string>& flags : {std::vector<std::string>{}, {"--stage", "s"}}) {
    ToolServer server(project_, flags);
    for (const char* into : {"d/e", "./d/e", "also/e", "d/../d/e"})
      EXPECT_THAT(server.refusal("move", {{"source", "d"}, {"destination", into}}), HasSubstr("into itself")) << into;
    EXPECT_EQ(server.data("list_directory", {{"path", "d"}})["entries"].size(), 1U);
  }
}

// Home and /tmp are filesystems of their own.
TEST_P(ToolChanges, AMoveToAnotherFilesystemLosesNothing) {
  write("d/a", "a");
  fs::permissions(at("d/a"), fs::perms(0664));
  fs::permissions(at("d"), fs::perms(0700));
  const timespec times[2] = {{1'577'836'800, 0}, {1'577'836'800, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, at("d/a").c_str(), times, 0), 0);
  write("p/a", "a");
  ASSERT_EQ(mkfifo(at("p/fifo").c_str(), 0644), 0);
  ToolServer server(project_, {"--trust", "shell"});
  server.data("move", {{"source", "d"}, {"destination", "/tmp/d"}});
  EXPECT_EQ(server.data("file_info", {{"path", "/tmp/d"}})["permissions"], "0700");
  const Json moved = server.data("file_info", {{"path", "/tmp/d/a"}});
  EXPECT_EQ(moved["permissions"], "0664");
  EXPECT_THAT(moved["modified"], HasSubstr("2020-01-01"));
  EXPECT_FALSE(fs::exists(at("d")));
  EXPECT_THAT(server.refusal("move", {{"source", "p"}, {"destination", "/tmp/p"}}), HasSubstr("fifo"));
  EXPECT_THAT(server.refusal("move", {{"source", "p/fifo"}, {"destination", "/tmp/fifo"}}), HasSubstr("a pipe"));
  EXPECT_TRUE(fs::is_fifo(at("p/fifo")));
  EXPECT_EQ(read("p/a"), "a");
  EXPECT_THAT(server.refusal("file_info", {{"path", "/tmp/p"}}), HasSubstr("No such file"));
  EXPECT_THAT(server.refusal("move", {{"source", "p/a"}, {"destination", "none/a"}}),
              AllOf(HasSubstr("none/a: No such file"), HasSubstr("make_directory")));
}

// Killed at any moment, a write leaves the old file or the new one; while it is written, nobody reads it who could not before.
TEST_P(ToolChanges, AWriteThatIsKilledLeavesNothingBehind) {
  for (int round = 0; round < 4; ++round) {
    write("secret", "old");
    fs::permissions(at("secret"), fs::perms(0600));
    ToolServer server(project_);
    server.begin("write_file", {{"path", "secret"}, {"content", std::string(8UL << 20U, 'x')}});
    usleep(static_cast<useconds_t>(20'000 * round));
    kill(server.process(), SIGKILL);
    server.wait();
    for (const auto& entry : fs::directory_iterator(project_.workspace().path()))
      EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr(".pale-new"))) << round;
    EXPECT_EQ(fs::status(at("secret")).permissions(), fs::perms(0600));
  }
}

INSTANTIATE_TEST_SUITE_P(, ToolChanges, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
