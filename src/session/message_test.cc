#include "session/message.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "base/json_value.h"

namespace pale::session {
namespace {

std::string any_bytes() { return *rc::gen::arbitrary<std::string>(); }

TEST(SessionMessage, AskForACommand) {
  const Ask ask{
      .kind = Ask::Kind::Run, .command = {"sh", "-c", "true"}, .directory = "below", .time_limit = 5, .last = true};
  EXPECT_EQ(to_text(ask),
            R"({"ask":"run","command":["sh","-c","true"],"directory":"below","time_limit":5,"last":true})");
  EXPECT_EQ(parse_ask(to_text(ask)), ask);
}

RC_GTEST_PROP(SessionMessage, AnAskComesBackAsItWas, ()) {
  Ask ask;
  ask.kind = *rc::gen::element(Ask::Kind::Run, Ask::Kind::Input, Ask::Kind::Cancel, Ask::Kind::End, Ask::Kind::Status);
  ask.last = *rc::gen::arbitrary<bool>();
  ask.brief = *rc::gen::arbitrary<bool>();
  if (ask.kind == Ask::Kind::Run) {
    ask.command = *rc::gen::arbitrary<std::vector<std::string>>();
    ask.directory = any_bytes();
  }
  if (ask.kind == Ask::Kind::Input) ask.data = any_bytes();
  const auto parsed = parse_ask(to_text(ask));
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(*parsed == ask);
}

RC_GTEST_PROP(SessionMessage, ATellComesBackAsItWas, ()) {
  Tell tell;
  tell.kind =
      *rc::gen::element(Tell::Kind::Begun, Tell::Kind::Output, Tell::Kind::Exit, Tell::Kind::Done, Tell::Kind::Failed);
  tell.run = *rc::gen::inRange<std::uint64_t>(0, 1000);
  if (tell.kind == Tell::Kind::Output) {
    tell.stream = *rc::gen::element<std::string>("stdout", "stderr");
    tell.data = any_bytes();
  }
  if (tell.kind == Tell::Kind::Exit) {
    tell.exit_code = *rc::gen::inRange(0, 256);
    tell.ending = "exited";
    tell.milliseconds = *rc::gen::inRange<std::int64_t>(0, 100000);
    tell.denials = *rc::gen::inRange<std::uint64_t>(0, 10);
  }
  if (tell.kind == Tell::Kind::Done) tell.notes = *rc::gen::arbitrary<std::vector<std::string>>();
  if (tell.kind == Tell::Kind::Failed) tell.error = {ErrorKind::Refused, 13, any_bytes(), any_bytes(), any_bytes()};
  const auto parsed = parse_tell(to_text(tell));
  RC_ASSERT(parsed.has_value());
  RC_ASSERT(*parsed == tell);
}

TEST(SessionMessage, WhatIsNoneIsAnError) {
  for (const char* text :
       {"", "[]", "{}", R"({"ask":"fly"})", R"({"ask":7})", R"({"ask":"run","command":[1]})", "{\"ask\":\"run\""})
    EXPECT_FALSE(parse_ask(text)) << text;
  for (const char* text : {"", "null", R"({"tell":"lies"})"}) EXPECT_FALSE(parse_tell(text)) << text;
}

}  // namespace
}  // namespace pale::session
