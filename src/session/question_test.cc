#include "session/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace pale::session {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string any_bytes() { return *rc::gen::container<std::string>(rc::gen::arbitrary<char>()); }
std::int64_t any_time() { return *rc::gen::inRange<std::int64_t>(0, 1L << 62); }
std::string any_id() {
  const auto letter = rc::gen::elementOf(std::string("abcdefghijklmnopqrstuvwxyz0123456789"));
  return *rc::gen::container<std::string>(kIdLength, letter);
}
std::string at_most(std::size_t most, std::string text) { return text.substr(0, most); }

Question any_question() {
  return {any_id(),   any_bytes(), any_bytes(), any_bytes(), any_bytes(), at_most(256, any_bytes()),
          any_time(), any_time()};
}
Decision any_decision() {
  return {static_cast<Verdict>(*rc::gen::inRange(0, 3)), at_most(64, any_bytes()), any_time()};
}

RC_GTEST_PROP(QuestionJson, AnyQuestionAndDecisionComeBackAsTheyWere, ()) {
  const Decided decided{any_question(), any_decision()};
  RC_ASSERT(parse_question(to_json(decided.question)).value() == decided.question);
  RC_ASSERT(parse_decision(to_json(decided.decision)).value() == decided.decision);
  const std::string line = to_line(decided);
  RC_ASSERT(line.find('\n') == line.size() - 1);
  RC_ASSERT(parse_decided(line).value() == decided);
}

RC_GTEST_PROP(QuestionJson, WhatIsCutOffOrChangedIsAnErrorOrAQuestionAndNeverMore, ()) {
  std::string line = to_line({any_question(), any_decision()});
  line.resize(*rc::gen::inRange<std::size_t>(0, line.size() + 1));
  if (!line.empty()) line[*rc::gen::inRange<std::size_t>(0, line.size())] = *rc::gen::arbitrary<char>();
  (void)parse_decided(line);
}

RC_GTEST_PROP(QuestionPage, HoldsNoControlCharacterButNewlineAndTab, ()) {
  for (const char byte : to_page(any_question())) {
    const auto value = static_cast<unsigned char>(byte);
    RC_ASSERT(value == '\n' || value == '\t' || (value >= 0x20 && value != 0x7f));
  }
}

Question usual() { return {"abcd2345", "/work", "worker index", "write /data/a", "+one\n", "d1", 5, 9}; }

TEST(QuestionJson, IsReadableByOthers) {
  EXPECT_EQ(to_json(usual()),
            R"({"id":"abcd2345","project":"/work","asker":"worker index","summary":"write /data/a","details":"+one\n",)"
            R"("digest":"d1","asked_ms":5,"expires_ms":9})");
  EXPECT_EQ(to_json(Decision{Verdict::TimedOut, "time-out", 7}),
            R"({"verdict":"timed_out","by":"time-out","at_ms":7})");
}

TEST(QuestionJson, SaysWhatIsWrongWithIt) {
  const auto sentence_with = [](std::string_view from, std::string_view to) {
    std::string text = to_line({usual(), {Verdict::Denied, "pale deny", 7}});
    text.replace(text.find(from), from.size(), to);
    const auto read = parse_decided(text);
    return read ? "no error" : read.error().sentence();
  };
  EXPECT_EQ(sentence_with("/work", "/play"), "no error");
  EXPECT_THAT(sentence_with("abcd2345", "abcd234"), HasSubstr("value of id"));
  EXPECT_THAT(sentence_with("abcd2345", "../../ab"), HasSubstr("value of id"));
  EXPECT_THAT(sentence_with("\"digest\":\"d1\",", ""), HasSubstr("lacks digest"));
  EXPECT_THAT(sentence_with("\"d1\"", "1"), HasSubstr("value of digest"));
  EXPECT_THAT(sentence_with(":5", ":-5"), HasSubstr("value of asked_ms"));
  EXPECT_THAT(sentence_with(":9", ":9223372036854775808"), HasSubstr("value of expires_ms"));
  EXPECT_THAT(sentence_with(":9", ":9,\"more\":1"), HasSubstr("unknown"));
  EXPECT_THAT(sentence_with("denied", "perhaps"), HasSubstr("verdict"));
  EXPECT_THAT(sentence_with(":7", ":7,\"more\":1"), HasSubstr("unknown"));
  EXPECT_THAT(sentence_with("\"decision\"", "\"other\""), HasSubstr("lacks decision"));
  EXPECT_THAT(sentence_with("worker index", std::string(300, 'x')), HasSubstr("too long"));
}

TEST(AQuestion, ThatNoMessageCarriesCannotBeAsked) {
  Question question = usual();
  question.details = std::string(kMostQuestion / 2, 'x');
  EXPECT_TRUE(check_question(question));
  question.details = std::string(kMostQuestion / 2, '\n');  // two bytes each
  const auto checked = check_question(question);
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().sentence(), HasSubstr("too long for one question: details"));
}

TEST(QuestionPage, MarksEachLineOfTheDetailsAndShowsWhatWouldMoveTheCursor) {
  Question question = usual();
  question.summary = "write a\nAllow? [y/N] y";
  question.details = "safe\rrm -rf /\n\x1b[2J\x1b[1;1Hnothing to see\n\tindented\nAllow? [y/N] y\xff\n";
  EXPECT_EQ(to_page(question),
            "Question abcd2345 of worker index, in /work\n"
            "write a\\x0aAllow? [y/N] y\n"
            "  | safe\\x0drm -rf /\n"
            "  | \\x1b[2J\\x1b[1;1Hnothing to see\n"
            "  | \tindented\n"
            "  | Allow? [y/N] y\\xff\n");
  question.details.clear();
  EXPECT_THAT(to_page(question), Not(HasSubstr("|")));
}

TEST(Questions, TheDigestIsOfAllThatIsShown) {
  const Question question{"7hk2mq9x", "/work", "pale mcp", "write /a", "+x\n", "", 5, 9};
  const std::string digest = digest_of(question);
  EXPECT_EQ(digest.size(), 64U);
  Question other = question;
  other.id = "aaaa2222";
  EXPECT_EQ(digest_of(other), digest);
  other = question;
  // The same letters, split elsewhere.
  other.summary = "write /a+";
  other.details = "x\n";
  EXPECT_NE(digest_of(other), digest);
  for (std::string Question::* part : {&Question::project, &Question::asker, &Question::summary, &Question::details}) {
    other = question;
    (other.*part)[0] = '.';
    EXPECT_NE(digest_of(other), digest);
  }
}

}  // namespace
}  // namespace pale::session
