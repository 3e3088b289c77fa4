#include "search/request.h"

#include <gtest/gtest.h>

namespace pale::search {
namespace {

Request some_request() {
  Request request;
  request.root = "/r";
  request.prefix = "/r/";
  request.pattern = "a.*b\"\xff";
  request.syntax = Syntax::Literal;
  request.letters = Letters::AnyCase;
  request.paths = {"x", "y/z"};
  request.glob = "*.c";
  request.walk = {Ignored::Show, Hidden::Skip};
  request.report = Report::Counts;
  request.context = 3;
  request.most_lines = 7;
  request.most_bytes = 8;
  request.time_limit = 9;
  return request;
}

TEST(SearchRequest, IsReadAsItWasWritten) {
  EXPECT_EQ(*parse_request(to_text(some_request())), some_request());
  const Request usual = {.root = "/", .pattern = "x"};
  EXPECT_EQ(*parse_request(to_text(usual)), usual);
  EXPECT_EQ(*parse_request(R"({"root": "/", "pattern": "x"})"), usual);
}

TEST(SearchRequest, WhatIsWrongIsRefused) {
  for (const char* wrong :
       {"", "[]", "{}", R"({"root": "/"})", R"({"root": "r", "pattern": "x"})", R"({"root": "/", "pattern": ""})",
        R"({"root": "/", "pattern": 1})", R"({"root": "/", "pattern": "x", "kontext": 1})",
        R"({"root": "/", "pattern": "x", "context": -1})", R"({"root": "/", "pattern": "x", "context": 1001})",
        R"({"root": "/", "pattern": "x", "paths": "y"})", R"({"root": "/", "pattern": "x", "paths": [1]})",
        R"({"root": "/", "pattern": "x", "most_lines": 100001})"})
    EXPECT_FALSE(parse_request(wrong)) << wrong;
}

TEST(SearchAnswer, IsReadAsItWasWritten) {
  Answer answer;
  answer.files = {{"a/b", 2, {{1, true, "x\xfe"}, {2, false, ""}}}, {"c", 1, {}}};
  answer.matching_lines = 3;
  answer.matching_files = 2;
  answer.searched_files = 5;
  answer.unread = 1;
  answer.hard = 4;
  answer.more = answer.out_of_time = true;
  EXPECT_EQ(*parse_answer(to_text(Result<Answer>(answer))), answer);
  EXPECT_EQ(*parse_answer(to_text(Result<Answer>(Answer{}))), Answer{});
}

TEST(SearchAnswer, AnErrorArrivesAsOne) {
  const Error error = {ErrorKind::NotFound, 2, "open", "/x", "look elsewhere"};
  const auto answer = parse_answer(to_text(Result<Answer>(fail(error))));
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error(), error);
  for (const char* wrong : {"", "1", R"({"files": [{"paths": 1}]})", R"({"files": 1})"})
    EXPECT_FALSE(parse_answer(wrong)) << wrong;
}

}  // namespace
}  // namespace pale::search
