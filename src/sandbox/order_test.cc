#include "sandbox/order.h"

#include <gtest/gtest.h>

namespace pale::sandbox {
namespace {

TEST(Order, ACommandComesBackAsItWas) {
  const Order order{Order::Kind::Run, {{"sh", "-c", "echo \xff \"'\n"}, Path::literal("/workspace/a b")}};
  const auto parsed = parse_order(to_text(order));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->kind, Order::Kind::Run);
  EXPECT_EQ(parsed->command.arguments, order.command.arguments);
  EXPECT_EQ(parsed->command.directory, order.command.directory);
}

TEST(Order, SoDoSignalsAndStops) {
  const auto signal = parse_order(to_text(Order{Order::Kind::Signal, {}, 15, 7}));
  ASSERT_TRUE(signal);
  EXPECT_EQ(signal->kind, Order::Kind::Signal);
  EXPECT_EQ(signal->signal, 15);
  EXPECT_EQ(signal->number, 7U);
  const auto stop = parse_order(to_text(Order{Order::Kind::Stop}));
  ASSERT_TRUE(stop);
  EXPECT_EQ(stop->kind, Order::Kind::Stop);
}

TEST(Order, NewsComesBackAsItWas) {
  const News news{News::Kind::Denied, 0, 0, "/workspace/\xfe", "write", "protected x (default)"};
  const auto parsed = parse_news(to_text(news));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->kind, News::Kind::Denied);
  EXPECT_EQ(parsed->path, news.path);
  EXPECT_EQ(parsed->operation, news.operation);
  EXPECT_EQ(parsed->rule, news.rule);
  const auto exit = parse_news(to_text(News{News::Kind::Exit, 137, 9}));
  ASSERT_TRUE(exit);
  EXPECT_EQ(exit->number, 137);
  EXPECT_EQ(exit->run, 9U);
}

TEST(Order, WhatIsNoneIsAnError) {
  EXPECT_FALSE(parse_order(""));
  EXPECT_FALSE(parse_order(R"({"kind":0,"directory":"/x","command":[]})"));
  EXPECT_FALSE(parse_order(R"({"kind":0,"directory":"/x","command":[1]})"));
  EXPECT_FALSE(parse_news("[]"));
}

}  // namespace
}  // namespace pale::sandbox
