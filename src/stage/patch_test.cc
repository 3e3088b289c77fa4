#include "stage/patch.h"

#include <gmock/gmock.h>

namespace pale::stage {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

using namespace std::string_view_literals;

constexpr Version kMissing;

Version file(std::string_view text, unsigned mode = 0644) { return {VersionKind::File, mode, text}; }
Version link(std::string_view target) { return {VersionKind::Symlink, 0777, target}; }

TEST(Patch, OfAChangedFile) {
  EXPECT_EQ(patch_of("src/x", file("a\nb\n"), file("a\nc")),
            "diff --git a/src/x b/src/x\n--- a/src/x\n+++ b/src/x\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
            "\\ No newline at end of file\n");
}

TEST(Patch, IsEmptyIfNothingChangedThatItCouldTell) {
  EXPECT_EQ(patch_of("x", file("a\n", 0644), file("a\n", 0600)), "");
  EXPECT_EQ(patch_of("x", file("\0"sv), file("\0"sv)), "");
  EXPECT_EQ(patch_of("x", link("y"), link("y"), "x"), "");
  EXPECT_EQ(patch_of("x", kMissing, kMissing), "");
}

TEST(Patch, OfACreatedAndADeletedFile) {
  EXPECT_EQ(patch_of("x", kMissing, file("a\n")),
            "diff --git a/x b/x\nnew file mode 100644\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n");
  EXPECT_EQ(patch_of("x", file("a\n", 0755), kMissing),
            "diff --git a/x b/x\ndeleted file mode 100755\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n");
}

TEST(Patch, OfAnEmptyFileIsAHeaderOnly) {
  EXPECT_EQ(patch_of("x", kMissing, file("", 0700)), "diff --git a/x b/x\nnew file mode 100755\n");
  EXPECT_EQ(patch_of("x", file(""), kMissing), "diff --git a/x b/x\ndeleted file mode 100644\n");
}

TEST(Patch, OfPermissions) {
  EXPECT_EQ(patch_of("x", file("a\n"), file("a\n", 0755)), "diff --git a/x b/x\nold mode 100644\nnew mode 100755\n");
}

TEST(Patch, OfARenamedFile) {
  EXPECT_EQ(patch_of("y", file("a\n"), file("a\n"), "x"),
            "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n");
  EXPECT_EQ(
      patch_of("y", file("a\nb\n"), file("a\nc\n"), "x"),
      "diff --git a/x b/y\nsimilarity index 50%\nrename from x\nrename to y\n--- a/x\n+++ b/y\n@@ -1,2 +1,2 @@\n a\n"
      "-b\n+c\n");
  EXPECT_EQ(patch_of("y", file("\0"sv), file("\0"sv), "x"),
            "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n");
}

TEST(Patch, OfAFileThatBecameALinkIsADeletionAndACreation) {
  EXPECT_EQ(patch_of("x", file("a\n"), link("y")),
            "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
            "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n"
            "\\ No newline at end of file\n");
  EXPECT_EQ(patch_of("z", link("y"), file(""), "x"),
            "diff --git a/x b/x\ndeleted file mode 120000\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-y\n"
            "\\ No newline at end of file\ndiff --git a/z b/z\nnew file mode 100644\n");
}

TEST(Patch, OfABinaryFileIsOneLine) {
  EXPECT_EQ(patch_of("x", file("a\n"), file("a\0"sv)), "Binary files a/x and b/x differ\n");
  EXPECT_EQ(patch_of("x", kMissing, file("\0"sv)), "Binary files /dev/null and b/x differ\n");
  EXPECT_EQ(patch_of("x", file("\0"sv), kMissing), "Binary files a/x and /dev/null differ\n");
  EXPECT_EQ(patch_of("y", file("\0"sv), file("\0\0"sv), "x"), "Binary files a/x and b/y differ\n");
  EXPECT_EQ(patch_of("x\ny", file("\0"sv), link("z")), "Binary files \"a/x\\ny\" and \"b/x\\ny\" differ\n");
}

TEST(Patch, QuotesNames) {
  const auto names = [](std::string_view path) {
    const std::string patch = patch_of(path, file("a\n"), file("b\n"));
    return patch.substr(0, patch.find("@@"));
  };
  EXPECT_EQ(names("a b"), "diff --git \"a/a b\" \"b/a b\"\n--- a/a b\t\n+++ b/a b\t\n");
  EXPECT_EQ(names("\"\\\t\x01\x7f\xc3\xa4"), R"(diff --git "a/\"\\\t\001\177\303\244" "b/\"\\\t\001\177\303\244")"
                                             "\n"
                                             R"(--- "a/\"\\\t\001\177\303\244")"
                                             "\n"
                                             R"(+++ "b/\"\\\t\001\177\303\244")"
                                             "\n");
  EXPECT_THAT(patch_of("b\n", file(""), file(""), "a\n"), HasSubstr("rename from \"a\\n\"\nrename to \"b\\n\"\n"));
}

// A file's name cannot add a line to the patch.
TEST(Patch, HasNoLineOfANamesMaking) {
  for (const Version& after : {file("b\n"), file("\0"sv), file("", 0755), link("y"), kMissing}) {
    const std::string patch = patch_of("x\n+++ b/y", file(""), after, "y\n--- a/z");
    EXPECT_THAT(patch, Not(HasSubstr("\n--- a/z"))) << patch;
    EXPECT_THAT(patch, Not(HasSubstr("\n+++ b/y"))) << patch;
  }
}

TEST(IsBinary, LooksForANulByteNearTheBeginning) {
  EXPECT_FALSE(is_binary(""));
  EXPECT_FALSE(is_binary("\xff\x1b"));
  EXPECT_TRUE(is_binary(std::string(7999, 'a') + '\0'));
  EXPECT_FALSE(is_binary(std::string(8000, 'a') + '\0'));
}

TEST(CountLines, CountsWhatThePatchShows) {
  EXPECT_EQ(count_lines(file("a\nb\nc\n"), file("a\nx")), (LineCount{1, 2}));
  EXPECT_EQ(count_lines(kMissing, file("a\nb")), (LineCount{2, 0}));
  EXPECT_EQ(count_lines(file("a\nb\n"), kMissing), (LineCount{0, 2}));
  EXPECT_EQ(count_lines(file("a"), link("a")), (LineCount{1, 1}));
  EXPECT_EQ(count_lines(file("a"), file("a\0"sv)), (LineCount{0, 0}));
  EXPECT_EQ(count_lines(kMissing, kMissing), (LineCount{0, 0}));
}

}  // namespace
}  // namespace pale::stage
