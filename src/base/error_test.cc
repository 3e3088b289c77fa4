#include "base/error.h"

#include <gmock/gmock.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace pale {
namespace {

TEST(Error, IsOneSentenceOfWhatWasTriedOnWhatAndWhy) {
  EXPECT_EQ((Error{ErrorKind::System, ENOENT, "open", "/x", "make it"}.sentence()),
            "open /x: No such file or directory");
  EXPECT_EQ((Error{ErrorKind::Usage, 0, "a path is empty", "", ""}.sentence()), "a path is empty");
  EXPECT_EQ((Error{ErrorKind::System, EACCES, "fork", "", ""}.sentence()), "fork: Permission denied");
  EXPECT_EQ((Error{ErrorKind::Usage, 0, "", "--rw", ""}.sentence()), "--rw");
}

TEST(Error, AHintCanBeAddedOnTheWay) {
  const Error error = Error{ErrorKind::Refused, 0, "write", "/x", ""}.with_hint("ask");
  EXPECT_EQ(error.hint, "ask");
  EXPECT_EQ(error.sentence(), "write /x");
}

TEST(Error, FailAndFailErrnoFillInTheirFields) {
  EXPECT_EQ(fail(ErrorKind::Refused, "write", "/x", "ask").error(),
            (Error{ErrorKind::Refused, 0, "write", "/x", "ask"}));
  EXPECT_EQ(fail_errno(EROFS, "write", "/x").error(), (Error{ErrorKind::System, EROFS, "write", "/x", ""}));
}

TEST(ErrnoText, IsTheCLibrarysOrTheBareNumber) {
  int known = 0;
  for (int number = 1; number < 200; ++number) {
    const std::string text = errno_text(number);
    if (text == "error " + std::to_string(number)) continue;
    EXPECT_EQ(text, std::strerror(number));
    ++known;
  }
  EXPECT_GT(known, 25);
  EXPECT_EQ(errno_text(0), "error 0");
  EXPECT_EQ(errno_text(-5), "error -5");
}

Result<std::unique_ptr<int>> boxed(int number) {
  if (number < 0) return fail(ErrorKind::Usage, "negative", std::to_string(number));
  return std::make_unique<int>(number);
}

Result<int> sum(int left, int right) {
  PALE_TRY(first, boxed(left));
  PALE_TRY(second, boxed(right));
  return *first + *second;
}

TEST(Try, GoesOnWithTheValueEvenIfItCanOnlyBeMoved) { EXPECT_EQ(sum(1, 2), 3); }

TEST(Try, PassesTheFirstErrorUp) {
  EXPECT_EQ(sum(-1, -2).error().sentence(), "negative -1");
  EXPECT_EQ(sum(1, -2).error().sentence(), "negative -2");
}

Status checked(int number, bool& reached) {
  PALE_CHECK(boxed(number));
  reached = true;
  return {};
}

TEST(Check, PassesAnErrorUpAndElseGoesOn) {
  bool reached = false;
  EXPECT_FALSE(checked(-1, reached).has_value());
  EXPECT_FALSE(reached);
  EXPECT_TRUE(checked(1, reached).has_value());
  EXPECT_TRUE(reached);
}

}  // namespace
}  // namespace pale
