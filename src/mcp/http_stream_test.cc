#include "mcp/http_stream.h"

#include <gtest/gtest.h>

namespace pale::mcp {
namespace {

TEST(Stream, IsOneTextIfNothingComesBeforeTheResponse) {
  Stream stream({});
  stream.finish("{}", Verdict::NoMethod);
  EXPECT_FALSE(stream.is_streaming());
  EXPECT_EQ(stream.whole(), "{}");
  EXPECT_EQ(stream.verdict(), Verdict::NoMethod);
}

TEST(Stream, BecomesEventsAsSoonAsThereIsMore) {
  Stream stream({});
  stream.send("1");
  stream.finish("2", Verdict::Answered);
  std::uint64_t cursor = 0;
  EXPECT_EQ(stream.take(cursor), "data: 1\n\ndata: 2\n\n");
  EXPECT_EQ(stream.take(cursor), "");
  EXPECT_TRUE(stream.is_over());
}

TEST(Stream, SaysOnlyTheResponseToWhoTakesNoEvents) {
  Stream stream({.may_stream = false});
  stream.send("1");
  stream.finish("2", Verdict::Answered);
  EXPECT_FALSE(stream.is_streaming());
  EXPECT_EQ(stream.whole(), "2");
}

TEST(Stream, IsResumedBehindTheLastEventThatWasSeen) {
  Stream stream({.number = 7, .resumable = true, .primed = true});
  stream.send("a");
  const auto first = stream.attach([] {});
  std::uint64_t cursor = 0;
  EXPECT_EQ(stream.take(cursor), "id: 7.0\nretry: 1000\ndata: \n\nid: 7.1\ndata: a\n\n");
  stream.detach(first);
  stream.send("b");
  stream.finish("c", Verdict::Answered);
  const auto event = parse_event_id("7.0");
  ASSERT_TRUE(event);
  cursor = event->event + 1;
  EXPECT_EQ(stream.take(cursor), "id: 7.1\ndata: a\n\nid: 7.2\ndata: b\n\nid: 7.3\ndata: c\n\n");
}

TEST(Stream, BelongsToTheNewestConnection) {
  Stream stream({.resumable = true});
  int woken = 0;
  const auto first = stream.attach([&] { ++woken; });
  const auto second = stream.attach([] {});
  EXPECT_EQ(woken, 1);
  EXPECT_FALSE(stream.is_attached(first));
  stream.detach(first);
  EXPECT_TRUE(stream.is_attached(second));
}

TEST(Stream, ForgetsTheOldestWhenItKeepsTooMuchAndNeverTheResponse) {
  Stream stream({.resumable = true, .most = 100});
  for (int i = 0; i < 100; ++i) stream.send(std::to_string(i));
  stream.finish(std::string(200, 'x'), Verdict::Answered);
  std::uint64_t cursor = 0;
  EXPECT_EQ(stream.take(cursor), "id: 0.100\ndata: " + std::string(200, 'x') + "\n\n");
  EXPECT_EQ(cursor, 101U);
}

TEST(Stream, IsBehindWhileMuchWaitsForTheClient) {
  for (const bool resumable : {false, true}) {
    Stream stream({.resumable = resumable});
    while (!stream.is_behind()) stream.send(std::string(100'000, 'x'));
    std::uint64_t cursor = 0;
    EXPECT_GT(stream.take(cursor).size(), kMuchUnsent);
    EXPECT_FALSE(stream.is_behind());
  }
}

TEST(EventId, IsTwoNumbers) {
  EXPECT_EQ(parse_event_id("3.14")->event, 14U);
  for (const char* text : {"", "3", "3.", ".3", "a.b", "3.1.4", "-1.2", "99999999999999999999999.1"}) {
    EXPECT_FALSE(parse_event_id(text)) << text;
  }
}

}  // namespace
}  // namespace pale::mcp
