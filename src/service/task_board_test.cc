#include "service/task_board.h"

#include <gmock/gmock.h>

#include "service/task_request.h"

namespace pale::service {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(TaskBoard, NotesAreTakenOnceInTheirOrder) {
  TaskBoard& board = **TaskBoard::make();
  const WatchNote refused{WatchNote::Kind::Refused, "write", "/w/a b", "protected (default)"};
  const WatchNote outside{WatchNote::Kind::Outside, "create", "/w/c", ""};
  EXPECT_THAT(board.take(), IsEmpty());
  board.add(refused);
  board.add(outside);
  EXPECT_THAT(board.take(), ElementsAre(refused, outside));
  EXPECT_THAT(board.take(), IsEmpty());
  board.add(refused);
  EXPECT_THAT(board.take(), ElementsAre(refused));
}

TEST(TaskBoard, ConnectionsComeBesideThem) {
  TaskBoard& board = **TaskBoard::make();
  const network::Visit blocked{
      .verdict = network::Verdict::Blocked, .host = "a.test", .port = 443, .reason = "not on the list"};
  const network::Visit allowed{.host = "b.test", .port = 80, .way = "http", .sent = 7, .received = 9};
  board.add(blocked);
  board.add(WatchNote{WatchNote::Kind::Refused, "write", "/w", ""});
  board.add(allowed);
  EXPECT_THAT(board.take_visits(), ElementsAre(blocked, allowed));
  EXPECT_EQ(board.take().size(), 1U);
  EXPECT_THAT(board.take_visits(), IsEmpty());
}

TEST(TaskBoard, WhatDoesNotFitIsLeftOut) {
  TaskBoard& board = **TaskBoard::make();
  const WatchNote large{WatchNote::Kind::Refused, "write", std::string(600'000, 'x'), ""};
  const WatchNote small{WatchNote::Kind::Refused, "write", "/w", ""};
  board.add(large);
  board.add(large);
  board.add(small);
  EXPECT_THAT(board.take(), ElementsAre(large, small));
}

TEST(TaskBoard, TheEndIsThereWhenItWasSaid) {
  TaskBoard& board = **TaskBoard::make();
  EXPECT_FALSE(board.end());
  board.put_end({7, "timed_out", "why\n"});
  ASSERT_TRUE(board.end());
  EXPECT_EQ(board.end()->exit_code, 7);
  EXPECT_EQ(board.end()->ending, "timed_out");
  EXPECT_EQ(board.end()->text, "why\n");
}

TEST(TaskRequest, ComesBackAsItWas) {
  const TaskRequest request{"shop", "do \"it\"\n", "claude", {"a", ""}, true, {"src"}, "strict", "title"};
  const auto read = parse_task_request(to_json(request));
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, request);
  EXPECT_FALSE(parse_task_request("{}"));
  EXPECT_FALSE(parse_task_request("nonsense"));
}

}  // namespace
}  // namespace pale::service
