// Questions that wait for a person: asked by a process of their own (asker.cc), answered by the program.
#include "service/approvals.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <csignal>
#include <sstream>

#include "managed.h"
#include "support/session.h"

namespace pale::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

constexpr const char* kFar = "600000";  // milliseconds that no test waits

class Approvals : public WithManagedProjects {
 protected:
  Process asker(const std::string& id, const std::string& lasts_ms = kFar, const std::string& where = "queue",
                const std::string& details = "+one\n") const {
    Process process = process_of({});
    process.arguments = {PALE_ASKER, project_.pale_home().string(), id, lasts_ms, where, details};
    return process;
  }
  // Waits already, once this returns.
  std::unique_ptr<Session> ask(const std::string& id) const {
    auto session = std::make_unique<Session>(asker(id), Line::Pipes);
    session->expect("waiting\n");
    return session;
  }
  fs::path socket_of(const std::string& id) const { return in_pale_home("approvals/" + id); }
  std::vector<json> log() const {
    std::istringstream in(read_pale_home("approvals/log.jsonl"));
    std::vector<json> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
    return lines;
  }
  static std::string last_line(const std::string& out) {
    const std::string text = out.substr(0, out.find_last_not_of("\r\n") + 1);
    return text.substr(text.rfind('\n') + 1);
  }
  static int connect_silently(const fs::path& path) {
    sockaddr_un name = {};
    name.sun_family = AF_UNIX;
    path.string().copy(name.sun_path, sizeof name.sun_path - 1);
    const int line = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    EXPECT_EQ(connect(line, reinterpret_cast<const sockaddr*>(&name), sizeof name), 0) << path;
    return line;
  }
};

TEST_P(Approvals, WhatWaitsIsListedShownApprovedAndRecorded) {
  const auto asker = ask("aaaa2222");
  EXPECT_THAT(pale({"approvals"}).out,
              AllOf(HasSubstr("aaaa2222  worker tester"), HasSubstr("write /data/notes.txt"), HasSubstr("just now")));
  const json listed = answer({"approvals"}).at("questions");
  ASSERT_EQ(listed.size(), 1U);
  EXPECT_EQ(listed[0].at("digest"), "digest-of-aaaa2222");

  const Finished approved = pale({"approve", "aaaa2222", "--yes"});
  EXPECT_EQ(approved.exit_code, 0) << approved.err;
  EXPECT_EQ(approved.out, "Approved aaaa2222: write /data/notes.txt\n");
  EXPECT_THAT(approved.err, HasSubstr("of worker tester, in /work\nwrite /data/notes.txt\n  | +one\n"));
  const Finished asked = asker->finish();
  EXPECT_EQ(asked.exit_code, 0);
  EXPECT_EQ(last_line(asked.out), "approved by pale approve");

  EXPECT_FALSE(fs::exists(socket_of("aaaa2222")));
  EXPECT_THAT(pale({"approvals"}).err, HasSubstr("nothing waits"));
  ASSERT_EQ(log().size(), 1U);
  EXPECT_EQ(log()[0].at("question"), listed[0]);
  EXPECT_EQ(log()[0].at("decision").at("verdict"), "approved");
  EXPECT_EQ(fs::status(in_pale_home("approvals/log.jsonl")).permissions(), fs::perms(0600));
  EXPECT_EQ(answer({"approvals", "--log"}).at("decisions"), json(log()));
  EXPECT_THAT(pale({"approvals", "--log", "1"}).out, AllOf(HasSubstr("approved"), HasSubstr("pale approve")));
}

TEST_P(Approvals, TheOnlyOneThatWaitsNeedsNoId) {
  EXPECT_EQ(pale({"deny"}).exit_code, 2);
  const auto asker = ask("aaaa2222");
  const json denied = answer({"deny"});
  EXPECT_EQ(denied.at("question").at("id"), "aaaa2222");
  EXPECT_EQ(denied.at("decision").at("verdict"), "denied");
  EXPECT_EQ(last_line(asker->finish().out), "denied by pale deny");
  EXPECT_EQ(log()[0].at("decision"), denied.at("decision"));
}

TEST_P(Approvals, OfSeveralOneMustBeNamed) {
  const auto one = ask("aaaa2222");
  const auto two = ask("bbbb2222");
  const Finished which = pale({"deny"});
  EXPECT_EQ(which.exit_code, 2);
  EXPECT_THAT(which.err, AllOf(HasSubstr("hint: pale deny aaaa2222  # worker tester: write /data/notes.txt\n"),
                               HasSubstr("hint: pale deny bbbb2222  #")));
  EXPECT_EQ(run_hint(hint_of(which)).exit_code, 0);
  EXPECT_EQ(pale({"deny"}).exit_code, 0);
  EXPECT_EQ(last_line(one->finish().out), "denied by pale deny");
  EXPECT_EQ(last_line(two->finish().out), "denied by pale deny");
}

TEST_P(Approvals, WithoutATerminalYesMustBeSaid) {
  const auto asker = ask("aaaa2222");
  const Finished unsaid = pale_in("/", {"approve", "aaaa2222"}, {}, "y\n");
  EXPECT_EQ(unsaid.exit_code, 3);
  EXPECT_EQ(hint_of(unsaid), "pale approve aaaa2222 --yes");
  EXPECT_EQ(answer({"approvals"}).at("questions").size(), 1U);
  EXPECT_EQ(run_hint(hint_of(unsaid)).exit_code, 0);
  EXPECT_EQ(last_line(asker->finish().out), "approved by pale approve");
}

TEST_P(Approvals, AnUnknownIdIsAnErrorThatSaysHowToGoOn) {
  for (const std::string& id : wrong_ids() + Words{"cccc2222"}) {
    for (const Words& words : {Words{"approve", "--yes", id}, Words{"deny", id}}) {
      const Finished done = pale(words);
      EXPECT_EQ(done.exit_code, 2) << id;
      EXPECT_EQ(hint_of(done), "pale approvals") << id;
    }
  }
  EXPECT_EQ(pale({"approvals", "--log", "none"}).exit_code, 2);
}

TEST_P(Approvals, TimeThatIsOverDeniesAndIsRecorded) {
  Session session(asker("aaaa2222", "1"), Line::Pipes);
  EXPECT_EQ(last_line(session.finish().out), "timed_out by time-out");
  EXPECT_EQ(pale({"approve", "aaaa2222", "--yes"}).exit_code, 2);
  EXPECT_EQ(log()[0].at("decision").at("verdict"), "timed_out");
}

TEST_P(Approvals, AnAnswerToSomethingElseDoesNotCount) {
  const auto asker = ask("aaaa2222");
  const Path pale_home = Path::literal(project_.pale_home().string());
  const auto answered =
      service::answer_question(pale_home, "aaaa2222", session::Verdict::Approved, "digest of what was there before");
  ASSERT_FALSE(answered);
  EXPECT_EQ(answered.error().kind, ErrorKind::Refused);
  EXPECT_THAT(answered.error().sentence(), HasSubstr("digest"));
  EXPECT_EQ(pale({"deny", "aaaa2222"}).exit_code, 0);
  EXPECT_EQ(last_line(asker->finish().out), "denied by pale deny");
}

TEST_P(Approvals, WhatAKilledAskerLeftIsClearedAway) {
  const auto asker = ask("aaaa2222");
  asker->send_signal(SIGKILL);
  EXPECT_EQ(asker->finish().exit_code, 128 + SIGKILL);
  EXPECT_TRUE(fs::exists(socket_of("aaaa2222")));
  EXPECT_EQ(pale({"approve", "aaaa2222", "--yes"}).exit_code, 2);
  EXPECT_EQ(names(in_pale_home("approvals")), Words{"key"});
  EXPECT_THAT(answer({"approvals"}).at("questions"), testing::IsEmpty());
}

TEST_P(Approvals, OfAnswersAtOnceExactlyOneCounts) {
  const auto asker = ask("aaaa2222");
  std::vector<std::unique_ptr<Session>> answers;
  for (const Words& words : {Words{"approve", "aaaa2222", "--yes"}, Words{"deny", "aaaa2222"},
                             Words{"approve", "aaaa2222", "--yes"}, Words{"deny", "aaaa2222"}})
    answers.push_back(std::make_unique<Session>(process_of(words), Line::Pipes));
  Words counted;
  for (const auto& session : answers) {
    const Finished done = session->finish();
    EXPECT_THAT(done.exit_code, testing::AnyOf(0, 2)) << done.out;
    if (done.exit_code == 0) counted.push_back(last_line(done.out));
  }
  ASSERT_EQ(counted.size(), 1U);
  const std::string said = counted.front().starts_with("Approved") ? "approved by pale approve" : "denied by pale deny";
  EXPECT_EQ(last_line(asker->finish().out), said);
  EXPECT_EQ(log().size(), 1U);
}

TEST_P(Approvals, ClientsThatSayNothingHoldUpNobody) {
  const auto asker = ask("aaaa2222");
  std::vector<int> silent;
  for (int count = 0; count < 30; ++count) silent.push_back(connect_silently(socket_of("aaaa2222")));
  EXPECT_EQ(pale({"approve", "--yes"}).exit_code, 0);
  EXPECT_EQ(last_line(asker->finish().out), "approved by pale approve");
  for (const int line : silent) close(line);
}

TEST_P(Approvals, AnAskerThatIsStoppedHoldsUpNoOther) {
  const auto stopped = ask("aaaa2222");
  const auto other = ask("bbbb2222");
  stopped->send_signal(SIGSTOP);
  EXPECT_EQ(pale({"deny", "bbbb2222"}).exit_code, 0);
  EXPECT_EQ(last_line(other->finish().out), "denied by pale deny");
  stopped->send_signal(SIGCONT);
  EXPECT_EQ(pale({"deny", "aaaa2222"}).exit_code, 0);
}

TEST_P(Approvals, AnotherUserCannotAnswerButRootCan) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root, to be two users";
  const auto asker = ask("aaaa2222");
  Process other = process_of({"approve", "aaaa2222", "--yes"});
  other.account = GetParam() == Account::Root ? Account::Ordinary : Account::Root;
  if (GetParam() == Account::Root) {
    EXPECT_NE(run(other).exit_code, 0);
    // Even where he may connect and read the key.
    fs::permissions(project_.pale_home(), fs::perms(0755));
    fs::permissions(in_pale_home("approvals"), fs::perms(0755));
    fs::permissions(in_pale_home("approvals/key"), fs::perms(0644));
    fs::permissions(socket_of("aaaa2222"), fs::perms(0666));
    const Finished refused = run(other);
    EXPECT_EQ(refused.exit_code, 3);
    EXPECT_THAT(refused.err, HasSubstr("only the user who asks"));
    EXPECT_EQ(pale({"deny", "aaaa2222"}).exit_code, 0);
    EXPECT_EQ(last_line(asker->finish().out), "denied by pale deny");
  } else {
    EXPECT_EQ(run(other).exit_code, 0);
    EXPECT_EQ(last_line(asker->finish().out), "approved by pale approve");
  }
}

// What an agent would say if it found the socket: it prints what it gets to see.
constexpr std::string_view kAgent = R"(
import socket, sys
place, ident, *outside = sys.argv[1:]
try: key = 'guessed' if outside else open(place + '/key').read()
except OSError as error: key = 'guessed'; print(error.strerror)
try:
    line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    line.connect(place + '/' + ident)
    line.send(('{"key":"%s","verdict":"approved","digest":"digest-of-%s"}' % (key, ident)).encode())
    print(line.recv(200000).decode())
except OSError as error: print(error.strerror)
)";

TEST_P(Approvals, AnAgentCannotAnswerItsOwnQuestion) {
  const auto asker = ask("aaaa2222");
  const Words agent = {"/usr/bin/python3", "-c", std::string(kAgent), in_pale_home("approvals").string(), "aaaa2222"};
  const Finished inside = pale(Words{"run", "--project-root", root(), "--"} + agent);
  EXPECT_EQ(inside.out, "No such file or directory\nNo such file or directory\n") << inside.err;
  const Finished landlock =
      pale(Words{"run", "--project-root", root(), "--backend", "landlock", "--ro", ".", "--"} + agent);
  EXPECT_EQ(landlock.out, "Permission denied\nPermission denied\n") << landlock.err;
  // Whoever could connect all the same would lack the key.
  Process keyless = process_of({});
  keyless.arguments = agent + Words{"outside"};
  EXPECT_THAT(run(keyless).out, HasSubstr("{\"refused\":\"the key"));
  EXPECT_EQ(answer({"approvals"}).at("questions").size(), 1U);
  EXPECT_EQ(pale({"deny"}).exit_code, 0);
}

TEST_P(Approvals, EscapeSequencesAreShownAndNeverSent) {
  const std::string details = "safe\rrm -rf ~\n\x1b[2J\x1b[1;1Hnothing\n";
  Session asked(asker("aaaa2222", kFar, "queue", details), Line::Pipes);
  asked.expect("waiting\n");
  Session person(process_of({"approve"}), Line::Terminal);
  person.expect("  | safe\\x0drm -rf ~\r\n  | \\x1b[2J\\x1b[1;1Hnothing\r\n");
  person.expect("Allow? [y/N] ");
  person.type("y\n");
  const Finished approved = person.finish();
  EXPECT_EQ(approved.exit_code, 0);
  EXPECT_THAT(approved.out, Not(HasSubstr("\x1b")));
  EXPECT_EQ(last_line(asked.finish().out), "approved by pale approve");
  EXPECT_EQ(log()[0].at("question").at("details"), details);
}

TEST_P(Approvals, WhoDoesNotSayYesLeavesItWaiting) {
  const auto asker = ask("aaaa2222");
  Session person(process_of({"approve", "aaaa2222"}), Line::Terminal);
  person.expect("Allow? [y/N] ");
  person.type("\n");
  EXPECT_EQ(person.finish().exit_code, 3);
  EXPECT_EQ(answer({"approvals"}).at("questions").size(), 1U);
}

TEST_P(Approvals, TheAskersOwnTerminalAsksAtTheSameTime) {
  for (const auto& [typed, decided] : {std::pair{"y\n", "approved by terminal"}, std::pair{"\n", "denied by terminal"},
                                       std::pair{"yes please\n", "denied by terminal"}}) {
    Session session(asker("aaaa2222", kFar, "terminal", "\x1b[31mred\n"), Line::Terminal);
    session.expect("  | \\x1b[31mred\r\n");
    session.expect("Allow? [y/N] ");
    session.type(typed);
    EXPECT_EQ(last_line(session.finish().out), decided);
    EXPECT_FALSE(fs::exists(socket_of("aaaa2222")));
  }
  EXPECT_EQ(log().size(), 3U);
}

TEST_P(Approvals, WhatIsAnsweredInTheQueueNeedsNoAnswerOnTheTerminal) {
  Session session(asker("aaaa2222", kFar, "terminal"), Line::Terminal);
  session.expect("Allow? [y/N] ");
  EXPECT_EQ(pale({"deny", "aaaa2222"}).exit_code, 0);
  session.expect("denied by pale deny");
  EXPECT_EQ(session.finish().exit_code, 0);
}

TEST_P(Approvals, WhatWasTypedBeforeTheQuestionIsNoAnswerToIt) {
  const fs::path begin = home().path() / "begin";
  Process process = asker("aaaa2222", kFar, "terminal");
  process.arguments =
      Words{"/bin/sh", "-c", "echo ready; until [ -e \"$0\" ]; do sleep 0.01; done; exec \"$@\"", begin.string()} +
      process.arguments;
  Session session(process, Line::Terminal);
  session.expect("ready");
  session.type("y\n");
  session.expect("y\r\n");
  home().write("begin", "");
  session.expect("Allow? [y/N] ");
  session.type("n\n");
  EXPECT_EQ(last_line(session.finish().out), "denied by terminal");
}

INSTANTIATE_TEST_SUITE_P(, Approvals, testing::ValuesIn(accounts()), testing::PrintToStringParamName());

}  // namespace
}  // namespace pale::test
