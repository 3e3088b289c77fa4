// pale worker call: what a worker sees, what it is told, what it answers, and what of that is written down.
#include "support/session.h"
#include "support/tool_server.h"
#include "workers.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// What the root of a sandbox holds that is not the system's.
constexpr const char* kOwnNames = "ls / | grep -vxE 'bin|dev|etc|lib|lib32|lib64|libx32|proc|run|sbin|tmp|usr'";

class WorkerCall : public WithWorkers {};

// --- each example of the specification, under its name ----------------------------------------------------------------

TEST_P(WorkerCall, SpecFormatterGetsOnlyWhatItDeclared) {
  write_usual_zones();
  worker("index", asks("{name: data}, {name: workspace}, {name: cache}") + calls("formatter"),
         "pale worker call formatter");
  worker("formatter", asks("{name: data, mode: rw}"),
         std::string(kOwnNames) + "; echo formatted > /data/here; cat /workspace/here /cache/here; exit 0");
  const Finished done = call("index");
  EXPECT_EQ(done.out, "data\n");
  EXPECT_THAT(done.err, AllOf(HasSubstr("/workspace/here: No such file"), HasSubstr("/cache/here: No such file")));
  EXPECT_EQ(work().read("data/here"), "formatted\n");
}

TEST_P(WorkerCall, SpecFormatterIsRefusedWhereItsParentOnlyReads) {
  write_usual_zones();
  worker("index", asks("{name: data, mode: ro}") + calls("formatter"), "pale worker call formatter --json");
  worker("formatter", asks("{name: data, mode: rw}"), "echo formatted > /data/here");
  const Finished done = call("index");
  EXPECT_EQ(done.exit_code, 3);
  const json refused = json::parse(done.out).at("error");
  EXPECT_EQ(refused.at("code"), "PERMISSION_ESCALATION");
  EXPECT_EQ(refused.at("message"), "Child requests 'rw' on 'data' but parent only has 'ro'");
  EXPECT_EQ(work().read("data/here"), "data");
}

TEST_P(WorkerCall, SpecChildThatAsksForWhatItsParentHasNot) {
  write_usual_zones();
  worker("index", asks("{name: data}") + calls("other"), "pale worker call other");
  worker("other", asks("{name: cache, mode: ro}"), "cat /cache/here");
  const Finished done = call("index");
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.err, HasSubstr("ZONE_ACCESS_DENIED: Child requests zone 'cache' but parent doesn't have it\n"));
}

TEST_P(WorkerCall, SpecValidatorIsAPureFunction) {
  write_usual_zones();
  worker("index", asks("{name: data}, {name: workspace}") + calls("validator"),
         "pale worker call validator --input '{\"rows\": [1, 2]}'");
  worker("validator", "description: Validates data structure (pure function, no I/O)\n",
         std::string(kOwnNames) + "; cat; pwd; ls -A /tmp; ls " + root() + "; exit 0");
  const Finished done = call("index");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out, "{\"rows\":[1,2]}\n/\n");
  EXPECT_THAT(done.err, HasSubstr("No such file or directory"));
}

TEST_P(WorkerCall, SpecReportGeneratorReadsDataAndWritesItsWorkspace) {
  write_zones("[zones.data]\nmode = \"ro\"\n[zones.workspace]\n[zones.cache]\n");
  worker("report-generator", asks("{name: data, mode: ro}, {name: workspace, mode: rw}"),
         "cat /data/here > /workspace/report; echo x > /data/here; exit 0");
  const Finished done = call("report-generator");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(work().read("workspace/report"), "data");
  EXPECT_EQ(work().read("data/here"), "data");
  EXPECT_THAT(done.err, HasSubstr("Read-only file system"));
}

TEST_P(WorkerCall, SpecGrandchildIsHeldToWhatTheChildHas) {
  write_usual_zones();
  worker("index", asks("{name: cache}, {name: workspace}") + calls("child"), "pale worker call child");
  worker("child", asks("{name: workspace, mode: ro}") + calls("grandchild, reader"),
         "pale worker call grandchild; pale worker call reader");
  worker("grandchild", asks("{name: cache}"), "echo x > /cache/here");
  worker("reader", asks("{name: workspace, mode: ro}"), "cat /workspace/here; echo x > /workspace/here; exit 0");
  const Finished done = call("index");
  EXPECT_EQ(done.out, "workspace");
  EXPECT_THAT(done.err, AllOf(HasSubstr("Child requests zone 'cache' but parent doesn't have it"),
                              HasSubstr("Read-only file system")));
  EXPECT_EQ(work().read("cache/here") + work().read("workspace/here"), "cacheworkspace");
}

TEST_P(WorkerCall, SpecTheEntryWorkerDoesNotWriteWhatIsReadOnly) {
  write_zones("[zones.data]\nmode = \"ro\"\n");
  worker("main", asks("{name: data, mode: ro}"), "echo x > /data/here; chmod 777 /data /data/here; exit 0");
  EXPECT_THAT(pale({"worker", "call", "--project-root", root()}).err, HasSubstr("Read-only file system"));
  EXPECT_EQ(work().read("data/here"), "data");
  worker("main", asks("{name: data}"), "echo x > /data/here");
  const Finished refused = pale({"worker", "call", "--project-root", root()});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err,
              HasSubstr("PERMISSION_ESCALATION: Worker requests 'rw' on 'data' but project only has 'ro'"));
}

// `/data/../secret/k` read a zone that was not declared, `/out/../data/x` wrote a read-only one; links led out.
TEST_P(WorkerCall, SpecNoNameLeadsOutOfAZone) {
  write_zones("[zones.data]\nmode = \"ro\"\n[zones.workspace]\n[zones.cache]\n");
  std::filesystem::create_symlink(root() + "/cache/here", work().path() / "workspace/link");
  std::filesystem::create_symlink("../cache", work().path() / "workspace/up");
  worker("main", asks("{name: data, mode: ro}, {name: workspace}"),
         "cat /data/../cache/here /data/../../cache/here /workspace/link /workspace/up/here /proc/1/root/cache/here\n"
         "echo x > /workspace/../data/here; echo x > /workspace/up/here; ln -s /cache /workspace/a; cat "
         "/workspace/a/here\n"
         "mv /data/here /workspace/copied; ln /data/here /workspace/linked; exit 0");
  EXPECT_EQ(answer_of("main"), "");
  EXPECT_EQ(work().read("cache/here") + work().read("data/here"), "cachedata");
  EXPECT_FALSE(work().exists("workspace/linked"));
}

// --- input and answer -------------------------------------------------------------------------------------------------

TEST_P(WorkerCall, InputIsJsonOnStandardInputAndTheAnswerIsStandardOutput) {
  worker("echo", "", "cat; echo aside >&2");
  const Finished done = call("echo", {"--input", R"({"a": [1, "ü"]})"});
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(done.out, "{\"a\":[1,\"ü\"]}\n");
  EXPECT_EQ(done.err, "aside\n");
  EXPECT_EQ(answer_of("echo"), "null\n");
  EXPECT_EQ(pale_in("/", call_words("echo", {"--input", "-"}), {}, "[1,\n 2]\n").out, "[1,2]\n");
  EXPECT_EQ(called("echo", {"--input", "7"}), json::parse(R"({"ok": true, "answer": "7\n", "exit_code": 0})"));
}

TEST_P(WorkerCall, AnAnswerMayBeAnyBytes) {
  worker("index", calls("bytes"), "pale worker call bytes | od -An -tx1");
  worker("bytes", "", R"(printf '\000\377\n\200')");
  EXPECT_EQ(answer_of("index"), " 00 ff 0a 80\n");
}

TEST_P(WorkerCall, BadInputIsSaidAndNothingRuns) {
  worker("echo", "", "cat");
  for (const std::string input : {"{", "{'a': 1}", "", "[1] 2", "nul"}) {
    const Finished done = call("echo", {"--input", input});
    EXPECT_EQ(done.exit_code, 2) << input;
    EXPECT_THAT(done.err, AllOf(HasSubstr("--input is not JSON: line 1"), HasSubstr("hint: --input '{"))) << input;
  }
  const std::string much(17UL << 20U, '1');
  const Finished done = pale_in("/", call_words("echo", {"--input", "-"}), {}, much);
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, AllOf(HasSubstr("more than 16777216"), HasSubstr("put it into a zone")));
  EXPECT_FALSE(std::filesystem::exists(in_pale_home("sessions")));
}

TEST_P(WorkerCall, AnUnknownWorkerIsAnErrorWithTheNearest) {
  worker("formatter", "", "cat");
  const Finished done = call("fromatter");
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_EQ(done.err, "pale: NOT_FOUND: there is no worker 'fromatter'\nhint: did you mean formatter?\n");
  const auto told = nlohmann::json::parse(call("fromatter", {"--json"}).out);
  EXPECT_EQ(told.at("ok"), false);
  EXPECT_EQ(told.at("exit_code"), 3);
  EXPECT_EQ(told.at("error").at("code"), "NOT_FOUND");
  EXPECT_THAT(pale({"worker", "call", "--project-root", root()}).err,
              HasSubstr("The project has no index.worker or main.worker"));
}

TEST_P(WorkerCall, AWorkerThatIsWrongAnywhereStopsTheCall) {
  worker("good", "", "echo ran");
  worker_file("bad", "run: 7\n");
  const Finished done = call("good");
  EXPECT_NE(done.exit_code, 0);
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err, HasSubstr("bad.worker"));
}

// --- how it can end ---------------------------------------------------------------------------------------------------

TEST_P(WorkerCall, ItsExitCodeIsHandedOn) {
  worker("index", calls("fails"), "pale worker call fails --json; echo \"code $?\"; pale worker call fails; exit 9");
  worker("fails", "", "echo half; exit 7");
  const Finished done = call("index");
  EXPECT_EQ(done.exit_code, 9);
  EXPECT_THAT(done.out, AllOf(HasSubstr(R"("ok":false,"answer":"half\n","exit_code":7)"), HasSubstr("code 7\nhalf\n")));
  EXPECT_THAT(done.err, AllOf(HasSubstr("WORKER_FAILED: Worker 'fails' ended with exit code 7"),
                              HasSubstr("WORKER_FAILED: Worker 'index' ended with exit code 9"),
                              HasSubstr("hint: pale session show " + last_session().at("id").get<std::string>())));
}

TEST_P(WorkerCall, OneThatIsKilledHasFailed) {
  worker("index", calls("dies"), "pale worker call dies");
  worker("dies", "", "kill -9 $$");
  const Finished done = call("index");
  EXPECT_EQ(done.exit_code, 137);
  EXPECT_THAT(done.err, HasSubstr("Worker 'dies' ended with exit code 137"));
}

TEST_P(WorkerCall, AProgramThatIsNotThere) {
  worker_file("none", "run: [no-such-program]\n");
  const Finished done = call("none");
  EXPECT_EQ(done.exit_code, 127);
  EXPECT_THAT(done.err, HasSubstr("WORKER_FAILED: There is no 'no-such-program' inside for worker 'none'"));
}

TEST_P(WorkerCall, OneThatAnswersTooMuchIsEnded) {
  worker("index", calls("endless"), "pale worker call endless --json | cut -c1-300");
  worker("endless", "", "exec cat /dev/zero");
  const json answer = json::parse(answer_of("index"));
  EXPECT_EQ(answer.at("answer"), "");
  EXPECT_EQ(answer.at("error").at("code"), "ANSWER_TOO_LONG");
  EXPECT_THAT(answer.at("error").at("hint"), HasSubstr("into a zone"));
}

TEST_P(WorkerCall, ChildrenEndAtTheirTime) {
  write_usual_zones("[delegation]\ntimeout = \"1s\"\n");
  worker("index", calls("slow"), "pale worker call slow --json");
  worker("slow", "", "echo begun; exec sleep 1000");
  const Finished done = call("index");
  const json answer = json::parse(done.out);
  EXPECT_EQ(answer.at("error").at("code"), "TIMED_OUT");
  EXPECT_EQ(answer.at("error").at("message"), "Worker 'slow' took longer than it may");
  EXPECT_EQ(answer.at("answer"), "begun\n");
}

TEST_P(WorkerCall, WhatItLeftRunningEndsWithIt) {
  write_usual_zones();
  worker("index", asks("{name: data}") + calls("slow"),
         "pale worker call slow --input 1 & pale worker call slow --input 2 &\n"
         "until [ -e /data/1 ] && [ -e /data/2 ]; do sleep 0.02; done; echo done");
  worker("slow", asks("{name: data}"), "read n; touch /data/$n; exec sleep 1000");
  EXPECT_EQ(answer_of("index"), "done\n");
  const json session = shown(last_session().at("id"));
  EXPECT_EQ(session.at("state"), "ended");
  ASSERT_EQ(session.at("runs").size(), 3U);
  for (const json& run : session.at("runs"))
    EXPECT_EQ(run.at("ending"), run.at("run") == 1 ? "exited" : "cancelled") << run;
}

// --- what is shown and kept -------------------------------------------------------------------------------------------

TEST_P(WorkerCall, EachCallIsKeptWithTheReceiptOfItsSandbox) {
  write_usual_zones();
  worker("index", asks("{name: data}, {name: workspace}") + calls("summary"),
         "pale worker call summary; pale worker call other; exit 0");
  worker("summary", asks("{name: data, mode: ro}"), "cat /data/here");
  EXPECT_EQ(answer_of("index"), "data");
  const json session = shown(last_session().at("id"));
  EXPECT_EQ(session.at("project"), "local:shop");
  EXPECT_EQ(session.at("denials"), 1);
  ASSERT_EQ(session.at("runs").size(), 2U);
  const json& first = session.at("runs").at(0);
  const json& second = session.at("runs").at(1);
  EXPECT_EQ(first.at("command").at(0), "index");
  EXPECT_EQ(second.at("command").at(0), "index/summary");
  EXPECT_EQ(session.at("receipt"), first.at("receipt"));
  EXPECT_FALSE(first.at("receipt").contains("within"));
  EXPECT_EQ(second.at("receipt").at("within"), 1);
  const auto mount = [](const json& receipt, const std::string& target) {
    for (const json& each : receipt.at("mounts")) {
      if (each.at("target") == target) return each;
    }
    return json();
  };
  EXPECT_EQ(mount(first.at("receipt"), "/data")["readOnly"], false);
  EXPECT_EQ(mount(second.at("receipt"), "/data")["readOnly"], true);
  EXPECT_EQ(mount(second.at("receipt"), "/workspace"), json());
  const std::string id = session.at("id");
  EXPECT_THAT(pale({"session", "show", id}).out,
              AllOf(HasSubstr("has /data rw, /workspace rw\n"), HasSubstr("has /data ro; within what [1] has\n")));
  EXPECT_THAT(pale({"session", "log", id}).out,
              HasSubstr("[1] denied: call_worker other (NOT_ALLOWED: Worker 'index' may not call 'other')"));
}

TEST_P(WorkerCall, ItHasNoTerminalAndWhatItSaysThereDoesNothing) {
  worker("index", calls("child"),
         "exec 2>&1; tty; (: < /dev/tty) || echo none; test -t 1 || echo pipe; pale worker call child");
  worker("child", "", R"(printf 'a\tb\033[2J\n'; printf 'err\033]0;x\007\n' >&2; test -t 2 || echo pipe)");
  Session session(process_of(call_words("index")), Line::Terminal);
  const Finished done = session.finish();
  EXPECT_EQ(done.exit_code, 0) << done.out;
  EXPECT_THAT(done.out, AllOf(HasSubstr("not a tty"), HasSubstr("none\r\n"), HasSubstr("pipe\r\n")));
  EXPECT_THAT(done.out, AllOf(HasSubstr("a       b\\x1b[2J\r\n"), HasSubstr("err\\x1b]0;x\\x07\r\n")));
  EXPECT_THAT(done.out, Not(HasSubstr("\x1b")));
}

TEST_P(WorkerCall, AnAgentIsToldItsInstructionsItsFoldersAndItsInput) {
  write_zones("[zones.data]\nmode = \"ro\"\n[zones.workspace]\n[agent]\ncommand = [\"/bin/echo\", \"{task}\"]\n");
  worker_file("writer", asks("{name: data, mode: ro}, {name: workspace}") + calls("helper"));
  worker("helper", "", "true");
  EXPECT_EQ(answer_of("writer", {"--input", "{\"year\": 2026}", "--instructions", "Be brief."}),
            "Do it.\n\nBe brief.\n\nThe folder /data is read-only.\nThe folder /workspace may be changed.\n"
            "The worker helper can be called with: pale worker call helper --input JSON\n\nInput: {\"year\":2026}\n\n");
}

TEST_P(WorkerCall, AFolderOfAZoneIsMadeWhenAWorkerFirstNeedsIt) {
  write_zones("[zones.reports]\npath = \"out/reports\"\n");
  worker("main", asks("{name: reports}"), "echo x > /reports/new");
  EXPECT_FALSE(work().exists("out"));
  answer_of("main");
  EXPECT_EQ(work().read("out/reports/new"), "x\n");
}

TEST_P(WorkerCall, WhatDecidesOverWorkersIsNotTheirs) {
  write_zones("[zones.all]\npath = \".\"\n");
  worker("main", asks("{name: all}"),
         "cd /all; for f in .pale/workers/main.worker .pale/project.toml .git/hooks/x golem-forge.config.yaml; do "
         "mkdir -p $(dirname $f); echo x > $f; done; echo fine > /all/file; exit 0");
  const std::string before = work().read(".pale/workers/main.worker") + work().read(".pale/project.toml");
  answer_of("main");
  EXPECT_EQ(work().read(".pale/workers/main.worker") + work().read(".pale/project.toml"), before);
  EXPECT_FALSE(work().exists(".git/hooks/x"));
  EXPECT_FALSE(work().exists("golem-forge.config.yaml"));
  EXPECT_EQ(work().read("file"), "fine\n");
}

// --- what is asked ----------------------------------------------------------------------------------------------------

class WorkerApproval : public WithWorkers {
 protected:
  void write_asking_zone() const {
    write_manifest("[zones.reports]\npath = \"out\"\n");
    worker("main", asks("{name: reports}"), "cat > /reports/order; echo done");
  }
  std::string waiting_id() const {
    const json questions = answer({"approvals"}).at("questions");
    return questions.empty() ? std::string() : questions[0].at("id").get<std::string>();
  }
};

TEST_P(WorkerApproval, AWorkerThatMayChangeAZoneWaitsForLeave) {
  write_asking_zone();
  Session session(process_of(call_words("main", {"--input", "{\"order\": 7}"})), Line::Pipes);
  session.expect("pale approve ");
  EXPECT_FALSE(work().exists("out")) << "nothing is made before somebody said yes";
  const Finished approved = pale({"approve", waiting_id(), "--yes"});
  EXPECT_THAT(approved.err, AllOf(HasSubstr("run worker main, which may then change " + root() + "/out"),
                                  HasSubstr("input: {\"order\":7}")));
  const Finished done = session.finish();
  EXPECT_EQ(done.exit_code, 0) << done.out;
  EXPECT_EQ(work().read("out/order"), "{\"order\":7}\n");
}

TEST_P(WorkerApproval, WhoIsDeniedDoesNotRun) {
  write_asking_zone();
  Session session(process_of(call_words("main")), Line::Pipes);
  session.expect("pale approve ");
  EXPECT_EQ(pale({"deny", waiting_id()}).exit_code, 0);
  const Finished done = session.finish();
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.out, AllOf(HasSubstr("APPROVAL_DENIED"), HasSubstr("hint: ")));
  EXPECT_FALSE(work().exists("out"));
}

// What a person did not see, he did not allow.
TEST_P(WorkerApproval, WhatIsTooLongToBeShownIsNotAskedAbout) {
  write_asking_zone();
  work().write("long", "\"" + std::string(200'000, 'x') + "\"");
  Process process = process_of(call_words("main", {"--input", "-"}));
  process.input = work().read("long");
  const Finished done = run(process);
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.err,
              AllOf(HasSubstr("APPROVAL_DENIED: Worker 'main' was not called: it is too long for anybody to be "
                              "shown, and so to allow"),
                    HasSubstr("hint: put the input into a zone, and name the file")));
  EXPECT_EQ(waiting_id(), "");
}

TEST_P(WorkerApproval, WhoGoesAwayTakesHisQuestionAlong) {
  write_asking_zone();
  Session session(process_of(call_words("main")), Line::Pipes);
  session.expect("pale approve ");
  session.send_signal(SIGTERM);
  EXPECT_EQ(session.finish().exit_code, 3);
  EXPECT_EQ(waiting_id(), "");
  EXPECT_FALSE(work().exists("out"));
}

TEST_P(WorkerApproval, YesAllowsAll) {
  write_asking_zone();
  EXPECT_EQ(answer_of("main", {"--yes"}), "done\n");
}

// What is written may stay as it is for ever: by one that is called, by one that it calls, and by one that a tool calls.
constexpr const char* kRemoves =
    "cd /plans; rm old; rm -r folder; mv old /tmp/; mv old new; mv folder moved; echo x > fresh; mv fresh old; "
    "ln old link; mv link old; rmdir folder/empty; cp old /tmp/other; mv /tmp/other old; echo more >> old; echo y > "
    "in-place; exit 0";

TEST_P(WorkerApproval, WhatMayNotBeDeletedStays) {
  work().write("plans/old", "plan\n");
  work().write("plans/folder/deep", "deep");
  work().make_directory("plans/folder/empty");
  write_manifest(
      "[zones.plans]\napproval = { write = \"preApproved\", delete = \"blocked\" }\n[zones.free]\n"
      "approval = { write = \"preApproved\", delete = \"preApproved\" }\n");
  worker("main", asks("{name: plans}, {name: free}") + calls("child, old"),
         std::string("(") + kRemoves +
             "); pale worker call child; pale worker call old; echo x > /free/f; rm /free/f; "
             "touch /tmp/t && rm /tmp/t && echo free");
  worker("child", asks("{name: plans}"), kRemoves);
  worker("old", "sandbox: {paths: {plans: {root: ./plans/folder, mode: rw}}}\n",
         "cd /plans; rm deep; mv deep x; rmdir empty; exit 0");
  const auto expect_kept = [&](const std::string& text) {
    EXPECT_EQ(work().read("plans/old"), text);
    EXPECT_EQ(work().read("plans/folder/deep"), "deep");
    for (const std::string name : {"plans/folder/empty", "plans/fresh", "plans/link", "plans/in-place"})
      EXPECT_TRUE(work().exists(name)) << name;
    for (const std::string name : {"plans/new", "plans/moved", "plans/folder/x"})
      EXPECT_FALSE(work().exists(name)) << name;
  };
  EXPECT_EQ(answer_of("main"), "free\n");
  expect_kept("plan\nmore\nmore\n");
  // By its own word, where the project says nothing.
  write_manifest("[approval]\nmode = \"auto\"\n[zones.plans]\n");
  worker("child", asks("{name: plans, approval: {delete: blocked}}"), kRemoves);
  answer_of("child");
  expect_kept("plan\nmore\nmore\nmore\n");
  // What the kernel was asked for is kept with the call.
  const json rules = shown(last_session().at("id")).at("runs")[0].at("receipt").at("landlock").at("rules");
  EXPECT_TRUE(std::ranges::any_of(rules, [](const json& rule) {
    return rule.at("path") == "/plans" && rule.at("removal") == "denied";
  })) << rules;
}

TEST_P(WorkerApproval, AToolsWorkerDeletesNothingThatTheToolMayNot) {
  work().write("plans/old", "plan\n");
  work().write("plans/folder/deep", "deep");
  write_manifest("[zones.plans]\napproval = { write = \"preApproved\", delete = \"blocked\" }\n");
  worker("child", asks("{name: plans}"), kRemoves);
  ToolServer server(project_);
  server.refusal("delete", {{"path", "plans/old"}});
  server.call("call_worker", {{"worker", "child"}});
  EXPECT_EQ(work().read("plans/old"), "plan\nmore\n");
  EXPECT_EQ(work().read("plans/folder/deep"), "deep");
  EXPECT_FALSE(work().exists("plans/new"));
}

// --- tools in a worker's boundary -------------------------------------------------------------------------------------

class WorkerTools : public WithWorkers {
 protected:
  void write_cache(const std::string& more = "") const {
    write_zones("[zones.data]\n" + more);
    work().write("data/cache/a.json", "{\"needle\": 1}\n");
    work().write("data/cache/b.txt", "needle\n");
    worker_file("old", "sandbox: {paths: {cache: {root: ./data/cache, mode: rw, suffixes: [.json]}}}\n");
  }
};

TEST_P(WorkerTools, TakeOnlyTheFilesThatTheWorkerIsFor) {
  write_cache();
  std::filesystem::create_symlink("b.txt", work().path() / "data/cache/link.json");
  ToolServer server(project_, {"--worker", "old", "--trust", "shell"});
  EXPECT_THAT(server.said("read_file", {{"path", "/cache/a.json"}}), HasSubstr("needle"));
  const std::string said = server.refusal("read_file", {{"path", "/cache/b.txt"}});
  EXPECT_THAT(said,
              AllOf(HasSubstr("/cache/b.txt"), HasSubstr("in /cache only files are taken whose names end in .json"),
                    HasSubstr("worker old (.pale/workers/old.worker)")));
  for (const char* path : {"b.txt", "/cache/../cache/b.txt", "link.json"})
    EXPECT_THAT(server.refusal("read_file", {{"path", path}}), HasSubstr("end in .json")) << path;
  EXPECT_THAT(server.refusal("read_multiple_files", {{"paths", {"a.json", "b.txt"}}}), HasSubstr("end in .json"));
  EXPECT_THAT(server.refusal("write_file", {{"path", "c.txt"}, {"content", "x"}}), HasSubstr("end in .json"));
  EXPECT_THAT(server.refusal("edit_file", {{"path", "b.txt"}, {"edits", {{{"oldText", "needle"}, {"newText", "x"}}}}}),
              HasSubstr("end in .json"));
  server.refusal("move", {{"source", "a.json"}, {"destination", "a.txt"}});
  server.refusal("move", {{"source", "b.txt"}, {"destination", "b.json"}});
  server.refusal("delete", {{"path", "b.txt"}});
  server.data("write_file", {{"path", "new.json"}, {"content", "{}"}});
  server.data("move", {{"source", "new.json"}, {"destination", "newer.json"}});
  EXPECT_EQ(work().read("data/cache/newer.json"), "{}");
  EXPECT_EQ(work().read("data/cache/b.txt"), "needle\n");
  EXPECT_FALSE(work().exists("data/cache/c.txt"));
  const auto found = server.data("search", {{"pattern", "needle"}});
  EXPECT_EQ(found["matchingFiles"], 1) << found;
  EXPECT_EQ(server.data("search", {{"pattern", "needle"}, {"path", "/cache/b.txt"}})["matchingFiles"], 0);
  EXPECT_THAT(server.refusal("search", {{"pattern", "needle"}, {"path", "/"}}), HasSubstr("only some files"));
  EXPECT_EQ(server.data("search", {{"pattern", "needle"}, {"path", "/proc/self/root/cache"}})["matchingFiles"], 1);
  EXPECT_THAT(server.data("find_files", {{"pattern", "*"}, {"path", "/proc/self/root/cache"}})["paths"].dump(),
              AllOf(HasSubstr("a.json"), Not(HasSubstr("b.txt"))));
  EXPECT_THAT(server.data("find_files", {{"pattern", "*"}})["paths"].dump(),
              AllOf(HasSubstr("a.json"), HasSubstr("newer.json"), Not(HasSubstr("b.txt"))));
  EXPECT_THAT(server.ask("tools/list").dump(),
              AllOf(HasSubstr(R"("name":"write_file")"), Not(HasSubstr(R"("name":"run_command")"))));
}

// A folder may be called what it likes; what counts are the files in it.
TEST_P(WorkerTools, TakeNoOtherFilesInAFolderEither) {
  write_cache();
  work().write("data/cache/d.json/deep/k.pem", "key");
  work().write("data/cache/plain/a.json", "{}");
  ToolServer server(project_, {"--worker", "old", "--approval", "auto"});
  EXPECT_THAT(server.refusal("move", {{"source", "d.json"}, {"destination", "/tmp/d"}}),
              AllOf(HasSubstr("d.json/deep/k.pem"), HasSubstr("end in .json")));
  EXPECT_THAT(server.refusal("delete", {{"path", "d.json"}, {"recursive", true}}), HasSubstr("end in .json"));
  server.data("make_directory", {{"path", "/tmp/in.json"}});
  server.data("write_file", {{"path", "/tmp/in.json/b.txt"}, {"content", "x"}});
  EXPECT_THAT(server.refusal("move", {{"source", "/tmp/in.json"}, {"destination", "in.json"}}),
              HasSubstr("/tmp/in.json/b.txt"));
  server.data("move", {{"source", "plain"}, {"destination", "other"}});
  EXPECT_TRUE(work().exists("data/cache/d.json/deep/k.pem"));
  EXPECT_TRUE(work().exists("data/cache/other/a.json"));
  EXPECT_FALSE(work().exists("data/cache/in.json"));
}

TEST_P(WorkerTools, HaveNothingButWhatTheWorkerHas) {
  write_cache("mode = \"ro\"\n[zones.workspace]\n");
  const Finished refused = pale({"mcp", "--worker", "old", "--project-root", root()});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_THAT(refused.err, HasSubstr("PERMISSION_ESCALATION: Worker requests 'rw' on 'cache'"));
  EXPECT_EQ(pale({"mcp", "--worker", "none", "--project-root", root()}).exit_code, 2);
  EXPECT_THAT(pale({"mcp", "--worker", "old", "--rw", "/srv", "--project-root", root()}).err, HasSubstr("--rw"));
  worker_file("reader", asks("{name: data, mode: ro}"));
  ToolServer server(project_, {"--worker", "reader", "--trust", "shell"});
  EXPECT_THAT(server.said("read_file", {{"path", "/data/here"}}), HasSubstr("data"));
  EXPECT_THAT(server.refusal("write_file", {{"path", "/data/new"}, {"content", "x"}}),
              HasSubstr("READ_ONLY_ZONE: /data/new: Read-only file system. Zone 'data' is read-only for this worker"));
  EXPECT_THAT(server.refusal("read_file", {{"path", "/workspace/here"}}), HasSubstr("ZONE_ACCESS_DENIED"));
  server.refusal("read_file", {{"path", root() + "/workspace/here"}});
  server.call("run_command", {{"command", "echo x > /data/new; cat '" + root() + "/workspace/here' > /tmp/x"}});
  EXPECT_FALSE(work().exists("data/new"));
}

// What may not be removed is written in its place, and nothing is left beside it.
TEST_P(WorkerTools, WriteInPlaceWhereNothingMayBeRemoved) {
  write_cache("approval = { write = \"preApproved\", delete = \"blocked\" }\n");
  worker_file("writer", asks("{name: data}"));
  ToolServer server(project_, {"--worker", "writer", "--trust", "shell"});
  EXPECT_EQ(server.data("write_file", {{"path", "/data/here"}, {"content", "new"}})["atomic"], false);
  server.data("write_file", {{"path", "/data/fresh"}, {"content", "fresh"}});
  server.refusal("delete", {{"path", "/data/here"}});
  server.refusal("move", {{"source", "/data/here"}, {"destination", "/data/there"}});
  server.call("run_command", {{"command", "rm /data/here /data/fresh; mv /data/here /data/there"}});
  EXPECT_EQ(work().read("data/here") + work().read("data/fresh"), "newfresh");
  std::size_t names = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(work().path() / "data")) ++names;
  EXPECT_EQ(names, 3U);
}

INSTANTIATE_TEST_SUITE_P(, WorkerTools, testing::ValuesIn(accounts()), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(, WorkerCall, testing::ValuesIn(accounts()), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(, WorkerApproval, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
