#include "worker/call.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

namespace pale::worker {
namespace {

using testing::HasSubstr;

std::string refusal(std::string_view line) {
  const auto request = parse_call(line);
  EXPECT_FALSE(request.has_value()) << line;
  return request ? "" : request.error().sentence();
}

TEST(WorkerCallLine, IsAWorkerAndAnyInput) {
  EXPECT_EQ(parse_call(R"({"worker": "sum", "input": {"a": [1, 2.50, null]}})"),
            (CallRequest{"sum", R"({"a":[1,2.50,null]})", ""}));
  EXPECT_EQ(parse_call(R"({"worker": "sum"})"), (CallRequest{"sum", "null", ""}));
  EXPECT_EQ(parse_call(R"({"instructions": "shortly", "worker": "sum", "input": "x"})"),
            (CallRequest{"sum", R"("x")", "shortly"}));
}

TEST(WorkerCallLine, SaysNotWhoAsks) {
  for (const std::string key : {"caller", "depth", "zones", "sandbox", "from"})
    EXPECT_THAT(refusal(R"({"worker": "sum", ")" + key + R"(": "index"})"), HasSubstr("unknown key \"" + key + "\""));
}

TEST(WorkerCallLine, IsRefusedIfItIsNone) {
  EXPECT_THAT(refusal(""), HasSubstr("calls no worker"));
  EXPECT_THAT(refusal("[]"), HasSubstr("must be an object"));
  EXPECT_THAT(refusal(R"({"input": 1})"), HasSubstr("worker is missing"));
  EXPECT_THAT(refusal(R"({"worker": 7})"), HasSubstr("worker must be a text"));
  EXPECT_THAT(refusal(R"({"worker": "a", "worker": "b"})"), HasSubstr("calls no worker"));
  EXPECT_THAT(refusal(R"({"worker": "a", "input": )" + std::string(100, '[') + std::string(100, ']') + "}"),
              HasSubstr("calls no worker"));
}

TEST(WorkerCallLine, AnAnswerTellsARefusalByItsCode) {
  const CallAnswer answer{"", 3, Refusal{Code::ZoneAccessDenied, "data", "Child requests zone 'data'", "ask"}};
  EXPECT_EQ(to_line(answer), R"({"ok":false,"answer":"","exit_code":3,"error":{"code":"ZONE_ACCESS_DENIED",)"
                             R"("about":"data","message":"Child requests zone 'data'","hint":"ask"}})"
                             "\n");
  EXPECT_EQ(to_line(CallAnswer{"42\n", 0, std::nullopt}), "{\"ok\":true,\"answer\":\"42\\n\",\"exit_code\":0}\n");
}

RC_GTEST_PROP(WorkerCallLine, WhatIsSaidIsHeard, (const std::string& worker, const std::string& instructions)) {
  RC_PRE(!worker.empty());
  const CallRequest request{worker, R"({"x":1})", instructions};
  const std::string line = to_line(request);
  RC_ASSERT(line.find('\n') == line.size() - 1);
  RC_ASSERT((parse_call(line) == Result<CallRequest>(request)));
}

RC_GTEST_PROP(WorkerCallLine, WhatIsAnsweredIsHeard, (const std::string& text, const std::string& sentence)) {
  const auto code = static_cast<Code>(*rc::gen::inRange(0, static_cast<int>(Code::InvalidRequest) + 1));
  for (const CallAnswer& answer : {CallAnswer{text, 7, Refusal{code, text, sentence, text}}, CallAnswer{text, 0, {}}}) {
    const std::string line = to_line(answer);
    RC_ASSERT(line.find('\n') == line.size() - 1);
    RC_ASSERT((parse_answer(line) == Result<CallAnswer>(answer)));
  }
}

}  // namespace
}  // namespace pale::worker
