// `pale mcp` asks before it changes something: by way of the client, or in the queue; and what a worker is called for.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "tool_questions.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

class ToolApprovals : public WithQuestions {};

TEST_P(ToolApprovals, AZoneAsksAndPaleApproveAllowsExactlyWhatWasShown) {
  zones();
  ToolServer server(project_);
  server.begin("write_file", {{"path", "data/a"}, {"content", "one\ntwo\n"}});
  const Json asked = question();
  EXPECT_EQ(asked["asker"], "pale mcp");
  EXPECT_EQ(asked["summary"], "write " + project_.workspace().text() + "/data/a");
  EXPECT_THAT(asked["details"], HasSubstr("@@ -1 +1,2 @@\n one\n+two\n"));
  EXPECT_EQ(read("data/a"), "one\n");
  // Others are served meanwhile.
  EXPECT_EQ(server.data("read_file", {{"path", "data/a"}})["content"], "one\n");
  EXPECT_EQ(project_.pale({"approve", asked["id"], "--yes"}).exit_code, 0);
  EXPECT_EQ(server.next()["result"]["structuredContent"]["created"], false);
  EXPECT_EQ(read("data/a"), "one\ntwo\n");
  ASSERT_EQ(log().size(), 1U);
  EXPECT_EQ(log()[0]["question"], asked);
  EXPECT_EQ(log()[0]["decision"]["by"], "pale approve");
  EXPECT_EQ(server.end(), 0);
}

TEST_P(ToolApprovals, PaleDenyAndTimeThatIsOverAreANo) {
  zones();
  {
    ToolServer server(project_);
    server.begin("delete", {{"path", "data/a"}});
    EXPECT_EQ(project_.pale({"deny", id()}).exit_code, 0);
    EXPECT_THAT(words(server.next()), AllOf(HasSubstr("not done: denied by pale deny. The rule: zone data ("),
                                            HasSubstr("asks before each delete."), HasSubstr("Without asking")));
  }
  ToolServer server(project_, {"--approval-timeout", "1"});
  EXPECT_THAT(server.refusal("delete", {{"path", "data/a"}}), HasSubstr("nobody answered question "));
  EXPECT_TRUE(project_.workspace().exists("data/a"));
  EXPECT_EQ(log().back()["decision"]["verdict"], "timed_out");
}

TEST_P(ToolApprovals, TheClientsUserIsAskedWhereTheClientCan) {
  zones();
  ToolServer server(project_, {}, kElicits);
  for (const std::string action : {"decline", "cancel", "accept"}) {
    server.begin("write_file", {{"path", "data/a"}, {"content", "new\n"}});
    const Json request = server.next();
    EXPECT_EQ(request["method"], "elicitation/create");
    EXPECT_THAT(request["params"]["message"], AllOf(HasSubstr("  | -one\n  | +new\n"), HasSubstr("/data/a")));
    EXPECT_EQ(read("data/a"), "one\n");
    server.send(allow(request, action));
    const Json answer = server.next();
    EXPECT_EQ(answer["result"].value("isError", false), action != "accept") << answer;
    EXPECT_EQ(log().back()["decision"]["by"], "client");
  }
  EXPECT_EQ(read("data/a"), "new\n");
  EXPECT_TRUE(waiting().empty());
}

TEST_P(ToolApprovals, WhoAnswersFirstDecides) {
  zones();
  ToolServer server(project_, {}, kElicits);
  server.begin("write_file", {{"path", "data/a"}, {"content", "new\n"}});
  const Json request = server.next();
  EXPECT_EQ(project_.pale({"deny", id()}).exit_code, 0);
  const Json taken_back = server.next();
  EXPECT_EQ(taken_back["method"], "notifications/cancelled");
  EXPECT_EQ(taken_back["params"]["requestId"], request["id"]);
  EXPECT_THAT(words(server.next()), HasSubstr("denied by pale deny"));
  server.send(allow(request, "accept"));
  EXPECT_EQ(server.data("read_file", {{"path", "data/a"}})["content"], "one\n");
}

TEST_P(ToolApprovals, WhatChangedSinceItWasShownIsNotDone) {
  zones();
  ToolServer server(project_);
  server.begin("edit_file", {{"path", "data/a"}, {"edits", {{{"oldText", "one"}, {"newText", "1"}}}}});
  const std::string asked = id();
  project_.workspace().write("data/a", "one\nby somebody else\n");
  EXPECT_EQ(project_.pale({"approve", asked, "--yes"}).exit_code, 0);
  EXPECT_THAT(words(server.next()), HasSubstr("what was allowed is not what it would do now"));
  EXPECT_EQ(read("data/a"), "one\nby somebody else\n");
}

// Writing by the kernel, for whoever it is; deleting by the tools.
TEST_P(ToolApprovals, WhatIsBlockedIsNotDoneAndNobodyIsAsked) {
  zones();
  ToolServer server(project_, {"--trust", "shell"});
  EXPECT_THAT(server.refusal("write_file", {{"path", "shut/a"}, {"content", "x"}}),
              AllOf(HasSubstr("Read-only file system"), HasSubstr("project.toml")));
  EXPECT_THAT(server.data("run_command", {{"command", "echo x > shut/a; echo x > shut/b"}})["output"],
              HasSubstr("Read-only file system"));
  EXPECT_THAT(server.refusal("delete", {{"path", "out/a"}}), HasSubstr("zone out ("));
  EXPECT_THAT(server.refusal("delete", {{"path", "out"}, {"recursive", true}}), HasSubstr("blocks each delete"));
  server.data("write_file", {{"path", "out/a"}, {"content", "two\n"}});
  EXPECT_EQ(read("shut/a"), "one\n");
  EXPECT_FALSE(project_.workspace().exists("shut/b"));
  EXPECT_TRUE(project_.workspace().exists("out/a"));
  EXPECT_TRUE(log().empty());
  EXPECT_THAT(server.data("boundary")["approvals"].dump(), HasSubstr("blocked"));
}

TEST_P(ToolApprovals, ThoseOfAZoneAreToldBeforehandAndARefusalHasItsCode) {
  manifest(
      "[agent]\nprotected = [\"out/own\"]\n"
      "[zones.data]\n[zones.out]\napproval = { write = \"preApproved\", delete = \"blocked\" }\n"
      "[zones.kept]\nmode = \"ro\"\n[zones.gone]\n");
  for (const char* file : {"data/a", "out/a", "kept/a", "gone/a", "out/own"}) project_.workspace().write(file, "one\n");
  ToolServer server(project_, {"--hide", "gone"});
  const auto told = [&](const char* path, const char* operation) {
    return server.data("boundary", {{"path", path}, {"operation", operation}})["operations"][0];
  };
  EXPECT_EQ(told("out/a", "remove")["allowed"], false);
  EXPECT_EQ(told("out/a", "remove")["outcome"], "blocked");
  EXPECT_EQ(told("out/a", "remove")["approval"], "blocked");
  EXPECT_THAT(told("out/a", "rename")["approvalRule"], HasSubstr("zone out ("));
  EXPECT_EQ(told("out/a", "write")["approval"], "free");
  EXPECT_EQ(told("data/a", "create")["allowed"], true);
  EXPECT_EQ(told("data/a", "create")["approval"], "ask");
  EXPECT_THAT(told("data/a", "create")["approvalRule"], HasSubstr("asks before each write"));
  EXPECT_FALSE(told("kept/a", "write").contains("approval"));

  const auto code = [&](const char* tool, const Json& arguments, const std::string& words) {
    const Json result = server.call(tool, arguments);
    EXPECT_THAT(result["content"][0]["text"], HasSubstr(words)) << result;
    return result.value("_meta", Json::object()).value("pale/code", "");
  };
  EXPECT_EQ(code("write_file", {{"path", "kept/a"}, {"content", "x"}}, "Zone 'kept' is read-only for this worker"),
            "READ_ONLY_ZONE");
  EXPECT_EQ(code("delete", {{"path", "kept/a"}}, "delete: READ_ONLY_ZONE: "), "READ_ONLY_ZONE");
  EXPECT_EQ(code("read_file", {{"path", "gone/a"}}, "Zone 'gone' not available to this worker"), "ZONE_ACCESS_DENIED");
  EXPECT_EQ(code("write_file", {{"path", "gone/a"}, {"content", "x"}}, "Zone 'gone' not available to this worker"),
            "ZONE_ACCESS_DENIED");
  EXPECT_EQ(code("read_file", {{"path", ""}}, "path: must be a text that is not empty"), "INVALID_PATH");
  EXPECT_EQ(code("make_directory", {{"path", "new/../x"}}, "INVALID_PATH: new/../x: "), "INVALID_PATH");
  EXPECT_EQ(code("delete", {{"path", "out/a"}}, "blocks each delete"), "APPROVAL_DENIED");
  EXPECT_EQ(code("read_file", {{"path", "none"}}, "none: No such file"), "");
  EXPECT_EQ(code("write_file", {{"path", "out/own"}, {"content", "x"}}, "The rule: protected "), "");
}

// A folder is deleted as a whole or not at all; that a part of it is protected is no way past whoever is asked about the rest.
TEST_P(ToolApprovals, WhatIsProtectedInsideDoesNotLetTheRestBeDeleted) {
  manifest(
      "[agent]\nprotected = [\"out/f20\", \"data/f20\", \"free/f20\"]\n"
      "[zones.out]\napproval = { write = \"preApproved\", delete = \"blocked\" }\n[zones.data]\n");
  for (const std::string folder : {"out", "data", "free"}) {
    for (int i = 0; i < 40; ++i) project_.workspace().write(folder + "/f" + std::to_string(i), "x");
  }
  project_.workspace().write(".git/description", "a repository");
  project_.workspace().write(".git/hooks/pre-commit", "");
  const std::string before = project_.workspace().snapshot();
  for (const char* mode : {"manual", "auto"}) {
    ToolServer server(project_, {"--approval", mode, "--approval-timeout", "1"});
    for (const char* folder : {"out", "data", "free", ".git"}) {
      EXPECT_THAT(server.refusal("delete", {{"path", folder}, {"recursive", true}}),
                  AllOf(HasSubstr("Read-only file system. The rule: protected "), HasSubstr("Changes are allowed")))
          << mode << " " << folder;
      EXPECT_EQ(project_.workspace().snapshot(), before) << mode << " " << folder;
    }
  }
  EXPECT_TRUE(log().empty());
}

// What no rule forbids can fail as well: somebody else's files.
TEST_P(ToolApprovals, ADeletionThatStopsOnItsWaySaysHowFarItCame) {
  for (int i = 0; i < 40; ++i) project_.workspace().write("d/f" + std::to_string(i), "x");
  project_.workspace().write("d/theirs/file", "x");
  constexpr uid_t kSomebody = 54321;
  ASSERT_EQ(chown((project_.workspace().path() / "d/theirs").c_str(), kSomebody, kSomebody), 0);
  ToolServer server(project_);
  const std::string words = server.refusal("delete", {{"path", "d"}, {"recursive", true}});
  const auto left = std::distance(fs::directory_iterator(project_.workspace().path() / "d"), fs::directory_iterator());
  EXPECT_THAT(words, HasSubstr("d: Permission denied"));
  EXPECT_THAT(words,
              HasSubstr(left == 41 ? "Nothing of it is deleted" : std::to_string(41 - left) + " of what was in it"));
  EXPECT_TRUE(project_.workspace().exists("d/theirs/file"));
  fs::remove_all(project_.workspace().path() / "d");
}

TEST_P(ToolApprovals, NoWayAroundAZoneLeadsIntoIt) {
  manifest("[zones.data]\n[zones.later]\npath = \"out/z\"\n");
  project_.workspace().write("data/a", "one\n");
  project_.workspace().write("src/z/x", "one\n");
  ToolServer server(project_, {"--approval-timeout", "1"});
  server.refusal("make_directory", {{"path", "data/new/../../free/x"}});
  server.refusal("move", {{"source", "src"}, {"destination", "out"}});
  EXPECT_EQ(log().size(), 1U);
  for (const char* name : {"data/new", "free", "out"}) EXPECT_FALSE(project_.workspace().exists(name)) << name;
}

TEST_P(ToolApprovals, AZoneThatIsALinkIsRefused) {
  manifest("[zones.data]\n[zones.deep]\npath = \"way/deep\"\n");
  project_.workspace().write("real/deep/a", "one\n");
  const auto refused = [&](const std::string& words) {
    const Finished done = project_.pale({"mcp", "--project-root", project_.workspace().text()});
    EXPECT_EQ(done.exit_code, 3);
    EXPECT_THAT(done.err, HasSubstr(words + " is, or leads through, a symbolic link"));
  };
  fs::create_directory_symlink("real", project_.workspace().path() / "data");
  refused(".pale/project.toml:1: the zone 'data'");
  fs::remove(project_.workspace().path() / "data");
  fs::create_directory_symlink("real", project_.workspace().path() / "way");
  refused("the zone 'deep'");
}

TEST_P(ToolApprovals, AFileThatCannotBeReadIsNotShownAsEmpty) {
  zones();
  ASSERT_EQ(chmod((project_.workspace().path() / "data/a").c_str(), 0), 0);
  ToolServer server(project_);
  server.begin("write_file", {{"path", "data/a"}, {"content", "two\n"}});
  const Json asked = question();
  EXPECT_THAT(asked["details"], HasSubstr("in place of 4 bytes that cannot be read, last changed 2"));
  EXPECT_EQ(asked["digest"].get<std::string>().size(), 64U);
  EXPECT_EQ(project_.pale({"approve", asked["id"], "--yes"}).exit_code, 0);
  EXPECT_EQ(server.next()["result"]["structuredContent"]["created"], false);
  EXPECT_EQ(read("data/a"), "two\n");
}

TEST_P(ToolApprovals, TheModeSaysWhatIsAskedOutsideOfZones) {
  project_.workspace().write("a", "one\n");
  const auto asks = [&](const std::string& mode, const char* tool, const Json& arguments) {
    ToolServer server(project_, {"--approval", mode, "--approval-timeout", "1"});
    return server.call(tool, arguments).value("isError", false);
  };
  const Json write = {{"path", "b"}, {"content", "x"}}, remove = {{"path", "a"}}, command = {{"command", "true"}};
  EXPECT_TRUE(asks("manual", "write_file", write));
  EXPECT_FALSE(project_.workspace().exists("b"));
  EXPECT_FALSE(asks("tool", "write_file", write));
  EXPECT_TRUE(asks("tool", "delete", remove));
  EXPECT_TRUE(asks("tool", "run_command", command));
  EXPECT_FALSE(asks("auto", "run_command", command));
  EXPECT_FALSE(asks("auto", "delete", remove));
  EXPECT_EQ(project_.pale({"mcp", "--approval", "maybe"}).exit_code, 2);
  EXPECT_EQ(project_.pale({"mcp", "--approval-timeout", "0"}).exit_code, 2);
  // What is private is nobody's business.
  ToolServer server(project_, {"--approval", "manual"});
  server.data("write_file", {{"path", "/tmp/mine"}, {"content", "x"}});
}

TEST_P(ToolApprovals, AtTheUsualTrustACommandIsAskedAboutAndNothingElse) {
  ToolServer server(project_);
  server.data("write_file", {{"path", "a"}, {"content", "x"}});
  server.begin("run_command", {{"command", "echo hi > made; cat made"}});
  const Json asked = question();
  EXPECT_THAT(asked["details"], HasSubstr("echo hi > made; cat made"));
  EXPECT_FALSE(project_.workspace().exists("made"));
  EXPECT_EQ(project_.pale({"approve", asked["id"], "--yes"}).exit_code, 0);
  EXPECT_EQ(server.next()["result"]["structuredContent"]["output"], "hi\n");
}

TEST_P(ToolApprovals, GolemForgesFileIsHeeded) {
  project_.workspace().write("golem-forge.config.yaml",
                             "sandbox:\n  mode: direct\n  zones:\n    data: {path: ./data, mode: ro}\n"
                             "    out: {path: ./out}\napproval:\n  mode: auto_deny\n");
  project_.workspace().write("data/a", "one\n");
  project_.workspace().write("out/a", "one\n");
  ToolServer server(project_);
  EXPECT_THAT(server.refusal("write_file", {{"path", "data/a"}, {"content", "x"}}), HasSubstr("Read-only file system"));
  EXPECT_THAT(server.refusal("write_file", {{"path", "out/a"}, {"content", "x"}}), HasSubstr("blocks each write"));
  EXPECT_EQ(server.call("run_command", {{"command", "true"}})["error"]["code"], -32602);
  EXPECT_EQ(read("out/a"), "one\n");
}

TEST_P(ToolApprovals, WhoCancelsOrHangsUpLeavesNoQuestionBehind) {
  zones();
  {
    ToolServer server(project_);
    const int call = server.begin("delete", {{"path", "data/a"}});
    const std::string asked = id();
    server.send({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", call}}}});
    EXPECT_EQ(server.data("read_file", {{"path", "data/a"}})["content"], "one\n");
    for (int tries = 0; log().empty() && tries < kMostTries; ++tries) usleep(50'000);
    EXPECT_EQ(log().back()["question"]["id"], asked);
    server.begin("delete", {{"path", "data/a"}});
    (void)id();
    kill(server.process(), SIGTERM);
    EXPECT_EQ(server.wait(), 128 + SIGTERM);
  }
  EXPECT_TRUE(waiting().empty());
  EXPECT_TRUE(project_.workspace().exists("data/a"));
}

// What a command inside can try: the queue, the server's memory and descriptors, its line.
TEST_P(ToolApprovals, NobodyInsideCanAnswer) {
  zones();
  ToolServer server(project_, {"--trust", "shell"});
  server.begin("write_file", {{"path", "data/a"}, {"content", "new\n"}});
  const std::string asked = id();
  const std::string tries =
      "ls " + project_.pale_home().string() +
      "/approvals; ls /proc/self/fd | wc -l; "
      "for p in /proc/[0-9]*; do [ $p = /proc/$$ ] && continue; "
      "  ls -l $p/fd 2>/dev/null | grep socket && echo SEEN; [ -n \"$(head -c 1 $p/maps 2>/dev/null)\" ] && echo READ; "
      "  for f in 0 3 4 5 6 7 8 9 10 11 12; do "
      "    echo '{\"kind\":\"answer\",\"number\":1,\"approved\":true}' 2>/dev/null > $p/fd/$f && echo WROTE; done; "
      "done 2>/dev/null; true";
  server.begin("run_command", {{"command", tries}});
  const Json ran = server.next();
  EXPECT_THAT(
      ran["result"]["structuredContent"]["output"].get<std::string>(),
      AllOf(HasSubstr("No such file"), Not(HasSubstr("SEEN")), Not(HasSubstr("READ")), Not(HasSubstr("WROTE"))));
  EXPECT_EQ(read("data/a"), "one\n");
  EXPECT_EQ(id(), asked);
  EXPECT_EQ(project_.pale({"deny", asked}).exit_code, 0);
  EXPECT_THAT(words(server.next()), HasSubstr("denied by pale deny"));
}

class ToolWorkers : public ToolApprovals {
 protected:
  void worker(const std::string& name, const std::string& front, const std::string& run) const {
    project_.workspace().write(
        ".pale/workers/" + name + ".worker",
        "---\nname: " + name + "\ndescription: for " + name + "\n" + front + "run: " + run + "\n---\n");
  }
  void workers() const {
    manifest(
        "[zones.data]\nmode = \"ro\"\n[zones.out]\napproval = { write = \"preApproved\", delete = \"preApproved\" "
        "}\n[zones.guarded]\n");
    project_.workspace().write("data/a", "one\n");
    project_.workspace().make_directory("out");
    project_.workspace().make_directory("guarded");
    worker("copy", "sandbox:\n  zones:\n    - {name: data, mode: ro}\n    - {name: out}\n",
           "[sh, -c, 'cat > /out/input; cat /data/a; ls /']");
    worker("greedy", "sandbox:\n  zones:\n    - {name: data, mode: rw}\n", "[touch, /data/x]");
    worker("stray", "sandbox:\n  zones:\n    - {name: secrets, mode: ro}\n", "[ls]");
    worker("guard", "sandbox:\n  zones:\n    - {name: guarded}\n", "[touch, /guarded/made]");
    worker("slow", "sandbox:\n  zones:\n    - {name: out}\n",
           "[sh, -c, 'while :; do date +%N > /out/beat; sleep 0.05; done']");
    worker("wrong", "", "[sh, -c, 'echo half; exit 4']");
  }
};

TEST_P(ToolWorkers, AreCalledInABoundaryOfTheirOwn) {
  workers();
  ToolServer server(project_);
  const Json listed = server.ask("tools/list");
  EXPECT_THAT(listed.dump(), AllOf(HasSubstr("call_worker"), HasSubstr("copy (for copy)")));
  const Json answer = server.data("call_worker", {{"worker", "copy"}, {"input", {{"year", 2026}}}});
  EXPECT_THAT(answer["answer"].get<std::string>(), AllOf(HasSubstr("one\n"), Not(HasSubstr("guarded"))));
  EXPECT_EQ(answer["exitCode"], 0);
  EXPECT_EQ(read("out/input"), "{\"year\":2026}\n");
  EXPECT_THAT(server.refusal("call_worker", {{"worker", "wrong"}}),
              AllOf(HasSubstr("WORKER_FAILED"), HasSubstr("half")));
  EXPECT_EQ(server.end(), 0);
}

TEST_P(ToolWorkers, ARefusalHasItsCode) {
  workers();
  ToolServer server(project_);
  EXPECT_THAT(server.refusal("call_worker", {{"worker", "none"}}), HasSubstr("NOT_FOUND: There is no worker 'none'"));
  EXPECT_THAT(server.refusal("call_worker", {{"worker", "greedy"}}),
              HasSubstr("PERMISSION_ESCALATION: Worker requests 'rw' on 'data' but project only has 'ro'"));
  EXPECT_THAT(server.refusal("call_worker", {{"worker", "stray"}}),
              HasSubstr("ZONE_ACCESS_DENIED: Worker requests zone 'secrets' but project doesn't have it"));
}

// The tools are the caller: what a flag takes from them, a worker does not have either.
TEST_P(ToolWorkers, GetNoMoreThanTheToolsHave) {
  workers();
  const std::string out = project_.workspace().text() + "/out";
  for (const char* flag : {"--ro", "--protect"}) {
    ToolServer server(project_, {flag, out});
    EXPECT_THAT(server.refusal("call_worker", {{"worker", "copy"}}), HasSubstr("PERMISSION_ESCALATION")) << flag;
  }
  {
    ToolServer server(project_, {"--hide", project_.workspace().text() + "/data"});
    EXPECT_THAT(server.refusal("call_worker", {{"worker", "copy"}}),
                HasSubstr("ZONE_ACCESS_DENIED: Child requests zone 'data' but parent doesn't have it"));
    EXPECT_THAT(server.refusal("call_worker", {{"worker", ""}}), HasSubstr("NOT_FOUND: There is no worker ''"));
  }
  {
    ToolServer server(project_, {"--hide", project_.workspace().text() + "/data/a"});
    EXPECT_THAT(server.said("call_worker", {{"worker", "copy"}}), Not(HasSubstr("one\\n")));
  }
  EXPECT_EQ(project_.workspace().read("out/input"), "null\n");  // of the last: that it may write
  ToolServer staged(project_, {"--stage", "s"});
  EXPECT_EQ(staged.call("call_worker", {{"worker", "copy"}})["error"]["code"], -32602);
  ToolServer reader(project_, {"--trust", "read_only"});
  EXPECT_EQ(reader.call("call_worker", {{"worker", "copy"}})["error"]["code"], -32602);
}

TEST_P(ToolWorkers, WhatAWorkersZoneAsksAboutIsAskedByWayOfTheClient) {
  workers();
  {
    ToolServer server(project_, {}, kElicits);
    server.begin("call_worker", {{"worker", "guard"}});
    const Json request = server.next();
    EXPECT_THAT(request["params"]["message"], AllOf(HasSubstr("run worker guard"), HasSubstr("touch /guarded/made")));
    server.send(allow(request, "decline"));
    EXPECT_THAT(words(server.next()), HasSubstr("APPROVAL_DENIED"));
    EXPECT_FALSE(project_.workspace().exists("guarded/made"));
    server.begin("call_worker", {{"worker", "guard"}});
    server.send(allow(server.next(), "accept"));
    EXPECT_EQ(server.next()["result"]["structuredContent"]["exitCode"], 0);
    EXPECT_TRUE(project_.workspace().exists("guarded/made"));
  }
  fs::remove(project_.workspace().path() / "guarded/made");
  ToolServer server(project_);
  server.begin("call_worker", {{"worker", "guard"}});
  EXPECT_EQ(project_.pale({"approve", id(), "--yes"}).exit_code, 0);
  EXPECT_EQ(server.next()["result"]["structuredContent"]["exitCode"], 0);
  EXPECT_TRUE(project_.workspace().exists("guarded/made"));
}

TEST_P(ToolWorkers, AWorkersQuestionWaitsAsLongAsTheirs) {
  workers();
  ToolServer server(project_, {"--approval-timeout", "1"});
  EXPECT_THAT(server.refusal("call_worker", {{"worker", "guard"}}),
              AllOf(HasSubstr("APPROVAL_DENIED"), HasSubstr("nobody answered in time")));
  EXPECT_FALSE(project_.workspace().exists("guarded/made"));
}

TEST_P(ToolWorkers, WhoCancelsEndsTheWorker) {
  workers();
  ToolServer server(project_);
  const int call = server.begin("call_worker", {{"worker", "slow"}});
  for (int tries = 0; !project_.workspace().exists("out/beat") && tries < kMostTries; ++tries) usleep(50'000);
  server.send({{"jsonrpc", "2.0"}, {"method", "notifications/cancelled"}, {"params", {{"requestId", call}}}});
  EXPECT_EQ(server.data("read_file", {{"path", "data/a"}})["content"], "one\n");
  EXPECT_EQ(server.end(), 0);
  const std::string beat = read("out/beat");
  usleep(300'000);
  EXPECT_EQ(read("out/beat"), beat);
}

TEST_P(ToolWorkers, WithoutWorkersThereIsNoSuchTool) {
  ToolServer server(project_);
  EXPECT_THAT(server.ask("tools/list").dump(), Not(HasSubstr("call_worker")));
}

INSTANTIATE_TEST_SUITE_P(, ToolApprovals, testing::ValuesIn(accounts()), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(, ToolWorkers, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
