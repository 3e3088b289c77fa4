#include "stage/colour.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "base/text.h"
#include "stage/patch.h"

namespace pale::stage {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kReverse = "\x1b[7m";

Version file(std::string_view text) { return {VersionKind::File, 0644, text}; }

std::string coloured(std::string_view before, std::string_view after) {
  return coloured_patch(patch_of("x", file(before), file(after)));
}

TEST(Colour, OfHeadersRangesAndLines) {
  EXPECT_EQ(coloured("a\nb\n", "a\n"),
            "\x1b[1mdiff --git a/x b/x\x1b[m\n\x1b[1m--- a/x\x1b[m\n\x1b[1m+++ b/x\x1b[m\n"
            "\x1b[36m@@ -1,2 +1 @@\x1b[m\n a\n\x1b[31m-b\x1b[m\n");
  EXPECT_THAT(coloured("", "a"), HasSubstr("\x1b[32m+a\x1b[m\n\\ No newline at end of file\n"));
  EXPECT_EQ(coloured_patch(""), "");
}

TEST(Colour, WordsThatDifferStandOut) {
  EXPECT_THAT(
      coloured("int a = b + c;\n", "int a = b - c;\n"),
      HasSubstr("\x1b[31m-int a = b \x1b[7m+\x1b[27m c;\x1b[m\n\x1b[32m+int a = b \x1b[7m-\x1b[27m c;\x1b[m\n"));
  EXPECT_THAT(coloured("say(name)", "say(other)"), HasSubstr("-say(\x1b[7mname\x1b[27m)\x1b[m\n"));
}

TEST(Colour, NoWordsStandOutWhereLinesHaveNoTwinsOrLittleInCommon) {
  EXPECT_THAT(coloured("int a = b;\nint b = a;\n", "int a = c;\n"), Not(HasSubstr(kReverse)));
  EXPECT_THAT(coloured("one thing;\n", "quite another;\n"), Not(HasSubstr(kReverse)));
  EXPECT_THAT(coloured("a a " + std::string(600, 'b') + "\n", "a c " + std::string(600, 'b') + "\n"),
              Not(HasSubstr(kReverse)));
}

TEST(Colour, LinesThatLookLikeHeadersAreLines) {
  EXPECT_THAT(coloured("-- a/y\n", "++ b/y\n@@ -1 +1 @@\n"),
              HasSubstr("\x1b[31m--- a/y\x1b[m\n\x1b[32m+++ b/y\x1b[m\n\x1b[32m+@@ -1 +1 @@\x1b[m\n"));
  EXPECT_THAT(coloured_patch("@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n"),
              HasSubstr("\x1b[1m--- a/y\x1b[m\n\x1b[1m+++ b/y\x1b[m\n"));
}

TEST(Colour, EscapesInTheTextAreHarmless) {
  EXPECT_THAT(coloured("a\n", "\x1b[8mhidden\ttab\r\n"), HasSubstr("+\\x1b[8mhidden\ttab\\x0d"));
  EXPECT_THAT(coloured("a\n", "\xc2\x9bm \xff\n"), HasSubstr("+\\xc2\\x9bm \\xff"));
  EXPECT_THAT(coloured("a \xc3\xa4\n", "a \xc3\xb6\n"), HasSubstr("-a \x1b[7m\xc3\xa4\x1b[m"));
}

TEST(Colour, PatchesThatLieAboutTheirLengthDoNoHarm) {
  EXPECT_THAT(coloured_patch("@@ -1,99999999999999999999 +1 @@\n-a\n"), HasSubstr("\x1b[1m-a\x1b[m"));
  EXPECT_THAT(coloured_patch("@@ -1,9 +1,9 @@\n-a\ndiff --git a/x b/x\n--- a/x\n"), HasSubstr("\x1b[1m--- a/x\x1b[m"));
  EXPECT_EQ(coloured_patch("\n\n"), "\n\n");
}

// --- properties -------------------------------------------------------------------------------------------------------

std::string some_text() {
  const auto piece =
      rc::gen::elementOf(std::vector<std::string>{"a", "b", "word", " ", "\t", "\n", "+", "-", "@@ -1 +1 @@", "\x1b",
                                                  "\x1b[m", "\r", "\x7f", "\xc2\x9b", "\xc3\xa4", "\xc2", "\xff"});
  std::string text;
  for (const std::string& one : *rc::gen::container<std::vector<std::string>>(piece)) text += one;
  return text;
}

// Takes out the sequences that coloured_patch() writes.
std::string without_colours(std::string text) {
  for (const std::string_view code : {"\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[36m", "\x1b[7m", "\x1b[27m", "\x1b[m"}) {
    for (std::size_t at = text.find(code); at != std::string::npos; at = text.find(code, at))
      text.erase(at, code.size());
  }
  return text;
}

bool is_harmless(std::string_view text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) return false;
    if (byte == 0xc2 && at + 1 < text.size() && static_cast<unsigned char>(text[at + 1]) < 0xa0) return false;
  }
  return true;
}

RC_GTEST_PROP(ColourProperty, OnlyItsOwnEscapesReachTheTerminal, ()) {
  const std::string patch =
      *rc::gen::arbitrary<bool>() ? some_text() : patch_of("x", file(some_text()), file(some_text()));
  RC_ASSERT(is_harmless(without_colours(coloured_patch(patch))));
}

RC_GTEST_PROP(ColourProperty, WithoutColoursItIsThePatch, ()) {
  std::string before = some_text(), after = some_text();
  for (std::string* text : {&before, &after}) {
    std::erase_if(*text, [](char c) { return c != '\t' && c != '\n' && (c < ' ' || c == '\x7f'); });
  }
  const std::string patch = patch_of("x", file(before), file(after));
  RC_ASSERT(without_colours(coloured_patch(patch)) == patch);
}

}  // namespace
}  // namespace pale::stage
