#include "session/inquiry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace pale::session {
namespace {

TEST(AnInquiry, ComesBackAsItWas) {
  const Inquiry look{"key", {}};
  EXPECT_EQ(parse_inquiry(to_text(look)), look);
  for (const Verdict verdict : {Verdict::Approved, Verdict::Denied}) {
    const Inquiry answer{"key", Answer{verdict, "digest\xff"}};
    EXPECT_EQ(parse_inquiry(to_text(answer)), answer);
  }
}

TEST(AnInquiry, ThatIsNoneIsAnError) {
  for (const char* text :
       {"", "{}", "[]", "7", R"({"key":7})", R"({"key":"k","verdict":"approved"})", R"({"key":"k","digest":"d"})",
        R"({"key":"k","verdict":"timed_out","digest":"d"})", R"({"key":"k","verdict":"yes","digest":"d"})",
        R"({"key":"k","verdict":"denied","digest":7})", R"({"key":"k","verdict":"denied","digest":"d","more":1})"}) {
    EXPECT_FALSE(parse_inquiry(text)) << text;
  }
}

TEST(AReply, ComesBackAsItWas) {
  Reply question{.kind = Reply::Kind::Question};
  question.question = {"abcd2345", "/work", "pale mcp", "write a", "+\xff", "d", 1, 2};
  EXPECT_EQ(parse_reply(to_text(question)), question);
  for (const auto kind : {Reply::Kind::Taken, Reply::Kind::TooLate}) {
    Reply decided{.kind = kind};
    decided.decision = {Verdict::TimedOut, "time-out", 3};
    EXPECT_EQ(parse_reply(to_text(decided)), decided);
  }
  Reply refused;
  refused.reason = "another digest";
  EXPECT_EQ(parse_reply(to_text(refused)), refused);
}

TEST(AReply, ThatIsNoneIsAnError) {
  for (const char* text : {"", "{}", "[]", R"({"question":{}})", R"({"taken":{}})", R"({"refused":1})",
                           R"({"refused":"a","taken":{}})", R"({"eaten":"a"})"}) {
    EXPECT_FALSE(parse_reply(text)) << text;
  }
}

RC_GTEST_PROP(AMessage, OfAnyBytesIsAnErrorOrAMessage, ()) {
  const auto text = *rc::gen::container<std::string>(rc::gen::arbitrary<char>());
  (void)parse_inquiry(text);
  (void)parse_reply(text);
}

}  // namespace
}  // namespace pale::session
