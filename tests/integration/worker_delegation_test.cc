// Workers that call workers, by way of the broker: whom they may call, how deep, how many, from a shell and from anything else.
#include "support/session.h"
#include "support/tool_server.h"
#include "workers.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

// What a program in any language does: a line there, a line back.
constexpr const char* kAsk = R"(
import json, socket, sys
def ask(*requests, half=False):
    line = socket.socket(socket.AF_UNIX)
    line.connect("/run/pale/broker")
    line.sendall("".join(r if isinstance(r, str) else json.dumps(r) + "\n" for r in requests).encode())
    if half: line.shutdown(socket.SHUT_WR)
    heard = line.makefile()
    return [json.loads(heard.readline()) for _ in requests]
)";

class WorkerDelegation : public WithWorkers {
 protected:
  json asked(const std::string& program, const std::string& allowed = "echo") const {
    python("index", calls(allowed), kAsk + program);
    return json::parse(answer_of("index"), nullptr, false);
  }
};

TEST_P(WorkerDelegation, OnlyThoseItNamesAreCalled) {
  worker("index", calls("formatter"),
         "pale worker call secret; pale worker call fromatter; pale worker call ../x; exit 0");
  worker("formatter", "", "echo formatted");
  worker("secret", "", "echo secret");
  const Finished done = call("index");
  EXPECT_EQ(done.out, "");
  EXPECT_THAT(done.err,
              AllOf(HasSubstr("NOT_ALLOWED: Worker 'index' may not call 'secret'\n"
                              "hint: toolsets: {workers: {allowed_workers: [secret]}} in .pale/workers/index.worker\n"),
                    HasSubstr("may not call 'fromatter'\nhint: did you mean formatter?\n"),
                    HasSubstr("may not call '../x'\n")));
}

TEST_P(WorkerDelegation, OneThatMayCallNobodyHasNeitherSocketNorProgram) {
  worker("index", "", "ls /run/pale; command -v pale; exit 0");
  EXPECT_EQ(answer_of("index"), "boundary.json\nshm\ntmp\n");
}

TEST_P(WorkerDelegation, OneThatIsNamedAndNotThere) {
  worker("index", calls("gone"), "pale worker call gone --json; exit 0");
  EXPECT_EQ(json::parse(answer_of("index")).at("error").at("code"), "NOT_FOUND");
}

TEST_P(WorkerDelegation, ALockedWorkerIsCalledAsItIsWritten) {
  worker("index", calls("fixed"),
         "pale worker call fixed --instructions more --json; pale worker call fixed --input 1; exit 0");
  worker("fixed", "locked: true\n", "cat");
  const Finished done = call("index");
  EXPECT_THAT(done.out, AllOf(HasSubstr(R"("code":"LOCKED")"), EndsWith("\n1\n")));
  EXPECT_EQ(call("fixed", {"--instructions", "more"}).exit_code, 3);
  work().write("other/fixed.worker", "---\nname: fixed\nrun: [/bin/echo, other]\n---\n");
  const Finished other = call(root() + "/other/fixed.worker");
  EXPECT_NE(other.exit_code, 0);
  EXPECT_THAT(other.out, Not(HasSubstr("other")));
}

TEST_P(WorkerDelegation, ACircleEndsAtTheDepth) {
  write_usual_zones("[delegation]\nmax_depth = 3\n");
  worker("index", asks("{name: data}") + calls("other"), "echo i; pale worker call other");
  worker("other", asks("{name: data}") + calls("index"), "echo o; pale worker call index");
  const Finished done = call("index");
  EXPECT_EQ(done.out, "i\no\ni\no\n");
  EXPECT_EQ(done.exit_code, 3);
  EXPECT_THAT(done.err, HasSubstr("DEPTH_EXCEEDED: Calls end at depth 3"));
  EXPECT_EQ(call("index", {"--max-depth", "1"}).out, "i\no\n");
}

TEST_P(WorkerDelegation, TheNumberOfCallsIsLimitedHoweverDeep) {
  write_usual_zones("[delegation]\nmax_calls = 3\n");
  worker("index", calls("one, two"), "for n in 1 2 3; do pale worker call one; done; exit 0");
  worker("one", calls("two"), "echo one; pale worker call two; exit 0");
  worker("two", "", "echo two");
  const Finished done = call("index");
  EXPECT_EQ(done.out, "one\ntwo\none\n");
  EXPECT_THAT(done.err, HasSubstr("TOO_MANY_CALLS: There were 3 calls already"));
}

TEST_P(WorkerDelegation, SeveralRunAtOnce) {
  write_usual_zones();
  worker("index", asks("{name: data}") + calls("meets"),
         "pale worker call meets --input 1 & pale worker call meets --input 2 & wait");
  // Each waits for the other.
  worker("meets", asks("{name: data}"),
         "read n; touch /data/$n; until [ -e /data/$((3 - n)) ]; do sleep 0.02; done; echo met");
  EXPECT_EQ(answer_of("index"), "met\nmet\n");
}

// Sixteen in all, and eight that one worker waits for: the others of its callers come later.
TEST_P(WorkerDelegation, MoreThanRunAtOnceWaitTheirTurn) {
  worker("index", calls("echo"), "for n in 0 1 2 3 4 5 6 7 8 9; do pale worker call echo --input $n & done; wait");
  worker("echo", "", "cat");
  std::string answers = answer_of("index");
  std::erase(answers, '\n');
  std::ranges::sort(answers);
  EXPECT_EQ(answers, "0123456789");
}

// --- the socket -------------------------------------------------------------------------------------------------------

TEST_P(WorkerDelegation, ALineToTheSocketCallsAndALineAnswers) {
  worker("echo", "", "cat");
  const json answers = asked("print(json.dumps(ask({'worker': 'echo', 'input': {'a': 1}}, {'worker': 'echo'})))");
  EXPECT_EQ(answers, json::parse(R"([{"ok": true, "answer": "{\"a\":1}\n", "exit_code": 0},
                                     {"ok": true, "answer": "null\n", "exit_code": 0}])"));
}

TEST_P(WorkerDelegation, WhoHasSaidAllIsAnsweredAndNeedNoEndOfALine) {
  worker("echo", "", "cat");
  EXPECT_EQ(asked(R"(print(json.dumps(ask('{"worker": "echo", "input": 5}', half=True))))")[0]["answer"], "5\n");
}

TEST_P(WorkerDelegation, WhatIsNoRequestIsRefusedAndTheNextIsHeard) {
  worker("echo", "", "cat");
  const json answers = asked(R"(
wrong = ["hello\n", "[]\n", "{}\n", '{"worker": 7}\n', '{"worker": "echo", "caller": "root"}\n', "\n",
         '{"worker": "' + "e" * 300 + '"}\n', '{"worker": "echo", "input": ' + "[" * 100 + "]" * 100 + "}\n"]
print(json.dumps(ask(*wrong, {"worker": "echo", "input": 1}))))");
  ASSERT_EQ(answers.size(), 9U);
  for (std::size_t at = 0; at < 8; ++at) {
    EXPECT_EQ(answers[at]["ok"], false) << at;
    EXPECT_EQ(answers[at]["error"]["code"], "INVALID_REQUEST") << at;
  }
  EXPECT_EQ(answers[8]["answer"], "1\n");
}

TEST_P(WorkerDelegation, ARequestThatIsTooLongIsRefused) {
  worker("echo", "", "cat");
  const json answers = asked(R"(
line = socket.socket(socket.AF_UNIX)
line.connect("/run/pale/broker")
try:
    for _ in range(40): line.sendall(b"a" * (1 << 20))
except OSError: pass
print(json.dumps(ask({"worker": "echo", "input": 1}))))");
  EXPECT_EQ(answers[0]["answer"], "1\n");
}

TEST_P(WorkerDelegation, OneWhoTalksAndDoesNotListenHindersNobody) {
  worker("echo", "", "cat");
  const json answers = asked(R"(
deaf = socket.socket(socket.AF_UNIX)
deaf.connect("/run/pale/broker")
deaf.setblocking(False)
try:
    while True: deaf.send(b"\n" * 4096)
except BlockingIOError: pass
print(json.dumps(ask({"worker": "echo", "input": 1}))))");
  EXPECT_EQ(answers[0]["answer"], "1\n");
}

TEST_P(WorkerDelegation, WhoHangsUpEndsTheCall) {
  write_usual_zones();
  python("index", asks("{name: data}") + calls("slow"), std::string(kAsk) + R"(
import os, time
line = socket.socket(socket.AF_UNIX)
line.connect("/run/pale/broker")
line.sendall(b'{"worker": "slow"}\n')
while not os.path.exists("/data/begun"): time.sleep(0.02)
line.close()
while not os.path.exists("/data/ended"): time.sleep(0.02)
print("ended"))");
  worker("slow", asks("{name: data}"),
         "trap 'touch /data/ended; exit' TERM; touch /data/begun; while :; do sleep 0.02; done");
  EXPECT_EQ(answer_of("index"), "ended\n");
  EXPECT_EQ(shown(last_session().at("id")).at("runs")[1].at("ending"), "cancelled");
}

TEST_P(WorkerDelegation, InsideNothingIsSaidOfTheProjectAndItsRules) {
  worker("index", calls("echo"),
         "for o in '--project-root /' '-p x' '--approval auto' '--yes' '--max-depth 99' '--sandbox-mode direct' "
         "'--sandbox-root .'; do pale worker call echo $o; echo $?; done; pale worker call; echo $?; exit 0");
  worker("echo", "", "cat");
  const Finished done = call("index");
  EXPECT_EQ(done.out, "2\n2\n2\n2\n2\n2\n2\n2\n");
  EXPECT_THAT(done.err, AllOf(HasSubstr("inside a worker this is not said by who calls: --max-depth"),
                              HasSubstr("hint: pale worker call NAME --input JSON")));
}

TEST_P(WorkerDelegation, InAnyOtherSandboxThereIsNoBroker) {
  worker("echo", "", "cat");
  const Finished done = script("ls /run/pale/broker; '" + pale_program() + "' worker call echo",
                               {"--ro", std::filesystem::path(pale_program()).parent_path().string()});
  EXPECT_NE(done.exit_code, 0);
  EXPECT_EQ(done.out, "");
}

// --- called by tools --------------------------------------------------------------------------------------------------

// Their sandbox is the caller's, and what was read back of it what counts.
TEST_P(WorkerDelegation, OneThatToolsCallIsComparedWithTheirSandbox) {
  write_usual_zones();
  work().write("data/secret/in", "secret");
  worker("index", asks("{name: data}") + calls("summary"), "cat /data/here; pale worker call summary");
  worker("summary", asks("{name: data, mode: ro}"), "cat /data/here; ls /data/secret 2>&1; exit 0");
  {
    ToolServer server(project_, {"--hide", root() + "/data/secret"});
    const auto answer = server.data("call_worker", {{"worker", "index"}});
    EXPECT_THAT(answer["answer"].get<std::string>(),
                AllOf(HasSubstr("datadata"), HasSubstr("'/data/secret': Permission denied")))
        << answer;
  }
  const std::string id = last_session().at("id");
  const json runs = shown(id).at("runs");
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_EQ(runs[0].at("receipt").at("within"), 0);
  EXPECT_EQ(runs[1].at("receipt").at("within"), 1);
  EXPECT_THAT(pale({"session", "show", id}).out,
              AllOf(HasSubstr("has /data rw; within what the tools have\n"), HasSubstr("; within what [1] has\n")));
}

TEST_P(WorkerDelegation, TheReceiptSaysWhatNetworkWasEntered) {
  for (const bool open : {true, false}) {
    write_usual_zones(open ? "[network]\nmode = \"open\"\n" : "");
    pale({"config", "set", "network", open ? "open" : "none", "--project-root", root()});
    worker("index", asks("{name: data}") + calls("pure"), "readlink /proc/self/ns/net; pale worker call pure");
    worker("pure", "", "readlink /proc/self/ns/net");
    std::istringstream networks(answer_of("index"));
    std::string first, second;
    networks >> first >> second;
    const std::string own = std::filesystem::read_symlink("/proc/self/ns/net").string();
    EXPECT_EQ(first == own, open);
    EXPECT_NE(second, own) << "a pure function reaches no network";
    const json runs = shown(last_session().at("id")).at("runs");
    EXPECT_EQ(runs[0].at("receipt").at("ownNetwork"), !open);
    EXPECT_EQ(runs[1].at("receipt").at("ownNetwork"), true);
  }
}

// --- the end of pale itself -------------------------------------------------------------------------------------------

class WorkerKilled : public WithWorkers {
 protected:
  // A worker, one that it called, and something in the background of that one.
  void write_family() const {
    write_usual_zones();
    worker("index", asks("{name: data}") + calls("child"), "pale worker call child");
    worker("child", asks("{name: data}"), "(exec sleep 1000) & touch /data/begun; exec sleep 1000");
  }
  void wait_for_begin(Session& session) const {
    for (int tries = 0; tries < 3000 && !work().exists("data/begun"); ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_TRUE(work().exists("data/begun"));
    family_ = descendants_of(session.pid());
    ASSERT_GE(family_.size(), 8U);
  }
  void expect_all_gone() const {
    for (int tries = 0; tries < 3000; ++tries) {
      if (std::ranges::all_of(family_, [](pid_t pid) { return state_of(pid) == '?' || state_of(pid) == 'Z'; })) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    ADD_FAILURE() << "something still runs";
  }
  mutable std::vector<pid_t> family_;
};

TEST_P(WorkerKilled, NothingIsLeftAndTheNextCommandSaysSo) {
  write_family();
  Session session(process_of(call_words("index")), Line::Pipes);
  wait_for_begin(session);
  session.send_signal(SIGKILL);
  EXPECT_EQ(session.finish().exit_code, 137);
  expect_all_gone();
  EXPECT_EQ(last_session().at("ending"), "killed");
  worker("echo", "", "cat");
  EXPECT_EQ(answer_of("echo"), "null\n");
  // The place of a call that has ended is kept for the next one.
  for (const auto& place : std::filesystem::directory_iterator(in_pale_home("live")))
    EXPECT_EQ(place.path().filename(), "idle");
  EXPECT_TRUE(project_.records_are_idle());
}

TEST_P(WorkerKilled, ASignalEndsAllOfThemInOrder) {
  write_family();
  Session session(process_of(call_words("index")), Line::Pipes);
  wait_for_begin(session);
  session.send_signal(SIGINT);
  const Finished done = session.finish();
  EXPECT_EQ(done.exit_code, 143) << done.out;
  EXPECT_THAT(done.out, HasSubstr("Worker 'index' was ended before it had answered"));
  expect_all_gone();
  for (const json& run : shown(last_session().at("id")).at("runs")) EXPECT_EQ(run.at("ending"), "cancelled");
}

INSTANTIATE_TEST_SUITE_P(, WorkerDelegation, testing::ValuesIn(accounts()), testing::PrintToStringParamName());
INSTANTIATE_TEST_SUITE_P(, WorkerKilled, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
