// A question that a client puts to its user, in both eras of the protocol.
#include "support/leaves.h"

namespace pale::tools {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST_F(Leaves, AClientOfTheOlderEraAsksItsUser) {
  open({{"elicitation", Json::object()}});
  for (const char* action : {"accept", "decline", "cancel"}) {
    (void)call(1, "write_file", {{"path", "data/a"}, {"content", "new\n"}});
    const Json question = asked();
    const auto requests = waits(question["number"]);
    ASSERT_EQ(requests.size(), 1U);
    EXPECT_EQ(requests[0]["method"], "elicitation/create");
    EXPECT_THAT(requests[0]["params"]["message"], HasSubstr("the page"));
    EXPECT_TRUE(say({{"id", requests[0]["id"]}, {"result", {{"action", action}}}}).empty());
    const Json answer = asked();
    EXPECT_EQ(answer["kind"], "answer");
    EXPECT_EQ(answer["number"], question["number"]);
    EXPECT_EQ(answer.value("approved", false), std::string(action) == "accept");
    // Once is enough.
    EXPECT_TRUE(say({{"id", requests[0]["id"]}, {"result", {{"action", "accept"}}}}).empty());
    EXPECT_TRUE(asked().is_null());
    (void)decided(question["number"], false, "denied by client");
  }
}

TEST_F(Leaves, AnAnswerFromElsewhereTakesTheQuestionBackFromTheClient) {
  open({{"elicitation", {{"form", Json::object()}}}});
  (void)call(1, "write_file", {{"path", "data/a"}, {"content", "new\n"}});
  const Json question = asked();
  const Json request = waits(question["number"])[0];
  const auto after = decided(question["number"], true);
  ASSERT_EQ(after.size(), 2U);
  EXPECT_EQ(after[0]["method"], "notifications/cancelled");
  EXPECT_EQ(after[0]["params"]["requestId"], request["id"]);
  EXPECT_EQ(after[1]["id"], 1);
  EXPECT_EQ(read("data/a"), "new\n");
}

TEST_F(Leaves, AClientThatOnlyOpensPagesIsNotAsked) {
  open({{"elicitation", {{"url", Json::object()}}}});
  (void)call(1, "write_file", {{"path", "data/a"}, {"content", "new\n"}});
  EXPECT_TRUE(waits(asked()["number"]).empty());
}

TEST_F(Leaves, AClientOfTheNewerEraIsToldToCallAgain) {
  const Json arguments = {{"path", "data/a"}, {"content", "new\n"}};
  EXPECT_TRUE(call(1, "write_file", arguments, newer()).empty());
  const Json question = asked();
  const auto required = waits(question["number"]);
  ASSERT_EQ(required.size(), 1U);
  EXPECT_EQ(required[0]["id"], 1);
  const Json result = required[0]["result"];
  EXPECT_EQ(result["resultType"], "input_required");
  EXPECT_EQ(result["inputRequests"]["aaaa2222"]["method"], "elicitation/create");
  Json again = newer();
  again["requestState"] = result["requestState"];
  again["inputResponses"] = {{"aaaa2222", {{"action", "accept"}}}};
  // Leave was asked for those arguments, and for no others.
  EXPECT_EQ(call(2, "write_file", {{"path", "data/a"}, {"content", "evil"}}, again)[0]["error"]["code"],
            kInvalidParams);
  EXPECT_EQ(call(2, "edit_file", {{"path", "data/a"}, {"edits", {{{"oldText", "o"}, {"newText", "e"}}}}},
                 again)[0]["error"]["code"],
            kInvalidParams);
  EXPECT_TRUE(call(3, "write_file", arguments, again).empty());
  EXPECT_EQ(asked()["approved"], true);
  EXPECT_EQ(decided(question["number"], true)[0]["id"], 3);
  EXPECT_EQ(read("data/a"), "new\n");
  // And once.
  EXPECT_EQ(call(4, "write_file", arguments, again)[0]["error"]["code"], kInvalidParams);
}

TEST_F(Leaves, WhatWasDecidedMeanwhileCountsWhenTheClientComesBack) {
  const Json arguments = {{"path", "data/a"}, {"content", "new\n"}};
  (void)call(1, "write_file", arguments, newer());
  const Json question = asked();
  Json again = newer();
  again["requestState"] = waits(question["number"])[0]["result"]["requestState"];
  again["inputResponses"] = {{"aaaa2222", {{"action", "accept"}}}};
  EXPECT_TRUE(decided(question["number"], false, "denied by pale deny").empty());
  EXPECT_THAT(call(2, "write_file", arguments, again)[0]["result"]["content"][0]["text"],
              HasSubstr("denied by pale deny"));
  EXPECT_EQ(read("data/a"), "one\n");
}

TEST_F(Leaves, WhoCancelsIsNotWaitedFor) {
  open({{"elicitation", Json::object()}});
  (void)call(1, "write_file", {{"path", "data/a"}, {"content", "new\n"}});
  const Json question = asked();
  (void)waits(question["number"]);
  const auto after = say({{"method", "notifications/cancelled"}, {"params", {{"requestId", 1}}}});
  EXPECT_EQ(after[0]["method"], "notifications/cancelled");
  EXPECT_EQ(asked()["kind"], "withdraw");
  EXPECT_TRUE(decided(question["number"], true).empty());
  EXPECT_EQ(read("data/a"), "one\n");
}

}  // namespace
}  // namespace pale::tools
