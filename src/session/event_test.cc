#include "session/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>

#include "support/directory.h"

namespace pale::session {
namespace {

using testing::HasSubstr;

std::string any_bytes() { return *rc::gen::container<std::string>(rc::gen::arbitrary<char>()); }

std::int64_t any_number() { return *rc::gen::inRange<std::int64_t>(-1'000'000'000'000, 9'000'000'000'000'000'000); }

// Only what its kind has is set.
Event any_event() {
  Event event;
  event.kind = static_cast<EventKind>(*rc::gen::inRange(0, 10));
  event.number = static_cast<std::uint64_t>(*rc::gen::inRange<std::int64_t>(0, 1L << 60));
  event.at_ms = any_number();
  event.run = static_cast<std::uint64_t>(*rc::gen::inRange<std::int64_t>(0, 1000));
  switch (event.kind) {
    case EventKind::Run:
      for (int words = *rc::gen::inRange(0, 5); words > 0; --words) event.command.push_back(any_bytes());
      event.directory = any_bytes();
      break;
    case EventKind::Output: event.stream = *rc::gen::element<std::string>("stdout", "stderr"); [[fallthrough]];
    case EventKind::Started:
    case EventKind::Unreadable: event.data = any_bytes(); break;
    case EventKind::Connection:
      event.path = any_bytes();
      event.operation = any_bytes();
      event.rule = any_bytes();
      event.ending = any_bytes();
      event.received = static_cast<std::uint64_t>(*rc::gen::inRange<std::int64_t>(0, 1L << 60));
      [[fallthrough]];
    case EventKind::Input:
      event.bytes = static_cast<std::uint64_t>(*rc::gen::inRange<std::int64_t>(0, 1L << 60));
      break;
    case EventKind::Denied: event.rule = any_bytes(); [[fallthrough]];
    case EventKind::Changed:
      event.path = any_bytes();
      event.operation = any_bytes();
      break;
    case EventKind::Exit:
      event.exit_code = *rc::gen::inRange(-1, 256);
      event.milliseconds = any_number();
      [[fallthrough]];
    case EventKind::Ended: event.ending = any_bytes(); break;
  }
  return event;
}

RC_GTEST_PROP(EventLine, AnyEventComesBackAsItWas, ()) {
  const Event event = any_event();
  const std::string line = to_line(event);
  RC_ASSERT(line.find('\n') == line.size() - 1);
  const auto read = parse_event(line);
  RC_ASSERT(read.has_value());
  RC_ASSERT(*read == event);
}

RC_GTEST_PROP(EventLine, WhatIsCutOffOrChangedIsAnErrorOrAnEventAndNeverMore, ()) {
  std::string line = to_line(any_event());
  line.resize(*rc::gen::inRange<std::size_t>(0, line.size() + 1));
  if (!line.empty()) line[*rc::gen::inRange<std::size_t>(0, line.size())] = *rc::gen::arbitrary<char>();
  (void)parse_event(line);
}

Event exit_event() {
  Event event;
  event.kind = EventKind::Exit;
  event.number = 7;
  event.at_ms = 1'700'000'000'123;
  event.run = 2;
  event.exit_code = 1;
  event.ending = "exited";
  event.milliseconds = 12;
  return event;
}

TEST(EventLine, IsReadableByOthers) {
  EXPECT_EQ(to_line(exit_event()),
            "{\"number\":7,\"at\":1700000000123,\"kind\":\"exit\",\"run\":2,\"exit_code\":1,\"ending\":\"exited\","
            "\"milliseconds\":12}\n");
}

TEST(EventLine, BytesThatAreNoTextAreKept) {
  Event event;
  event.kind = EventKind::Output;
  event.stream = "stderr";
  event.data = std::string("\xff\x00\n", 3);
  EXPECT_THAT(to_line(event), HasSubstr(R"("data":{"base64":"/wAK"})"));
  EXPECT_EQ(parse_event(to_line(event)), event);
}

std::string sentence_of(std::string_view line) {
  const auto event = parse_event(line);
  return event ? "no error" : event.error().sentence();
}

TEST(EventLine, SaysWhatIsWrongWithIt) {
  EXPECT_THAT(sentence_of(R"({"number":1)"), HasSubstr("column"));
  EXPECT_THAT(sentence_of("[]"), HasSubstr("no object"));
  EXPECT_THAT(sentence_of(R"({"number":1,"at":2,"run":0})"), HasSubstr("lacks kind"));
  EXPECT_THAT(sentence_of(R"({"number":1,"at":2,"kind":"eaten","run":0})"), HasSubstr("eaten"));
  EXPECT_THAT(sentence_of(R"({"number":1,"at":2,"kind":"ended","run":0})"), HasSubstr("lacks ending"));
  EXPECT_THAT(sentence_of(R"({"number":-1,"at":2,"kind":"ended","run":0,"ending":"x"})"), HasSubstr("value of number"));
  EXPECT_THAT(sentence_of(R"({"number":9223372036854775808,"at":2,"kind":"ended","run":0,"ending":"x"})"),
              HasSubstr("value of number"));
  EXPECT_THAT(sentence_of(R"({"number":1,"at":"2","kind":"ended","run":0,"ending":"x"})"), HasSubstr("value of at"));
  EXPECT_THAT(sentence_of(R"({"number":1,"at":2,"kind":"ended","run":0,"ending":"x","more":1})"),
              HasSubstr("does not have"));
  EXPECT_THAT(sentence_of(R"({"number":1,"at":2,"kind":"output","run":0,"stream":"tty","data":""})"),
              HasSubstr("stream"));
  EXPECT_THAT(sentence_of(R"({"number":1,"at":2,"kind":"run","run":0,"command":["a",1],"directory":""})"),
              HasSubstr("command"));
}

class Journal : public test::InADirectory {
 protected:
  std::string file() const { return at("events.jsonl").text(); }
  EventsRead read_from(std::uint64_t from, std::size_t most = 1 << 20) const {
    auto read = read_events(file(), from, most);
    EXPECT_TRUE(read.has_value());
    return read.value_or(EventsRead{});
  }
  static Event numbered(std::uint64_t number) {
    Event event = exit_event();
    event.number = number;
    return event;
  }
};

TEST_F(Journal, ALineWithoutAnEndIsNotThereYet) {
  const std::string first = to_line(numbered(1)), second = to_line(numbered(2));
  write("events.jsonl", first + second.substr(0, 20));
  const EventsRead read = read_from(0);
  EXPECT_EQ(read.events, std::vector{numbered(1)});
  EXPECT_EQ(read.next, first.size());
  EXPECT_EQ(read_from(read.next).events.size(), 0U);
  write("events.jsonl", first + second);
  EXPECT_EQ(read_from(read.next).events, std::vector{numbered(2)});
}

TEST_F(Journal, IsReadInPartsOfAtLeastOneLine) {
  std::string text;
  for (std::uint64_t number = 1; number <= 20; ++number) text += to_line(numbered(number));
  write("events.jsonl", text);
  for (const std::size_t most : {1UL, 100UL, 333UL, 1UL << 20U}) {
    std::uint64_t from = 0;
    std::vector<Event> all;
    for (EventsRead read = read_from(from, most); !read.events.empty(); read = read_from(from, most)) {
      all.insert(all.end(), read.events.begin(), read.events.end());
      from = read.next;
    }
    EXPECT_EQ(from, text.size());
    ASSERT_EQ(all.size(), 20U);
    EXPECT_EQ(all.back(), numbered(20));
  }
}

TEST_F(Journal, AWholeLineThatCannotBeReadIsAnEventToo) {
  write("events.jsonl", to_line(numbered(1)) + "what?\n" + to_line(numbered(3)));
  const EventsRead read = read_from(0);
  ASSERT_EQ(read.events.size(), 3U);
  EXPECT_EQ(read.events[1].kind, EventKind::Unreadable);
  EXPECT_EQ(read.events[1].number, 2U);
  EXPECT_EQ(read.events[1].data, "what?");
  EXPECT_EQ(read.events[2], numbered(3));
}

TEST_F(Journal, ThatIsALinkOrNoFileIsRefused) {
  write("elsewhere", to_line(numbered(1)));
  std::filesystem::create_symlink(at("elsewhere").text(), file());
  EXPECT_FALSE(read_events(file(), 0, 100).has_value());
  std::filesystem::remove(file());
  std::filesystem::create_directory(file());
  EXPECT_FALSE(read_events(file(), 0, 100).has_value());
}

TEST_F(Journal, ThatIsMissingIsAnErrorThatSaysSo) {
  const auto read = read_events(file(), 0, 100);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().number, ENOENT);
}

}  // namespace
}  // namespace pale::session
