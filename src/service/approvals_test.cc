#include "service/approvals.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <future>

#include "support/directory.h"
#include "sys/file.h"
#include "sys/message.h"

namespace pale::service {
namespace {

namespace fs = std::filesystem;
using session::Decision;
using session::Question;
using session::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kFar = 60'000;  // milliseconds that no test waits

class Approvals : public test::InADirectory {
 protected:
  static Question question(const std::string& id, std::int64_t lasts_ms = kFar) {
    const std::int64_t now = now_ms();
    return {id, "/work", "worker index", "write /data/a", "+one\n", "digest of " + id, now, now + lasts_ms};
  }
  Asking begin(const Question& question) const { return *Asking::begin(base(), question, Asking::Terminal::No); }
  std::future<Result<Decision>> answer(const Question& question, Verdict verdict) const {
    return std::async(std::launch::async,
                      [=, this] { return answer_question(base(), question.id, verdict, question.digest); });
  }
  bool waits(const std::string& id) const { return fs::exists(base_ / "approvals" / id); }
  unsigned mode_of(const std::string& name) const {
    struct stat info = {};
    EXPECT_EQ(lstat((base_ / name).c_str(), &info), 0);
    return info.st_mode & 07777U;
  }
  sys::Fd connect(const std::string& id) const {
    return *sys::connect_to(*sys::open_at(sys::kAbsolute, at("approvals").c_str(), O_RDONLY), id.c_str());
  }
  // What the asker says to a message of ours.
  session::Reply reply_to(Asking& asking, const std::string& text) const {
    const sys::Fd line = connect(asking.question().id);
    EXPECT_TRUE(sys::send_message(line, text, {}, sys::Waiting::Yes));
    EXPECT_TRUE(asking.look(now_ms()));
    const auto received = sys::receive_message(line, sys::Waiting::No);
    EXPECT_TRUE(received && received->message);
    return *session::parse_reply(received->message->text);
  }
};

TEST_F(Approvals, AQuestionThatIsApprovedIsDecidedAndItsSocketGone) {
  const Question asked = question("aaaa2222");
  {
    Asking asking = begin(asked);
    EXPECT_TRUE(waits("aaaa2222"));
    auto answered = answer(asked, Verdict::Approved);
    const auto decision = asking.wait();
    ASSERT_TRUE(decision);
    EXPECT_EQ(decision->verdict, Verdict::Approved);
    EXPECT_EQ(decision->by, "pale approve");
    EXPECT_EQ(answered.get(), *decision);
  }
  EXPECT_FALSE(waits("aaaa2222"));
}

TEST_F(Approvals, ItsFilesAreOfThisUserAlone) {
  const Asking asking = begin(question("aaaa2222"));
  EXPECT_EQ(mode_of("approvals"), 0700U);
  EXPECT_EQ(mode_of("approvals/aaaa2222"), 0600U);
  EXPECT_EQ(mode_of("approvals/key"), 0600U);
  EXPECT_EQ(read("approvals/key").size(), 32U);
}

TEST_F(Approvals, AllThatWaitAreListedTheOldestFirst) {
  EXPECT_THAT(*waiting_questions(base()), IsEmpty());
  Question first = question("zzzz2222"), second = question("bbbb2222");
  second.asked_ms += 5;
  Asking one = begin(first), two = begin(second);
  auto listed = std::async(std::launch::async, [this] { return waiting_questions(base()); });
  while (listed.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
    std::vector<sys::Ready> waits;
    one.add_waits(waits);
    two.add_waits(waits);
    ASSERT_TRUE(sys::wait_ready(waits, 10));
    EXPECT_EQ(one.look(now_ms()), std::nullopt);
    EXPECT_EQ(two.look(now_ms()), std::nullopt);
  }
  EXPECT_THAT(*listed.get(), ElementsAre(first, second));
}

TEST_F(Approvals, OnlyAnAnswerWithTheDigestOfTheQuestionCounts) {
  Asking asking = begin(question("aaaa2222"));
  const std::string key = read("approvals/key");
  const auto reply = reply_to(asking, to_text(session::Inquiry{key, session::Answer{Verdict::Approved, "other"}}));
  EXPECT_EQ(reply.kind, session::Reply::Kind::Refused);
  EXPECT_THAT(reply.reason, HasSubstr("digest"));
  EXPECT_EQ(asking.look(now_ms()), std::nullopt);
}

TEST_F(Approvals, WhoDoesNotKnowTheKeyNeitherSeesNorAnswers) {
  Asking asking = begin(question("aaaa2222"));
  for (const auto& answer : {std::optional<session::Answer>(),
                             std::optional(session::Answer{Verdict::Approved, asking.question().digest})}) {
    const auto reply = reply_to(asking, to_text(session::Inquiry{"guessed", answer}));
    EXPECT_EQ(reply.kind, session::Reply::Kind::Refused);
    EXPECT_THAT(reply.reason, HasSubstr("key"));
  }
  EXPECT_EQ(reply_to(asking, "what?").kind, session::Reply::Kind::Refused);
  EXPECT_EQ(asking.look(now_ms()), std::nullopt);
}

TEST_F(Approvals, TheFirstAnswerCountsAndTheOtherIsToldOfIt) {
  Asking asking = begin(question("aaaa2222"));
  const std::string key = read("approvals/key");
  const sys::Fd first = connect("aaaa2222"), second = connect("aaaa2222");
  const std::string digest = asking.question().digest;
  ASSERT_TRUE(sys::send_message(first, to_text(session::Inquiry{key, session::Answer{Verdict::Denied, digest}}), {},
                                sys::Waiting::Yes));
  ASSERT_TRUE(sys::send_message(second, to_text(session::Inquiry{key, session::Answer{Verdict::Approved, digest}}), {},
                                sys::Waiting::Yes));
  const auto decision = asking.wait();
  EXPECT_EQ(decision->verdict, Verdict::Denied);
  EXPECT_EQ(decision->by, "pale deny");
  const auto told = session::parse_reply(sys::receive_message(second, sys::Waiting::No)->message->text);
  EXPECT_EQ(told->kind, session::Reply::Kind::TooLate);
  EXPECT_EQ(told->decision, *decision);
}

TEST_F(Approvals, WhoComesAtTheLastMomentIsToldWhatWasDecidedElsewhere) {
  std::optional<Asking> asking(begin(question("aaaa2222")));
  const sys::Fd late = connect("aaaa2222");
  ASSERT_TRUE(sys::send_message(late, to_text(session::Inquiry{read("approvals/key"), {}}), {}, sys::Waiting::Yes));
  const Decision said{Verdict::Approved, "client", 7};
  EXPECT_EQ(asking->decide(said), said);
  EXPECT_EQ(asking->decide({Verdict::Denied, "terminal", 8}), said);
  asking.reset();
  const auto told = session::parse_reply(sys::receive_message(late, sys::Waiting::No)->message->text);
  EXPECT_EQ(told->kind, session::Reply::Kind::TooLate);
  EXPECT_EQ(told->decision, said);
}

TEST_F(Approvals, TimeThatIsOverDecides) {
  Asking asking = begin(question("aaaa2222", 1));
  const auto decision = asking.wait();
  ASSERT_TRUE(decision);
  EXPECT_EQ(decision->verdict, Verdict::TimedOut);
  EXPECT_EQ(decision->by, "time-out");
  EXPECT_GE(decision->at_ms, asking.question().expires_ms);
  const auto reply = reply_to(asking, to_text(session::Inquiry{read("approvals/key"), {}}));
  EXPECT_EQ(reply.kind, session::Reply::Kind::TooLate);
}

TEST_F(Approvals, ManySilentClientsHoldUpNobody) {
  Asking asking = begin(question("aaaa2222"));
  std::vector<sys::Fd> silent;
  for (int count = 0; count < 40; ++count) {
    silent.push_back(connect("aaaa2222"));
    EXPECT_EQ(asking.look(now_ms()), std::nullopt);
  }
  std::vector<sys::Ready> waits;
  asking.add_waits(waits);
  EXPECT_EQ(waits.size(), 17U);
  auto answered = answer(asking.question(), Verdict::Approved);
  EXPECT_EQ(asking.wait()->verdict, Verdict::Approved);
  EXPECT_TRUE(answered.get());
}

TEST_F(Approvals, WhatAKilledAskerLeftIsRemovedAndNotListed) {
  const pid_t asker = fork();
  if (asker == 0) {
    const Asking asking = begin(question("aaaa2222"));
    (void)raise(SIGKILL);
  }
  ASSERT_EQ(waitpid(asker, nullptr, 0), asker);
  write("approvals/notebook", "kept: it is no socket");
  ASSERT_TRUE(waits("aaaa2222"));
  const auto answered = answer_question(base(), "cccc2222", Verdict::Denied, "");
  EXPECT_EQ(answered.error().kind, ErrorKind::NotFound);
  EXPECT_THAT(*waiting_questions(base()), IsEmpty());
  EXPECT_FALSE(waits("aaaa2222"));
  EXPECT_TRUE(waits("notebook"));
}

TEST_F(Approvals, AnIdThatIsNoneIsNeverAPath) {
  const Asking asking = begin(question("aaaa2222"));
  for (const char* id : {"", "..", "../aaaa2", "key", "AAAA2222", "aaaa2222x", "a/b/c/d/"}) {
    const auto answered = answer_question(base(), id, Verdict::Approved, "digest of aaaa2222");
    ASSERT_FALSE(answered) << id;
    EXPECT_EQ(answered.error().hint, "pale approvals");
  }
  EXPECT_FALSE(Asking::begin(base(), question("../../aa"), Asking::Terminal::No));
}

TEST_F(Approvals, OneObjectTakesThePlaceOfAnother) {
  Waiting waiting = *Waiting::open(base(), question("aaaa2222"));
  waiting = *Waiting::open(base(), question("bbbb2222"));
  EXPECT_FALSE(waits("aaaa2222"));
  EXPECT_TRUE(waits("bbbb2222"));
  EXPECT_EQ(waiting.question().id, "bbbb2222");
}

TEST_F(Approvals, IdsAreShortAndDiffer) {
  const auto one = make_question_id(), two = make_question_id();
  EXPECT_TRUE(session::is_question_id(*one)) << *one;
  EXPECT_NE(*one, *two);
}

TEST_F(Approvals, WhatWasDecidedIsRecordedWithAllThatWasSeen) {
  EXPECT_THAT(newest_decisions(base(), 5)->decisions, IsEmpty());
  std::vector<session::Decided> all;
  for (int number = 0; number < 30; ++number) {
    Question asked = question("aaaa2222");
    asked.details = std::string(10'000, 'x') + std::to_string(number) + "\x1b\xff";
    all.push_back({asked, {Verdict::Approved, "terminal", number}});
    ASSERT_TRUE(record_decision(base(), asked, all.back().decision));
  }
  EXPECT_EQ(mode_of("approvals/log.jsonl"), 0600U);
  EXPECT_EQ(newest_decisions(base(), 100)->decisions, all);
  EXPECT_EQ(newest_decisions(base(), 30)->decisions, all);
  EXPECT_THAT(newest_decisions(base(), 2)->decisions, ElementsAre(all[28], all[29]));
  EXPECT_THAT(newest_decisions(base(), 0)->decisions, IsEmpty());
}

TEST_F(Approvals, ALineOfTheRecordThatIsNoneIsCountedAndTheRestIsRead) {
  const Question asked = question("aaaa2222");
  const Decision decision{Verdict::Denied, "pale deny", 1};
  ASSERT_TRUE(record_decision(base(), asked, decision));
  const std::string line = read("approvals/log.jsonl");
  write("approvals/log.jsonl", line + "{\"question\":{\n" + line + line.substr(0, 20));
  const auto read = newest_decisions(base(), 10);
  EXPECT_EQ(read->decisions.size(), 2U);
  EXPECT_EQ(read->unreadable, 1U);
}

}  // namespace
}  // namespace pale::service
