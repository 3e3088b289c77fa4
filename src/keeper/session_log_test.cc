#include "keeper/session_log.h"

#include <gtest/gtest.h>

namespace pale::keeper {
namespace {

using session::Event;
using session::EventKind;

Event output(std::string data, std::uint64_t run = 1, std::string stream = "stdout") {
  return {.kind = EventKind::Output, .run = run, .stream = std::move(stream), .data = std::move(data)};
}

Event exit_of(std::uint64_t run) {
  return {.kind = EventKind::Exit,
          .at_ms = 1'700'000'000'000,
          .run = run,
          .exit_code = 0,
          .ending = "exited",
          .milliseconds = 5};
}

TEST(LogText, ShowsALineWhenItIsWhole) {
  LogText log;
  EXPECT_EQ(log.add(output("one\ntw")), "[1] | one\n");
  EXPECT_EQ(log.add(output("o")), "");
  EXPECT_EQ(log.add(output("\n\n")), "[1] | two\n[1] | \n");
  EXPECT_EQ(log.finish(), "");
}

TEST(LogText, StreamsAndCommandsDoNotMixTheirLines) {
  LogText log;
  EXPECT_EQ(log.add(output("out")) + log.add(output("err", 1, "stderr")) + log.add(output("two", 2)), "");
  EXPECT_EQ(log.add(output("!\n", 1, "stderr")), "[1] ! err!\n");
  EXPECT_EQ(log.add(output("!\n", 2)), "[2] | two!\n");
  EXPECT_EQ(log.add(output("!\n")), "[1] | out!\n");
}

TEST(LogText, ALineThatNeverEndsIsShownBeforeTheNextThing) {
  LogText log;
  (void)log.add(output("no end"));
  (void)log.add(output("other", 2));
  EXPECT_EQ(log.add(exit_of(1)), "[1] | no end\n2023-11-14T22:13:20Z  [1] exit 0 after 5 ms\n");
  EXPECT_EQ(log.finish(), "[2] | other\n");
}

TEST(LogText, ALineWithoutEndIsNotKeptForEver) {
  LogText log;
  std::string shown;
  for (int i = 0; i < 100; ++i) shown += log.add(output(std::string(1000, 'x')));
  EXPECT_GT(shown.size(), 60'000U);
}

TEST(LogText, NothingFromInsideControlsATerminal) {
  LogText log;
  EXPECT_EQ(log.add(output("a\x1b]0;x\a\tb\r\n")), "[1] | a\\x1b]0;x\\x07   b\n");
  const Event run{.kind = EventKind::Run, .at_ms = 0, .run = 1, .command = {"a\x1b"}, .directory = "/\x9b"};
  const Event denied{.kind = EventKind::Denied, .run = 1, .path = "/\x1b[2J", .operation = "open\n", .rule = "\x7f"};
  const Event ended{.kind = EventKind::Ended, .ending = "\x1b"};
  for (const Event& event : {run, denied, ended}) {
    const std::string text = log.add(event);
    EXPECT_EQ(text.find_first_of("\x1b\x9b\x7f"), std::string::npos) << text;
    EXPECT_EQ(text.find('\n'), text.size() - 1);
  }
}

}  // namespace
}  // namespace pale::keeper
